#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Boot a kernel, run the test files of this directory that are meant for it, and print their results
# as one TAP stream.
# usage: tests/guest/boot.sh stock|patched [NAME...]      (without NAME: all; NAME as in 01-table)
#
# A test file says by a line "# kernels: all", "# kernels: patched" or "# kernels: patched, not 5.10: WHY"
# where it holds; on a stock kernel there is no part_stats.  What the tests leave in
# build/tests/guest/KERNEL/FLAVOUR/results/facts is compared by same.t.
#
# Whatever does not come to its end is a failure: a guest that does not boot, a complaint of the
# kernel, a test file without results, with too few, or with an exit status other than 0.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
cd "$top" || exit 1
. tests/tap.sh
build=${B:-build}
flavour=${1:-}
case $flavour in
stock | patched) shift ;;
*)
	echo "usage: tests/guest/boot.sh stock|patched [NAME...]" >&2
	exit 2
	;;
esac
version=${KERNEL:-6.12}
kernel=${GUEST_KERNEL:-$build/kernel/$version/$flavour/obj/arch/x86/boot/bzImage}
out=$build/tests/guest/$version/$flavour

# meant_for FILE: does it hold on this kernel?
meant_for()
{
	case $(sed -n 's/^# kernels: //p' "$1") in
	all) return 0 ;;
	patched) [ "$flavour" = patched ] ;;
	'patched, not 5.10: '*) [ "$flavour" = patched ] && [ "$version" != 5.10 ] ;;
	*)
		echo "$1: no line '# kernels: all', '# kernels: patched' or '# kernels: patched, not 5.10: WHY'" >&2
		exit 2
		;;
	esac
}

# results NAME: the results of one test file
results()
{
	dir=$out/results/tap
	tap_said=$dir/$1.stderr whole=0
	take "$dir/$1.tap" "$1: " || whole=1
	take "$dir/$1.after" "$1: " || whole=1
	# A test that failed has said so by then.
	grep -q '^not ok' "$dir/$1.tap" 2>/dev/null ||
		[ "$(cat "$dir/$1.status" 2>/dev/null)" = 0 ] || whole=1
	result $whole "$1: came to its end"
	tap_said=
}

if [ $# -eq 0 ]; then
	for file in "$here"/[0-9]*.sh; do
		! meant_for "$file" || set -- "$@" "$(basename "$file" .sh)"
	done
fi

rm -rf "$out"
mkdir -p "$out/tests"
for name; do
	cp "$here/$name.sh" "$out/tests/" || exit 2
done
cp "$here/lib.sh" "$build/tests/guest/issue" "$build/tests/guest/counts" "$out/tests/" || exit 2
for program in addpart delpart resizepart; do
	cp "$(PATH=$PATH:/usr/sbin command -v $program)" "$out/tests/" || exit 2
done

# Progress is for whoever waits: not a part of the TAP.
# lbpu: LUNs that take discards.  The stall timeout: a CPU of the guest may have to wait long for one of
# a busy host; a CPU that is really stuck is still found before the time limit.
"$top/guest/run" --kernel "$kernel" --plan "$here/plan.sh" --dev both --out "$out" \
	--timeout 1200 --silence 180 \
	--append 'scsi_debug.lbpu=1 rcupdate.rcu_cpu_stall_timeout=120' --add "$out/tests" >&2
booted=$?
for name; do
	results "$name"
done
result $booted "$flavour: the guest came to its end, and the kernel had no complaint"
done_testing
