# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: iostats=0 turns off all accounting of a queue, whatever part_stats says.  Reads, writes,
# discards and flushes of the disk and of a partition move no counter, no time and nothing in flight.
# With iostats=1 they count again.
# kernels: patched

. "$(dirname "$0")/lib.sh"

for set in det real; do
	disk=$(disk_path $set 8)
	part=$(part_path $set 8 5)
	start=$(part_start 5)
	for value in $VALUES; do
		must set_toggle part_stats "$value" "$disk"
		must set_toggle iostats 0 "$disk"
		begin
		must issue "$part" read:0+8x4 write:64+8x4 discard:128+64 flush:2
		counted "$set, iostats=0, part_stats=$value: I/O to a partition moves nothing"
		must issue "$disk" "read:$start+8x4" write:$((start + 64))+8x4 discard:$((start + 128))+64 \
			flush:2
		counted "$set, iostats=0, part_stats=$value: I/O to the disk moves nothing"
		is "$(get_toggle part_stats "$disk")" "$value" \
			"$set, iostats=0, part_stats=$value: part_stats keeps its value"
		must set_toggle iostats 1 "$disk"
		begin
		must issue "$part" read:0+8x4
		moves=reads=4,read_sectors=32
		case $value in
		0) counted "$set, iostats=1, part_stats=0: counts again, on the disk" "$disk:$moves" ;;
		*) counted "$set, iostats=1, part_stats=$value: counts again" "$disk:$moves" \
			"$part:$moves" ;;
		esac
	done
	must set_toggle part_stats 1 "$disk"
done
tap_done $((2 * 4 * NR_VALUES))
