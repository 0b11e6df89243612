# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# TAP for tests that run on the host; to be sourced.

tap_count=0
tap_tmp=$(mktemp -d)
trap 'rm -rf "$tap_tmp"' EXIT

# result STATUS NAME: one TAP line, ok if STATUS is 0
result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		echo "not ok $tap_count - $2"
	fi
}

# check NAME COMMAND...: ok if COMMAND exits with 0; what it printed is shown if it does not
check()
{
	tap_name=$1
	shift
	if "$@" >"$tap_tmp/out" 2>&1; then
		result 0 "$tap_name"
	else
		result 1 "$tap_name"
		head -n 40 "$tap_tmp/out" | sed 's/^/# /'
	fi
}

# done_testing: the plan, at the end
done_testing()
{
	echo "1..$tap_count"
}
