#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Shows that the unit tests catch faults: plants each of tests/unit/faults/*.patch in a
# copy of block/part-map.c, builds the tests over it, and wants every test that the
# patch names to fail, with the words that the patch names.
#
# usage: faults.t BUILD-DIR CC CFLAGS LIBS [FAULT...]
# BUILD-DIR holds the objects of the tests, built with CC and CFLAGS already.

set -u

if [ $# -lt 4 ]; then
	echo "usage: faults.t BUILD-DIR CC CFLAGS LIBS [FAULT...]" >&2
	exit 2
fi
build=$1 cc=$2 cflags=$3 libs=$4
shift 4
here=$(dirname "$0")
top=$here/../..
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
# Of its own: several may run at once. Kept if a fault is missed.
work=$build/faults.$$

# The map with the fault, in $dir, and what the patch says of it.
plant() { # PATCH
	mkdir -p "$dir/block" && cp "$top"/block/*.[ch] "$dir/block/" || return 1
	if ! patch -s -d "$dir" -p1 <"$1"; then
		echo "the patch does not apply any more"
		return 1
	fi
	# shellcheck disable=SC2086 # lists of options
	$cc $cflags -c -o "$dir/part-map.o" "$dir/block/part-map.c" || return 1
	says=$(sed -n 's/^Says: //p' "$1")
	tests=$(sed -n 's/^Caught-by: //p' "$1")
	if [ -z "$says" ] || [ -z "$tests" ]; then
		echo "the patch does not tell what catches it (Caught-by:), and with which words (Says:)"
		return 1
	fi
}

caught() { # TEST
	# shellcheck disable=SC2086
	$cc $cflags -o "$dir/$1" "$build/$1.o" "$build/table.o" \
		"$build/standin.o" "$dir/part-map.o" $libs || return 1
	if ASAN_OPTIONS=detect_leaks=0 TABLES=20000 REPLACE=20000 "$dir/$1" >"$dir/$1.log" 2>&1; then
		echo "$1 does not notice"
		return 1
	fi
	if ! grep -q -i -E -e "$says" "$dir/$1.log"; then
		echo "$1 fails, but does not say '$says'"
		tail -n 20 "$dir/$1.log"
		return 1
	fi
}

fault() { # PATCH
	name=$(basename "$1" .patch)
	dir=$work/$name
	if plant "$1" >"$tap_tmp/planted" 2>&1; then
		for test in $tests; do
			check "$name: caught by $test" caught "$test"
		done
	else
		tap_said=$tap_tmp/planted
		result 1 "$name: is planted"
		tap_said=
	fi
}

if [ $# -eq 0 ]; then
	set -- "$here"/faults/*.patch
fi
for p in "$@"; do
	[ -f "$p" ] || p=$here/faults/$p.patch
	if [ ! -f "$p" ]; then
		echo "faults.t: $p: no such fault; there are:" "$(cd "$here/faults" && ls)" >&2
		exit 2
	fi
	fault "$p"
done
if ! done_testing; then
	echo "# not every planted fault is caught; see $work" >&2
	exit 1
fi
rm -rf "$work"
