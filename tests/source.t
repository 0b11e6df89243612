#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The house rules that a machine can check: a licence line in every file, no built thing and no path
# or host of somebody's machine under version control.
set -u

cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

spdx()
{
	git ls-files | grep -vE '^(LICENSE|.*\.md|.*\.json|model/traces/.*|tests/unit/fixtures/.*|patches/.*\.patch)$' |
	while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0' || echo "$file"
	done >"$tap_tmp/none"
	cat "$tap_tmp/none"
	[ ! -s "$tap_tmp/none" ]
}
check 'every file names its licence' spdx

binaries()
{
	git ls-files -z | xargs -0 grep -lIL '' >"$tap_tmp/binary" 2>/dev/null
	xargs -r -n 1 sh -c '[ -s "$0" ] && echo "$0"' <"$tap_tmp/binary" >"$tap_tmp/full"
	cat "$tap_tmp/full"
	[ ! -s "$tap_tmp/full" ]
}
check 'no binary file' binaries

scripts_parse()
{
	git ls-files | while read -r file; do
		case $(head -n 1 "$file") in
		'#!/bin/sh') sh -n "$file" || exit 1 ;;
		esac
	done
}
check 'every shell script parses' scripts_parse

# The profile's subtotal is only as good as its list of names.
accounting_listed()
{
	cat patches/*/[0-9]*.patch block/part-map.c |
		grep -oE '\b(blk_account_[a-z_]+|map_tree_find|part_map_walk|disk_map_sector_rcu)\(' |
		tr -d '(' | sort -u >"$tap_tmp/ours"
	grep -vE '^(#|$)' plugin/accounting.list | sort -u >"$tap_tmp/listed"
	comm -23 "$tap_tmp/ours" "$tap_tmp/listed" >"$tap_tmp/missing"
	grep -E '^(map_|part_map_)' "$tap_tmp/listed" | comm -13 "$tap_tmp/ours" - >"$tap_tmp/dead"
	sed 's/^/not in the list: /' "$tap_tmp/missing"
	sed 's/^/no such function: /' "$tap_tmp/dead"
	[ -s "$tap_tmp/ours" ] && [ ! -s "$tap_tmp/missing" ] && [ ! -s "$tap_tmp/dead" ]
}
check 'the accounting group of the profile names the functions that we have' accounting_listed

done_testing
