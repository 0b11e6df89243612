# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: pass-through I/O counts the same for all values of part_stats: on no partition, since it has no
# sector that the kernel knows of, and not on the disk either; 5.10 counts it there.  18-pass-through
# holds the defaults against the stock kernel.
# kernels: patched

. "$(dirname "$0")/lib.sh"

passed()
{
	if [ $BY_SECTOR -eq 0 ]; then
		counted "$set, part_stats=$value: $1"
		return
	fi
	must counts delta "$BEFORE" "$disk" "$part"
	if [ $value -eq 1 ]; then
		cp /tmp/must "/tmp/$1"
		is "$(grep "^$part " /tmp/must | grep '=[1-9]')" '' "$set: $1, nothing on the partition"
	else
		is "$(cat /tmp/must)" "$(cat "/tmp/$1")" "$set, part_stats=$value: $1, as with 1"
	fi
}

for set in det real; do
	# 5.10: the default first, to compare with.
	for value in $((BY_SECTOR ? 1 : 2)) 0; do
		must set_toggle part_stats "$value" "$(disk_path $set 23)"
		pass_through $set 23 2
	done
	must set_toggle part_stats 1 "$(disk_path $set 23)"
done
tap_done 44
