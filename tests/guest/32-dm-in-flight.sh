# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: iostats of a dm is switched while its I/O is in flight; the end is counted as the start was.
# And suspending a dm waits for its I/O whether that is counted or not: whoever suspends is going to
# change what lies below.
# kernels: patched

. "$(dirname "$0")/lib.sh"

lower=$(disk_path det 25)
for n in 1 2; do
	must linear_up t32$n "$(part_path det 25 $n)" $PART_SECTORS
done
counting=$(dm_node t321)
silent=$(dm_node t322)
must set_toggle iostats 0 "$silent"

# start_slowly SECONDS: three writes to each; fails if they ended before they could be seen
start_slowly()
{
	must scsi_debug_delay $(($1 * HZ))
	issue -a "$counting" write:0+8 write:64+8 write:128+8 &
	workers=$!
	issue -a "$silent" write:0+8 write:64+8 write:128+8 &
	workers="$workers $!"
	wait_until "$1" in_flight_is "$lower" 6
	seen="$(inflight "$counting") $(inflight "$silent")"
	in_flight_is "$lower" 6 && return
	# shellcheck disable=SC2086 # a list
	wait $workers
	must counts rest 0
	return 1
}

# switch SECONDS: with I/O in flight
switch()
{
	start_slowly "$1" || return
	echo 0 >"/sys/block/${counting##*/}/queue/iostats"
	echo 1 >"/sys/block/${silent##*/}/queue/iostats"
	in_flight_is "$lower" 6 && return
	# shellcheck disable=SC2086 # a list
	wait $workers
	echo 1 >"/sys/block/${counting##*/}/queue/iostats"
	echo 0 >"/sys/block/${silent##*/}/queue/iostats"
	must counts rest 0
	return 1
}

begin
try "both are switched with I/O in flight" with_patience switch
is "$seen" '3 0' "which shows where iostats was 1"
# shellcheck disable=SC2086 # a list
wait $workers
wrong=$(counts rest 1)
verdict $? "afterwards nothing is in flight, and nothing moves" "$wrong"
must set_toggle iostats 1 "$counting" "$silent"
try "I/O is in flight again" with_patience start_slowly
is "$seen" '3 3' "and shows exactly"
# shellcheck disable=SC2086 # a list
wait $workers
must counts rest 0

must set_toggle iostats 0 "$silent"
for name in t321 t322; do
	try "I/O is in flight on $name" with_patience start_slowly
	try "$name can be suspended" dmsetup suspend $name
	# That of the other one may go on.
	case $name in
	t321) busy=$(inflight "$(part_path det 25 1)") ;;
	t322) busy=$(inflight "$(part_path det 25 2)") ;;
	esac
	is "$busy" 0 "after its I/O has ended"
	must dmsetup resume $name
	# shellcheck disable=SC2086 # a list
	wait $workers
	must counts rest 0
done
must scsi_debug_delay 0
must set_toggle iostats 1 "$silent"
must dm_down t321
must dm_down t322
tap_done 11
