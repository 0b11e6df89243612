# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The plan for labels.t: each label on a disk image of 64 MiB and on a null_blk disk of nearly 2^63
# bytes; then check where the kernel counts.

. /lib/partstats.sh

PATH=/payload:$PATH
RANDOM_LABELS=$(cat /payload/random)
SEED=$(cat /payload/seed)

[ -d /sys/kernel/config/nullb ] || mount -t configfs configfs /sys/kernel/config || die "no configfs"
dir=/sys/kernel/config/nullb/psbig
mkdir $dir
echo 8796093022207 >$dir/size
echo 1 >$dir/memory_backed
echo 1 >$dir/power || die "no disk of nearly 2^63 bytes"
# 5.10 gives these disks numbers.
[ -e /dev/psbig ] || ln -s "nullb$(cat $dir/index)" /dev/psbig

# label_is_read CASE DISK SEED
label_is_read()
{
	if said=$(label write "$1" "$2" "$3" 2>&1 && label check "$2" "$3" 2>&1); then
		ok "$1, $4: $said"
	else
		not_ok "$1, $4"
		printf '%s\n' "$said" | head -n 12 | while read -r line; do
			diag "$line"
		done
	fi
}

for case in $(label list); do
	for disk in "$(disk_path real 3)" /dev/psbig; do
		case $disk in
		*psbig) size='2^63 bytes' ;;
		*) size='64 MiB' ;;
		esac
		rounds=1
		case $case in
		*-random) rounds=$RANDOM_LABELS ;;
		esac
		i=0
		while [ $i -lt "$rounds" ]; do
			label_is_read "$case" "$disk" $((SEED + i)) "$size, seed $((SEED + i))"
			i=$((i + 1))
		done
	done
done
at_rest
tap_done
