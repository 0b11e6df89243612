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
count=0

tap()
{
	count=$((count + 1))
	echo "$1 $count - $2"
}

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

# results NAME: the results of one test file, numbered anew
results()
{
	dir=$out/results/tap
	for part in tap after; do
		if [ ! -f "$dir/$1.$part" ]; then
			tap 'not ok' "$1: has left $1.$part"
			continue
		fi
		while IFS= read -r line; do
			case $line in
			'ok '* | 'not ok '*) tap "${line%% [0-9]*}" "$1: ${line#* - }" ;;
			'#'*) echo "$line" ;;
			esac
		done <"$dir/$1.$part"
	done
	planned=$(sed -n 's/^1\.\.//p' "$dir/$1.tap" 2>/dev/null)
	done=$(grep -c -e '^ok' -e '^not ok' "$dir/$1.tap" 2>/dev/null)
	status=$(cat "$dir/$1.status" 2>/dev/null)
	if [ "$planned" != "$done" ] || [ "$done" = 0 ]; then
		tap 'not ok' "$1: results: ${planned:-no} planned, ${done:-0} there"
		sed 's/^/# /' "$dir/$1.stderr" 2>/dev/null | tail -n 20
	elif [ "$status" != 0 ] && ! grep -q '^not ok' "$dir/$1.tap"; then
		tap 'not ok' "$1: exit status ${status:-unknown}"
		sed 's/^/# /' "$dir/$1.stderr" 2>/dev/null | tail -n 20
	fi
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

echo 'TAP version 13'
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
if [ $booted -eq 0 ]; then
	tap ok "$flavour: the guest came to its end, and the kernel had no complaint"
else
	tap 'not ok' "$flavour: the guest came to its end, and the kernel had no complaint"
	echo "# guest/run: exit status $booted; see $out/console.log"
fi
echo "1..$count"
