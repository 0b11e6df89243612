# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2, I/O of the whole disk that begins one sector before, at, and one sector
# behind each border of each partition counts where its first sector is.
# kernels: patched

. "$(dirname "$0")/lib.sh"

for set in det real; do
	disk=$(disk_path $set 11)
	must set_toggle part_stats "$MAPPED" "$disk"
	borders "$set: around all borders of 15 partitions" "$disk" $DISK_SECTORS "$(gpt_table)"
	must set_toggle part_stats 1 "$disk"
done
tap_done 2
