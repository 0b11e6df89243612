# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The fault: a request is counted on a partition that no longer exists, since what lookups search in
# still has it after it was deleted.
#
# Guards: I/O of the whole disk, issued after a partition was deleted, counts on the disk alone, and
# touches nothing of what the partition was.

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 14)
start=$(part_start 7)

must set_toggle part_stats "$MAPPED" "$disk"
must delpart "$disk" 7
# Time for what is freed to be freed.
sleep 1
begin
must issue "$disk" read:$((start + 8))+8x64
counted "where a partition was, I/O counts on the disk alone" "$disk:reads=64,read_sectors=512"
must addpart "$disk" 7 "$start" $PART_SECTORS
part=$(node "$disk" 7)
is "$(stat_of "$part" reads read_sectors in_flight)" "0 0 0" "a new one in its place begins at 0"
begin
must issue "$disk" read:$((start + 8))+8x4
counted "and counts" "$disk:reads=4,read_sectors=32" "$part:reads=4,read_sectors=32"
must set_toggle part_stats 1 "$disk"
tap_done 3
