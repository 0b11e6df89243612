#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The faults that kernels had here: one test each, tests/faults/NAME.sh, and a patch, NAME.patch, that
# plants the fault in our kernel.
#
# usage: faults.sh check FLAVOUR [NAME...]     the tests pass on this kernel
#        faults.sh planted [NAME...]           with its fault planted each of them fails, and says so
set -u

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
. tests/tap.sh
build=${B:-build}
version=${KERNEL:-6.12}

usage()
{
	[ $# -eq 0 ] || echo "faults.sh: $*" >&2
	echo "usage: faults.sh check FLAVOUR [NAME...] | faults.sh planted [NAME...]" >&2
	exit 2
}

# boot FLAVOUR NAME...: its results in $out, the status of guest/run in $status
boot()
{
	out=$build/tests/faults/$version/$1.$2
	image=$build/kernel/$version/$1/obj/arch/x86/boot/bzImage
	shift
	rm -rf "$out"
	mkdir -p "$out/tests" || exit 2
	echo "$@" >"$out/names"
	for name; do
		cp "$here/$name.sh" "$out/tests/" || exit 2
	done
	cp tests/guest/lib.sh "$build/tests/guest/issue" "$build/tests/guest/counts" "$out/tests/" || exit 2
	for program in addpart delpart; do
		cp "$(PATH=$PATH:/usr/sbin command -v $program)" "$out/tests/" || exit 2
	done
	guest/run --kernel "$image" --plan "$here/plan.sh" --dev scsi_debug --mem 2048 --out "$out" \
		--timeout 600 --silence 180 --add "$out/names" --add "$out/tests" >"$out/log" 2>&1
	status=$?
}

# failures NAME: what its test had to complain about; "did not end" if it is not known
failures()
{
	if [ ! -f "$out/results/tap/$1.status" ]; then
		echo "$1 did not end"
		return
	fi
	grep -h '^not ok' "$out/results/tap/$1.tap"
	cat "$out/results/tap/$1.rest"
	[ "$(cat "$out/results/tap/$1.status")" = 0 ] || echo "$1 failed"
}

# plantable NAME: the patch, which only `planted' puts into a kernel, still fits the series
plantable()
{
	patch --dry-run -s -f -p1 -F0 -d "$build/kernel/$version/$flavour/src" <"$here/$1.patch"
}

# passes NAME: its test has nothing to complain about
passes()
{
	tap_said=$out/results/tap/$1.stderr
	[ -z "$(failures "$1")" ] || {
		failures "$1"
		return 1
	}
}

check_all()
{
	boot "$@"
	flavour=$1
	shift
	for name; do
		check "$name: $(grep -c '^ok' "$out/results/tap/$name.tap") checks" passes "$name"
	done
	tap_said=$out/log
	result $status "$flavour: the kernel had no complaint"
	tap_said=
	[ "$version" = 6.12 ] || return 0
	for name; do
		check "$name: the fault can be planted" plantable "$name"
	done
}

# caught NAME: its test or the kernel complains, in the words that the patch foretells, not of
# something else that went wrong
caught()
{
	says=$(sed -n 's/^Says: //p' "$here/$1.patch")
	echo "foretold: $says"
	if [ -z "$(failures "$1")" ] && [ $status -eq 0 ]; then
		echo "nobody notices"
		return 1
	fi
	{
		failures "$1"
		cat "$out/log"
	} | grep -E -m 3 -e "$says" >"$out/caught"
	[ -s "$out/caught" ]
}

planted()
{
	tap_said=$tap_tmp/build
	FAULT=$here/$1.patch kernel/build.sh "$version" fault >"$tap_said" 2>&1
	built=$?
	result $built "$1: the fault can be planted"
	[ $built -eq 0 ] || return
	boot fault "$1"
	tap_said=$out/log
	check "$1: the planted fault is caught" caught "$1"
	sed 's/^/# /' "$out/caught"
	tap_said=
}

mode=${1:-}
case $mode in
check)
	[ $# -ge 2 ] || usage
	flavour=$2
	shift 2
	;;
planted) shift ;;
*) usage ;;
esac
if [ $# -eq 0 ]; then
	for file in "$here"/*.patch; do
		set -- "$@" "$(basename "$file" .patch)"
	done
fi
for name; do
	[ -f "$here/$name.sh" ] && [ -f "$here/$name.patch" ] || usage "there is no fault '$name'"
done
if [ "$mode" = check ]; then
	check_all "$flavour" "$@"
else
	for name; do
		planted "$name"
	done
fi
done_testing
