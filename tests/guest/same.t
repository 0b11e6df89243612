#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# At its defaults the patched kernel answers and counts as the stock one: what the tests that hold on
# both have written down in the two boots (stock.t, patched.t) is the same, line by line.
set -u

cd "$(dirname "$0")/../.." || exit 1
dir=${B:-build}/tests/guest/${KERNEL:-6.12}
count=0
for file in tests/guest/[0-9]*.sh; do
	# A test that has something to compare calls one of these.
	grep -q -e '^[[:space:]]*fact ' -e '^[[:space:]]*delta ' "$file" || continue
	name=$(basename "$file" .sh)
	stock=$dir/stock/results/facts/$name
	patched=$dir/patched/results/facts/$name
	count=$((count + 1))
	if [ ! -s "$stock" ] || [ ! -s "$patched" ]; then
		echo "not ok $count - $name: there is something to compare"
	elif differences=$(diff "$stock" "$patched"); then
		echo "ok $count - $name: $(wc -l <"$stock") lines are the same"
	else
		echo "not ok $count - $name: all lines are the same"
		printf '%s\n' "$differences" | sed 's/^/# /'
	fi
done
echo "1..$count"
[ $count -gt 0 ]
