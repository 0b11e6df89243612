# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# TAP for tests that run on the host; to be sourced, under set -eu or not. Why a test fails goes to
# standard error: of a comment on standard output prove shows nothing.

# A directory for the script's files. It goes when the script ends; a trap of the script's own on EXIT
# would keep it.
tap_tmp=$(mktemp -d) || exit 1
# TMPDIR may be relative, and the script may go elsewhere.
tap_tmp=$(cd "$tap_tmp" && pwd) || exit 1
# A file that is shown, too, when a test fails: a script names the one that says why.
tap_said=
tap_count=0
tap_failed=0

trap 'rm -rf "$tap_tmp"' EXIT
# A signal alone would end dash without the trap above.
trap 'exit 130' INT
trap 'exit 143' HUP TERM

# tap_show: standard input as comments; of many lines, the first and the last
tap_show()
{
	tr -d '\r\0' | awk '
		{ line[NR] = $0 }
		END {
			for (i = 1; i <= NR; i++)
				if (i <= 20 || i > NR - 20)
					print "# " line[i]
				else if (i == 21)
					print "# [...]"
		}' >&2
}

# tap_show_said: what the script has named to be shown
tap_show_said()
{
	[ ! -s "$tap_said" ] || tap_show <"$tap_said"
}

# tap_line STATUS NAME: one TAP line, ok if STATUS is 0; else fails, with the name where prove shows it
tap_line()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
		echo "# failed: $2" >&2
		return 1
	fi
}

# result STATUS NAME: a test, ok if STATUS is 0
result()
{
	tap_line "$1" "$2" || tap_show_said
}

# check NAME COMMAND...: a test, ok if COMMAND exits with 0; it and what it printed are shown if it does
# not. COMMAND may be a function; set -e does not act in it.
check()
{
	tap_name=$1
	shift
	if "$@" >"$tap_tmp/.printed" 2>&1; then tap_status=0; else tap_status=$?; fi
	tap_line "$tap_status" "$tap_name" || {
		echo "by: $*" | tap_show
		tap_show <"$tap_tmp/.printed"
		tap_show_said
	}
}

# not COMMAND...: for check; a command that cannot be run has not failed as it should
not()
{
	tap_not=0
	"$@" || tap_not=$?
	[ $tap_not -ne 0 ] && [ $tap_not -lt 126 ]
}

# take FILE [PREFIX]: the tests that were made elsewhere, in a guest, as this script's own, each name behind
# PREFIX. Fails if the file is not there, has no test or not as many as it planned.
take()
{
	tap_there=0 tap_planned=none tap_status=0
	[ -r "$1" ] || {
		echo "there is no $1"
		return 1
	} >&2
	while IFS= read -r tap_text; do
		case $tap_text in
		'ok '* | 'not ok '*)
			tap_there=$((tap_there + 1)) tap_status=0
			case $tap_text in
			not*) tap_status=1 ;;
			esac
			tap_line $tap_status "${2:-}${tap_text#* - }" || :
			;;
		1..*) tap_planned=${tap_text#1..} ;;
		# What belongs to a failure goes where that is shown.
		'#'*) if [ $tap_status -eq 0 ]; then echo "$tap_text"; else echo "$tap_text" >&2; fi ;;
		esac
	done <"$1"
	[ $tap_there -gt 0 ] && [ "$tap_planned" = $tap_there ] || {
		echo "$1: $tap_planned tests planned, $tap_there there"
		return 1
	} >&2
}

# done_testing [COUNT]: the plan, at the end; a script that knows its COUNT cannot run fewer tests
# unnoticed. Its status, to end the script with: 0 if there were tests and all of them were ok.
done_testing()
{
	echo "1..${1:-$tap_count}"
	[ "$tap_failed" -eq 0 ] && [ "$tap_count" -gt 0 ] && [ "${1:-$tap_count}" -eq "$tap_count" ]
}
