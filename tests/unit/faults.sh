#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Shows that the unit tests catch faults: plants each of tests/unit/faults/*.patch in a
# copy of block/part-map.c, builds the tests over it, and wants every test that the
# patch names to fail, with the words that the patch names.
#
# usage: faults.sh BUILD-DIR CC CFLAGS LIBS [FAULT...]
# BUILD-DIR holds the objects of the tests, built with CC and CFLAGS already.

set -u

if [ $# -lt 4 ]; then
	echo "usage: faults.sh BUILD-DIR CC CFLAGS LIBS [FAULT...]" >&2
	exit 2
fi
build=$1 cc=$2 cflags=$3 libs=$4
shift 4
here=$(dirname "$0")
top=$here/../..
# Of its own: several may run at once. Kept if a fault is missed.
work=$build/faults.$$
missed=0
count=0

fault() {
	patch=$1
	name=$(basename "$patch" .patch)
	dir=$work/$name
	rm -rf "$dir"
	mkdir -p "$dir/block" || return 1
	cp "$top"/block/*.[ch] "$dir/block/" || return 1
	if ! patch -s -d "$dir" -p1 <"$patch" >"$dir/patch.log" 2>&1; then
		echo "not ok - $name: the patch does not apply any more:"
		sed 's/^/# /' "$dir/patch.log"
		return 1
	fi
	# shellcheck disable=SC2086 # lists of options
	$cc $cflags -c -o "$dir/part-map.o" "$dir/block/part-map.c" || return 1
	says=$(sed -n 's/^Says: //p' "$patch")
	# shellcheck disable=SC2013 # words are wanted
	for test in $(sed -n 's/^Caught-by: //p' "$patch"); do
		# shellcheck disable=SC2086
		$cc $cflags -o "$dir/$test" "$build/$test.o" "$build/table.o" \
			"$build/standin.o" "$dir/part-map.o" $libs || return 1
		if ASAN_OPTIONS=detect_leaks=0 TABLES=20000 REPLACE=20000 "$dir/$test" >"$dir/$test.log" 2>&1; then
			echo "not ok - $name: $test does not notice"
			return 1
		fi
		if ! grep -q -i -E -e "$says" "$dir/$test.log"; then
			echo "not ok - $name: $test fails, but does not say '$says'"
			tail -n 20 "$dir/$test.log" | sed 's/^/# /'
			return 1
		fi
		echo "ok - $name: caught by $test"
	done
}

if [ $# -eq 0 ]; then
	set -- "$here"/faults/*.patch
fi
for p in "$@"; do
	[ -f "$p" ] || p=$here/faults/$p.patch
	if [ ! -f "$p" ]; then
		echo "faults.sh: $p: no such fault; there are:" "$(cd "$here/faults" && ls)" >&2
		exit 2
	fi
	count=$((count + 1))
	fault "$p" || missed=$((missed + 1))
done
if [ "$missed" -ne 0 ]; then
	echo "$missed of $count planted faults are not caught; see $work" >&2
	exit 1
fi
rm -rf "$work"
echo "$count planted faults, all caught"
