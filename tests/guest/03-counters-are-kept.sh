# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: with part_stats=0 the counters of a partition stand still and are not reset; back at 1 they
# go on from where they stood.
# kernels: patched

. "$(dirname "$0")/lib.sh"

FIELDS='reads read_sectors read_ms writes write_sectors write_ms io_ms weighted_ms'

for set in det real; do
	disk=$(disk_path $set 9)
	part=$(part_path $set 9 15)
	must issue "$part" read:0+8x20 write:0+16x20
	must counts rest 0
	# shellcheck disable=SC2086 # a list
	kept=$(stat_of "$part" $FIELDS)
	reads=$(stat_of "$part" reads)
	try "$set: there is something to be kept: $kept" [ "$reads" -ge 20 ]
	must set_toggle part_stats 0 "$disk"
	# shellcheck disable=SC2086
	is "$(stat_of "$part" $FIELDS)" "$kept" "$set: the switch to 0 leaves the counters alone"
	must issue "$part" read:0+8x20 write:0+16x20
	must issue "$disk" read:0+8x20
	must counts rest 0
	# shellcheck disable=SC2086
	is "$(stat_of "$part" $FIELDS)" "$kept" "$set: with 0 they stand still"
	must set_toggle part_stats 1 "$disk"
	# shellcheck disable=SC2086
	is "$(stat_of "$part" $FIELDS)" "$kept" "$set: the switch to 1 leaves them alone"
	must issue "$part" read:0+8x3
	must counts rest 0
	is "$(stat_of "$part" reads)" $((reads + 3)) "$set: with 1 they go on from there"
done
tap_done 10
