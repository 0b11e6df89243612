# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards against a fault that old kernels had: the utilisation of an idle disk stuck at 100 %.  A
# request was counted into flight on one device and out of flight on another, because the settings had
# changed in between; io_ticks of the first then went on for ever.
#
# Both toggles are switched 200 times each under requests to a partition and to the whole disk.
# Afterwards the times stand still, and what is then put in flight shows exactly.
# kernels: patched

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 25)
queue=/sys/block/$(kname "$disk")/queue
part=$(part_path det 25 8)
start=$(part_start 8)

must scsi_debug_delay 1
workers=
for work in "$part read:0+8x4 write:64+8x4" "$part write:128+8x4 read:192+8x4" \
	"$disk "read:$start+8x4" write:$((start + 256))+8x4" "$disk read:0+8x4 read:$((start - 4))+8"; do
	# shellcheck disable=SC2086 # words
	issue -f $work >>/tmp/rounds31 &
	workers="$workers $!"
done
# flip TOGGLE VALUES: 200 times
flip()
{
	flips=0
	while [ $flips -lt 200 ]; do
		echo $((flips % $2)) >"$queue/$1"
		flips=$((flips + 1))
	done
}
flip iostats 2 &
flipper=$!
flip part_stats 3
wait "$flipper"
# shellcheck disable=SC2086 # a list
kill $workers
failed=
for worker in $workers; do
	wait "$worker" || failed="$failed $worker"
done
is "$failed" '' "no I/O failed"
is "$(grep -c '^[1-9]' /tmp/rounds31)" 4 "all have worked ($(tr '\n' ' ' </tmp/rounds31)rounds)"
must set_toggle iostats 1 "$disk"
must set_toggle part_stats 1 "$disk"
wrong=$(counts rest 3)
verdict $? "nothing is in flight, and for 3 s nothing moves" "$wrong"

# in_flight SECONDS: fails if the I/O ended before it could be seen
in_flight()
{
	must scsi_debug_delay $(($1 * HZ))
	issue -a "$part" write:0+8 write:64+8 write:128+8 &
	workers=$!
	issue -a "$disk" "write:$start+8" write:$((start + 64))+8 &
	workers="$workers $!"
	wait_until "$1" in_flight_is "$disk" 5
	seen="$(inflight "$part") $(inflight "$disk")"
	in_flight_is "$disk" 5 && return
	# shellcheck disable=SC2086 # a list
	wait $workers
	must counts rest 0
	return 1
}
try "I/O is in flight again" with_patience in_flight
is "$seen" '3 2' "and as much is shown, on the partition and on the disk"
# shellcheck disable=SC2086 # a list
wait $workers
must counts rest 0
must scsi_debug_delay 0
tap_done 5
