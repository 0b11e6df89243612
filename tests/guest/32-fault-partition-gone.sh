# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards against two faults that old kernels had: a request kept a pointer, from a cache of the last
# partition found, to one that was being freed, and a request was counted on a partition that no longer
# exists.
#
# With part_stats=2, partitions are deleted and added elsewhere under I/O of the whole disk that counts
# on them.  No I/O is lost, all of them count on the disk, what is left counts as it should, and a
# partition that takes the number of a former one inherits nothing.
# kernels: patched

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 26)
start=$(part_start 2)
name=$(node "$disk" '')

must set_toggle part_stats 2 "$disk"
must counts rest 0
reads=$(stat_of "$disk" reads) sectors=$(stat_of "$disk" read_sectors)
must scsi_debug_delay 1
workers=
for work in "read:$start+8x10" "read:$((start + 4096))+8x10" "read:$((start + 8190))+8x10"; do
	# shellcheck disable=SC2086 # words
	issue -f "$disk" $work >>/tmp/rounds32 &
	workers="$workers $!"
done
changes=0 failed=
while [ $changes -lt 100 ]; do
	delpart "$disk" 2 || failed="$failed del $changes"
	addpart "$disk" 2 $((start + changes * 32)) 4096 || failed="$failed add $changes"
	[ $((changes % 10)) -ne 9 ] || {
		delpart "$disk" 3 || failed="$failed del3 $changes"
		addpart "$disk" 3 "$(part_start 3)" $PART_SECTORS || failed="$failed add3 $changes"
	}
	changes=$((changes + 1))
done
# shellcheck disable=SC2086 # a list
kill $workers
for worker in $workers; do
	wait "$worker" || failed="$failed $worker"
done
must scsi_debug_delay 0
must counts rest 0
is "$failed" '' "no change and no I/O has failed"
rounds=0
while read -r n; do
	rounds=$((rounds + n))
done </tmp/rounds32
is "$(stat_of "$disk" reads read_sectors)" \
	"$((reads + rounds * 10)) $((sectors + rounds * 80))" \
	"the disk has counted all I/O: $rounds rounds of 10, $changes changes"

must delpart "$disk" 2
begin
must issue "$disk" read:$((start + 64))+8x5
counted "the place of a former partition counts on the disk alone" "$disk:reads=5,read_sectors=40"
must addpart "$disk" 2 "$start" $PART_SECTORS
# shellcheck disable=SC2046 # words
is "$(set -- $(stat_of "${name}2"); echo "$*" | sed 's/[a-z_]*=0//g' | tr -d ' ')" '' \
	"a new partition begins with all counters at 0"
borders "and all is as it was" "$disk" $DISK_SECTORS "$(gpt_table)"
must set_toggle part_stats 1 "$disk"
tap_done 5
