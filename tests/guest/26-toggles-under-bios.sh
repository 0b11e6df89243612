# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: iostats and part_stats are switched 200 times each while bio-based I/O is in flight whose end
# sees another setting than its start did (zram; the partitions of an md, and the whole of it; dm).
# Afterwards nothing is left in flight, no time goes on in idle devices, and what is put in flight then
# shows as just that: a count that was once too low would show only there, since the kernel shows
# what is below 0 as 0.
# kernels: patched

. "$(dirname "$0")/lib.sh"

FLIPS=200
lower=$(disk_path det 29)

must mirror_up 26 "$(part_path det 29 1)" "$(part_path det 29 2)" 4096
must addpart /dev/md26 1 1024 2048
must addpart /dev/md26 2 3072 2048
must linear_up t26 "$(part_path det 29 3)" 8192
linear=$(dm_node t26)
must zram_up 8
disks="/dev/md26 $linear /dev/zram0"

# Long enough to be in flight while a toggle is written.
must scsi_debug_delay 1
workers=
for work in '/dev/md26p1 read:0+8x4 write:64+8x4' '/dev/md26p2 write:0+8x4 read:64+8x4' \
	'/dev/md26 read:3072+8x4 write:6000+8x4' "$linear read:0+8x4 write:64+8x4" \
	'/dev/zram0 write:0+8x16 read:0+8x16'; do
	# shellcheck disable=SC2086 # words
	issue -f $work >>/tmp/rounds &
	workers="$workers $!"
done
# flip DISK: both toggles, all pairs of them
flip()
{
	queue=/sys/block/${1#/dev/}/queue
	flips=0
	while [ $flips -lt $FLIPS ]; do
		echo $((flips / 2 % 2)) >"$queue/iostats"
		echo $((flips % 2)) >"$queue/part_stats"
		flips=$((flips + 1))
	done
}
flippers=
for disk in $disks; do
	flip "$disk" &
	flippers="$flippers $!"
done
# shellcheck disable=SC2086 # a list
wait $flippers
# shellcheck disable=SC2086 # a list
kill $workers
failed=
for worker in $workers; do
	wait "$worker" || failed="$failed $worker"
done
is "$failed" '' "no I/O failed"
is "$(grep -c '^[1-9]' /tmp/rounds)" 5 "all have worked ($(tr '\n' ' ' </tmp/rounds)rounds)"
# shellcheck disable=SC2086 # a list
must set_toggle iostats 1 $disks
# shellcheck disable=SC2086
must set_toggle part_stats 1 $disks
wrong=$(counts rest 3)
verdict $? "nothing is in flight, and for 3 s nothing moves" "$wrong"

# in_flight SECONDS: fails if the I/O ended before it could be seen
in_flight()
{
	must scsi_debug_delay $(($1 * HZ))
	issue -a /dev/md26p1 write:0+8 write:64+8 write:128+8 &
	workers=$!
	issue -a /dev/md26p2 write:0+8 write:64+8 &
	workers="$workers $!"
	issue -a /dev/md26 write:6000+8 write:6064+8 write:6128+8 write:6192+8 &
	workers="$workers $!"
	issue -a "$linear" write:0+8 write:64+8 write:128+8 write:192+8 write:256+8 &
	workers="$workers $!"
	# Each write to the md is two to the disk below.
	wait_until "$1" in_flight_is "$lower" 23
	seen=
	for dev in /dev/md26p1 /dev/md26p2 /dev/md26 "$linear"; do
		seen="$seen $(inflight "$dev")"
	done
	in_flight_is "$lower" 23 && return
	# shellcheck disable=SC2086 # a list
	wait $workers
	must counts rest 0
	return 1
}
try "I/O is in flight again" with_patience in_flight
# The md of 5.10 counts bios when it gets them, and none in flight.
case $BY_SECTOR in
0) shown=' 3 2 4 5' ;;
1) shown=' 0 0 0 5' ;;
esac
is "$seen" "$shown" "and as much is shown: on both partitions, on the md, on the dm"
# shellcheck disable=SC2086 # a list
wait $workers
must counts rest 0
must scsi_debug_delay 0
must zram_down
must dm_down t26
must mirror_down 26
tap_done 5
