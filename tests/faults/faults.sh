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
build=${B:-build}
version=${KERNEL:-6.12}
count=0

usage()
{
	[ $# -eq 0 ] || echo "faults.sh: $*" >&2
	echo "usage: faults.sh check FLAVOUR [NAME...] | faults.sh planted [NAME...]" >&2
	exit 2
}

tap()
{
	count=$((count + 1))
	echo "$1 $count - $2"
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

# plantable NAME...: the patches, which only `planted' puts into a kernel, still fit the series
plantable()
{
	[ "$version" = 6.12 ] || return 0
	for name; do
		if patch --dry-run -s -f -p1 -F0 -d "$build/kernel/$version/$flavour/src" \
			<"$here/$name.patch" >"$out/planted" 2>&1; then
			tap ok "$name: the fault can be planted"
		else
			tap 'not ok' "$name: the fault can be planted"
			sed 's/^/# /' "$out/planted"
		fi
	done
}

check()
{
	boot "$@"
	flavour=$1
	shift
	for name; do
		if [ -z "$(failures "$name")" ]; then
			tap ok "$name: $(grep -c '^ok' "$out/results/tap/$name.tap") checks"
		else
			tap 'not ok' "$name"
			failures "$name" | sed 's/^/# /'
			tail -n 5 "$out/results/tap/$name.stderr" 2>/dev/null | sed 's/^/# /'
		fi
	done
	if [ $status -eq 0 ]; then
		tap ok "$flavour: the kernel had no complaint"
	else
		tap 'not ok' "$flavour: the kernel had no complaint"
		tail -n 40 "$out/log" | sed 's/^/# /'
	fi
	plantable "$@"
}

planted()
{
	name=$1
	if ! FAULT=$here/$name.patch kernel/build.sh "$version" fault >&2; then
		tap 'not ok' "$name: the fault can be planted"
		return
	fi
	boot fault "$name"
	says=$(sed -n 's/^Says: //p' "$here/$name.patch")
	if [ -z "$(failures "$name")" ] && [ $status -eq 0 ]; then
		tap 'not ok' "$name: nobody notices the planted fault"
	elif { failures "$name"; cat "$out/log"; } | grep -q -E -e "$says"; then
		tap ok "$name: the planted fault is caught"
		{ failures "$name"; cat "$out/log"; } | grep -E -e "$says" | head -n 3 | sed 's/^/# /'
	else
		tap 'not ok' "$name: the planted fault is caught, by words such as '$says'"
		{ failures "$name"; tail -n 20 "$out/log"; } | sed 's/^/# /'
	fi
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
echo 'TAP version 13'
if [ "$mode" = check ]; then
	check "$flavour" "$@"
else
	for name; do
		planted "$name"
	done
fi
echo "1..$count"
