#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Whoever bisects a kernel stops anywhere in the series: the tree builds without a warning and boots
# after each patch.
set -u

cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

version=${KERNEL:-6.12}
dir=${B:-build}/kernel/$version/bisect
names=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "patches/$version/series")
cat >"$tap_tmp/plan" <<'END'
. /lib/partstats.sh
[ "$(all_parts det | wc -l)" -eq 450 ] || die "not all partitions came up"
dd if="$(part_path det 0 1)" of=/dev/null bs=4k count=8 iflag=direct 2>/dev/null || die "cannot read"
at_rest || die "requests in flight"
END

builds()
{
	PATCHES=$1 kernel/build.sh "$version" bisect || return 1
	! grep -E 'warning:' "$dir/build.log"
}

boots()
{
	guest/run --kernel "$dir/obj/arch/x86/boot/bzImage" --plan "$tap_tmp/plan" \
		--out "$tap_tmp/out" --dev scsi_debug --timeout 300
}

n=0
for name in $names; do
	n=$((n + 1))
	check "builds after $name" builds $n
	check "boots after $name" boots
done

done_testing
