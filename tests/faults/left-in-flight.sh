# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The fault: iostats is switched while an I/O is in flight.  Its start was counted and its end is not,
# and a count in flight stays for ever; or only its end is counted, and there is one too few.
#
# Guards: on a bio-based driver, which is not drained when a setting is written, the end of an I/O is
# counted as its start was.  The driver is one that leaves the remembering to the helpers:
# md raid1, or dm on 5.10, where md counts nothing in flight.

. "$(dirname "$0")/lib.sh"

first=$(part_path det 10 1)
second=$(part_path det 10 2)
case $BY_SECTOR in
0)
	must mirror_up 78 "$first" "$second" 4096
	disk=/dev/md78
	;;
1)
	must linear_up t78 "$first" 4096
	disk=$(dm_node t78)
	;;
esac

# switched FROM TO: iostats goes from one to the other while one I/O is in flight
switched()
{
	must set_toggle iostats "$1" "$disk"
	must scsi_debug_delay $((2 * HZ))
	issue "$disk" read:8+8 &
	reader=$!
	wait_until 2 in_flight_is "$first" 1 || wait_until 2 in_flight_is "$second" 1
	must set_toggle iostats "$2" "$disk"
	wait $reader
	must scsi_debug_delay 0
	must set_toggle iostats 1 "$disk"
}

switched 1 0
is "$(inflight "$disk")" 0 "switched off: none is left in flight"
switched 0 1
is "$(inflight "$disk")" 0 "switched on: none is left in flight"
must scsi_debug_delay $((2 * HZ))
issue "$disk" read:8+8 &
reader=$!
try "one I/O in flight is shown as one" wait_until 2 in_flight_is "$disk" 1
wait $reader
must scsi_debug_delay 0
case $BY_SECTOR in
0) must mirror_down 78 ;;
1) must dm_down t78 ;;
esac
tap_done 3
