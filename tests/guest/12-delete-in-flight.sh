# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2, a partition is deleted while I/O of the whole disk is in flight that counts on
# it.  The deletion waits for that I/O, which holds no reference to the partition; no I/O is lost, all
# count on the disk, and I/O after the deletion counts on it alone.
# kernels: patched

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 15)
part=$(node "$disk" 4)
start=$(part_start 4)

# start_slowly SECONDS: fails if the I/O ended before it could be seen
start_slowly()
{
	must scsi_debug_delay $(($1 * HZ))
	reads=$(stat_of "$disk" reads) writes=$(stat_of "$disk" writes)
	issue -a "$disk" read:$((start + 64))+8 read:$((start + 128))+8 read:$((start - 64))+8 &
	reader=$!
	issue "$disk" write:$((start + 256))+8 &
	writer=$!
	wait_until "$1" in_flight_is "$disk" 4
	seen="$(inflight "$disk") $(inflight "$part")"
	in_flight_is "$disk" 4 && return
	wait "$reader" "$writer"
	must counts rest 0
	return 1
}

must set_toggle part_stats "$MAPPED" "$disk"
try "four I/Os of the disk are in flight, three of them to the partition" \
	with_patience start_slowly
is "$seen" '4 3' "which is what disk and partition show"
must delpart "$disk" 4
is "$(inflight "$disk")" 0 "once it is deleted, none is in flight"
try "the readers got their data" wait "$reader"
try "the writer is done" wait "$writer"
is "$(stat_of "$disk" reads writes)" "$((reads + 3)) $((writes + 1))" "all count on the disk"
try "the partition is gone" [ ! -e "$part" ]
must scsi_debug_delay 0

begin
must issue "$disk" read:$((start + 64))+8x4
counted "where it was, I/O counts on the disk alone" "$disk:reads=4,read_sectors=32"
must addpart "$disk" 4 "$start" $PART_SECTORS
is "$(stat_of "$part" reads writes in_flight)" "0 0 0" "a new one begins at 0"
begin
must issue "$disk" read:$((start + 64))+8x4
counted "and counts" "$disk:reads=4,read_sectors=32" "$part:reads=4,read_sectors=32"
must set_toggle part_stats 1 "$disk"
tap_done 10
