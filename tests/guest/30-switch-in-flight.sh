# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: the end of a bio-based I/O is counted as its start was, whatever is set by then.  Unlike a
# queue with requests, one with bios is not drained when a toggle is written.  Each of the four switches
# (iostats and part_stats, on and off) is made with an I/O to a partition of an md in flight.
#
# A count that was once too low is not seen at rest, since the kernel shows what is below 0 as 0; so
# more is then put in flight, and has to show exactly.
# kernels: patched, not 5.10: its md has nothing in flight, 32-dm-in-flight does this there

. "$(dirname "$0")/lib.sh"

lower=$(disk_path det 24)
for n in 1 2 3 4; do
	must mirror_up 30$n "$(part_path det 24 $n)" "$(part_path det 24 $((n + 10)))" 4096
	must addpart /dev/md30$n 1 1024 2048
done
# before, after
must set_toggle iostats 1 /dev/md301
must set_toggle iostats 0 /dev/md302
must set_toggle part_stats 1 /dev/md303
must set_toggle part_stats 0 /dev/md304

# start_slowly SECONDS: fails if the I/O ended before it could be seen
start_slowly()
{
	must scsi_debug_delay $(($1 * HZ))
	workers=
	for n in 1 2 3 4; do
		issue /dev/md30${n}p1 write:0+8 &
		workers="$workers $!"
	done
	wait_until "$1" in_flight_is "$lower" 8
	before=
	for n in 1 2 3 4; do
		before="$before $(inflight /dev/md30$n) $(inflight /dev/md30${n}p1),"
	done
	echo 0 >/sys/block/md301/queue/iostats
	echo 1 >/sys/block/md302/queue/iostats
	echo 0 >/sys/block/md303/queue/part_stats
	echo 1 >/sys/block/md304/queue/part_stats
	in_flight_is "$lower" 8 && return
	# shellcheck disable=SC2086 # a list
	wait $workers
	echo 1 >/sys/block/md301/queue/iostats
	echo 0 >/sys/block/md302/queue/iostats
	echo 1 >/sys/block/md303/queue/part_stats
	echo 0 >/sys/block/md304/queue/part_stats
	must counts rest 0
	return 1
}

# in_flight SECONDS: fails if the I/O ended before it could be seen
in_flight()
{
	must scsi_debug_delay $(($1 * HZ))
	workers=
	for n in 1 2 3 4; do
		issue -a /dev/md30${n}p1 write:0+8 write:64+8 &
		workers="$workers $!"
		issue -a /dev/md30$n write:0+8 write:64+8 write:128+8 &
		workers="$workers $!"
	done
	wait_until "$1" in_flight_is "$lower" 40
	seen=
	for n in 1 2 3 4; do
		seen="$seen $(inflight /dev/md30$n) $(inflight /dev/md30${n}p1),"
	done
	in_flight_is "$lower" 40 && return
	# shellcheck disable=SC2086 # a list
	wait $workers
	must counts rest 0
	return 1
}

begin
try "the switches are made with I/O in flight" with_patience start_slowly
is "$before" ' 0 1, 0 0, 0 1, 1 0,' "which shows as the setting says that it began with"
# shellcheck disable=SC2086 # a list
wait $workers
wrong=$(counts rest 1)
verdict $? "afterwards nothing is in flight, and nothing moves" "$wrong"
must set_toggle iostats 1 /dev/md301 /dev/md302 /dev/md303 /dev/md304
must set_toggle part_stats 1 /dev/md301 /dev/md302 /dev/md303 /dev/md304
try "I/O is in flight again" with_patience in_flight
is "$seen" ' 3 2, 3 2, 3 2, 3 2,' "and shows exactly"
# shellcheck disable=SC2086 # a list
wait $workers
must counts rest 0
must scsi_debug_delay 0
for n in 1 2 3 4; do
	must mirror_down 30$n
done
tap_done 5
