# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2, I/O of the whole disk into sectors of no partition: before the first one,
# between two, behind the last one.  It counts on the disk and on no partition.
# kernels: patched

. "$(dirname "$0")/lib.sh"

# gap SECTOR WHERE: of GAP_SECTORS sectors
gap()
{
	begin
	must issue "$disk" read:"$1"+8x3 write:$(($1 + 100))+16x2 read:$(($1 + GAP_SECTORS - 8))+8
	counted "$set: $2" "$disk:reads=4,read_sectors=32,writes=2,write_sectors=32"
}

for set in det real; do
	disk=$(disk_path $set 10)
	must set_toggle part_stats "$MAPPED" "$disk"
	begin
	# The label is not written to.
	must issue "$disk" read:0+8x4 read:$((GAP_SECTORS - 8))+8
	must issue "$disk" write:$((GAP_SECTORS - 16))+16
	counted "$set: before the first partition" \
		"$disk:reads=5,read_sectors=40,writes=1,write_sectors=16"
	gap $(($(part_start 5) + PART_SECTORS)) "between 5 and 6"
	gap $(($(part_start 10) + PART_SECTORS)) "between 10 and 11"
	begin
	end=$(($(part_start 15) + PART_SECTORS))
	must issue "$disk" read:$end+8 write:$((end + 8))+8x2 read:$((DISK_SECTORS - 1))+1
	counted "$set: behind the last partition" \
		"$disk:reads=2,read_sectors=9,writes=2,write_sectors=16"
	must set_toggle part_stats 1 "$disk"
done
tap_done 8
