#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Guards: a partition table that lies makes a lookup answer something else than what the kernel has
# made of the table, or read past the end of its map.
# usage: tests/labels/labels.t [FLAVOUR]      (default: patched; RANDOM_LABELS=8 SEED=1)
set -u

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
. tests/tap.sh
build=${B:-build}
flavour=${1:-patched}
version=${KERNEL:-6.12}
kernel=${GUEST_KERNEL:-$build/kernel/$version/$flavour/obj/arch/x86/boot/bzImage}
out=$build/tests/labels/$version/$flavour
rm -rf "$out"
mkdir -p "$out/payload" || exit 2
random=${RANDOM_LABELS:-8}
echo "$random" >"$out/payload/random"
echo "${SEED:-1}" >"$out/payload/seed"
guest/run --kernel "$kernel" --plan "$here/plan.sh" --dev virtio --out "$out" \
	--timeout $((500 + 20 * random)) --add "$out/payload/random" --add "$out/payload/seed" \
	--add "$build/tests/labels/label" >&2
status=$?
take "$out/results/tap" || status=1
result $status "$flavour: the guest came to its end, and the kernel had no complaint"
done_testing
