#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# At its defaults the patched kernel answers and counts as the stock one: what the tests that hold on
# both have written down in the two boots (stock.t, patched.t) is the same, line by line.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
dir=${B:-build}/tests/guest/${KERNEL:-6.12}

# same STOCK PATCHED
same()
{
	[ -s "$1" ] && [ -s "$2" ] && diff "$1" "$2"
}

for file in tests/guest/[0-9]*.sh; do
	# A test that has something to compare calls one of these.
	grep -q -e '^[[:space:]]*fact ' -e '^[[:space:]]*delta ' "$file" || continue
	name=$(basename "$file" .sh)
	check "$name: all lines are the same" same "$dir/stock/results/facts/$name" "$dir/patched/results/facts/$name"
done

done_testing
