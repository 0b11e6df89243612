# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The fault: up to 5.10 a request held a pointer to the partition that its sector was looked up in,
# and nothing held the partition.  It was deleted and freed while the request was in flight; the
# request then counted in freed memory.  (Old kernels had this by way of the cached last hit.)
#
# Guards: with part_stats=2 (5.10: 1) a partition only goes after the requests of the whole disk have
# ended that count on it.

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 15)
start=$(part_start 4)

# hold SECONDS: I/O of the whole disk in flight on partition 4
hold()
{
	must scsi_debug_delay $(($1 * HZ))
	issue -a "$disk" read:$((start + 64))+8 read:$((start + 128))+8 read:$((start + 256))+8 &
	reader=$!
	wait_until "$1" in_flight_is "$(node "$disk" 4)" 3 && return
	wait $reader
	return 1
}

must set_toggle part_stats "$MAPPED" "$disk"
try "I/O of the disk is in flight on a partition" with_patience hold
must delpart "$disk" 4
is "$(inflight "$disk")" 0 "the partition went after the I/O that counts on it"
try "the I/O has ended well" wait $reader
# Time for what is freed to be freed.
sleep 1
must scsi_debug_delay 0
must addpart "$disk" 4 "$start" $PART_SECTORS
must set_toggle part_stats 1 "$disk"
tap_done 3
