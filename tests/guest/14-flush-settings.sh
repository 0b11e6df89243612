# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: flushes with part_stats 0 and 2 (5.10: 1).  With 0 nothing of them counts on the partition;
# with 2 a flush of the disk counts on no partition, since it has no sector, and the data of a
# synchronous write does on the one it is written to.  13-flush says what counts.
# kernels: patched

. "$(dirname "$0")/lib.sh"

for set in det real; do
	disk=$(disk_path $set 17)
	part=$(part_path $set 17 6)
	start=$(part_start 6)
	flushes=$((2 - $(cat "/sys/block/$(kname "$disk")/queue/fua")))
	must set_toggle part_stats 0 "$disk"
	begin
	must issue "$part" flush:5
	counted "$set, part_stats=0: fsync of a partition" "$disk:writes=5,flushes=5"
	must issue -s "$part" write:0+8x4
	counted "$set, part_stats=0: synchronous writes to a partition" \
		"$disk:writes=8,write_sectors=32,flushes=$((4 * flushes))"

	must set_toggle part_stats "$MAPPED" "$disk"
	begin
	must issue "$disk" flush:3
	counted "$set, part_stats=$MAPPED: fsync of the disk" "$disk:writes=3,flushes=3"
	must issue "$part" flush:5
	counted "$set, part_stats=$MAPPED: fsync of a partition" "$disk:writes=5,flushes=5" \
		"$(issued "$part:writes=5")"
	must issue -s "$disk" write:"$start"+8x2
	counted "$set, part_stats=$MAPPED: synchronous writes to the disk" \
		"$disk:writes=4,write_sectors=16,flushes=$((2 * flushes))" \
		"$part:writes=2,write_sectors=16"
	must set_toggle part_stats 1 "$disk"
done
tap_done 10
