# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: bios that are merged into a request count as merges, on the device that the request counts
# on; the request counts once, with all its sectors.  That holds for those merged behind it and before
# it, for all values of part_stats, and across the border of two partitions.
# kernels: patched

. "$(dirname "$0")/lib.sh"

for set in det real; do
	disk=$(disk_path $set 13)
	part=$(part_path $set 13 4)
	start=$(part_start 4)
	for value in $VALUES; do
		must set_toggle part_stats "$value" "$disk"

		moves=reads=1,read_merges=7,read_sectors=64
		moves=$moves,writes=1,write_merges=3,write_sectors=32
		begin
		must issue -a "$part" read:16+8x8
		must issue -a "$part" write:512+8x4
		case $value in
		0) counted "$set, part_stats=0: to a partition, on the disk only" "$disk:$moves" ;;
		*) counted "$set, part_stats=$value: to a partition" "$disk:$moves" "$part:$moves" ;;
		esac

		must issue -a "$disk" read:$((start + 16))+8x8
		must issue -a "$disk" write:$((start + 512))+8x4
		case $value in
		"$MAPPED") counted "$set, part_stats=$value: to the disk, on the partition, too" "$disk:$moves" \
			"$part:$moves" ;;
		*) counted "$set, part_stats=$value: to the disk" "$disk:$moves" ;;
		esac

		moves=reads=1,read_merges=3,read_sectors=32
		must issue -a "$disk" read:$((start + 40))+8 read:$((start + 32))+8 \
			read:$((start + 24))+8 read:$((start + 16))+8
		case $value in
		"$MAPPED") counted "$set, part_stats=$value: the last comes first" "$disk:$moves" "$part:$moves" ;;
		*) counted "$set, part_stats=$value: the last comes first" "$disk:$moves" ;;
		esac
	done

	# I/O of the disk counts on partitions now.
	next=$(part_start 5)
	moves=reads=1,read_merges=5,read_sectors=48
	begin
	must issue -a "$disk" read:$((next - 24))+8x6
	counted "$set: across a border, merged behind" "$disk:$moves" "$part:$moves"

	echo 2 >"/sys/block/$(kname "$disk")/queue/nomerges"
	must issue -a "$disk" read:$((next - 24))+8x6
	counted "$set: the same without merging" "$disk:reads=6,read_sectors=48" \
		"$part:reads=3,read_sectors=24" "$(part_path $set 13 5):reads=3,read_sectors=24"
	echo 0 >"/sys/block/$(kname "$disk")/queue/nomerges"
	must set_toggle part_stats 1 "$disk"
done
tap_done $((2 * (3 * NR_VALUES + 2)))
