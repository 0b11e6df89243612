# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The fault: an idle device shows a utilisation of 100 %: what was counted as in flight on a partition
# was taken back from the disk, so that the partition is busy for ever after.
#
# Guards: part_stats is switched while an I/O to a partition is in flight, on a disk that is not drained
# when a setting is written; at rest io_ticks of partition and disk stand still, and neither jumps
# with the next I/O.  Such a disk is md, or on 5.10 any with requests; its md counts no time.

. "$(dirname "$0")/lib.sh"

first=$(part_path det 11 1)
second=$(part_path det 11 2)
case $BY_SECTOR in
0)
	must mirror_up 79 "$first" "$second" 4096
	disk=/dev/md79
	must addpart $disk 1 1024 4096
	part=${disk}p1
	;;
1)
	disk=$(disk_path det 11)
	part=$first
	;;
esac

# switched FROM TO: part_stats goes from one to the other while one I/O is in flight
switched()
{
	must set_toggle part_stats "$1" "$disk"
	must scsi_debug_delay $((2 * HZ))
	issue "$part" read:8+8 &
	reader=$!
	wait_until 2 in_flight_is "$(disk_path det 11)" 1
	must set_toggle part_stats "$2" "$disk"
	wait $reader
	must scsi_debug_delay 0
	must set_toggle part_stats 1 "$disk"
}

# idle: io_ticks of both do not move
idle()
{
	before="$(stat_of "$part" io_ms) $(stat_of "$disk" io_ms)"
	sleep 2
	[ "$before" = "$(stat_of "$part" io_ms) $(stat_of "$disk" io_ms)" ]
}

# no_jump: an I/O after 3 s of rest does not add the rest to io_ticks
no_jump()
{
	busy=$(stat_of "$1" io_ms)
	sleep 3
	issue "$1" read:8+8
	[ $(($(stat_of "$1" io_ms) - busy)) -lt 3000 ]
}

for way in '1 0' '0 1'; do
	# shellcheck disable=SC2086 # two values
	switched $way
	is "$(inflight "$part") $(inflight "$disk")" "0 0" "part_stats $way: none is left in flight"
	try "part_stats $way: io_ticks stand still" idle
	try "part_stats $way: the partition was not busy while it was at rest" no_jump "$part"
	try "part_stats $way: nor was the disk" no_jump "$disk"
done
if [ $BY_SECTOR -eq 0 ]; then
	must delpart "$disk" 1
	must mirror_down 79
fi
tap_done 8
