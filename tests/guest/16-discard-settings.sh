# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: discards with part_stats 0 and 2 count on partitions as reads and writes do.
# kernels: patched

. "$(dirname "$0")/lib.sh"

for set in det real; do
	disk=$(disk_path $set 19)
	part=$(part_path $set 19 7)
	start=$(part_start 7)
	moves=discards=2,discard_sectors=192
	must set_toggle part_stats 0 "$disk"
	begin
	must issue "$part" discard:0+64 discard:512+128
	counted "$set, part_stats=0: of a partition" "$disk:$moves"
	must set_toggle part_stats "$MAPPED" "$disk"
	begin
	must issue "$part" discard:0+64 discard:512+128
	counted "$set, part_stats=$MAPPED: of a partition" "$disk:$moves" "$part:$moves"
	must issue "$disk" discard:"$start"+64 discard:$((start + 512))+128
	counted "$set, part_stats=$MAPPED: of the disk" "$disk:$moves" "$part:$moves"
	must set_toggle part_stats 1 "$disk"
done
tap_done 6
