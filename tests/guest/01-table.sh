# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: each row of the table of part_stats.  I/O of known number and size, to a partition and to
# the whole disk, reads and writes, moves the counters of the disk always, those of the partition as
# the value says, and no others.
# kernels: patched

. "$(dirname "$0")/lib.sh"

# row SET PART_STATS: $disk and $part are set
row()
{
	is "$(get_toggle part_stats "$disk")" "$2" "$1, part_stats=$2: shows $2"
	begin

	moves=reads=5,read_sectors=40
	issue "$part" read:0+8x5
	case $2 in
	0) counted "$1, part_stats=$2: reads of a partition count on the disk only" "$disk:$moves" ;;
	*) counted "$1, part_stats=$2: reads of a partition count on it and the disk" \
		"$disk:$moves" "$part:$moves" ;;
	esac

	moves=writes=3,write_sectors=48
	issue "$part" write:100+16x3
	case $2 in
	0) counted "$1, part_stats=$2: writes to a partition count on the disk only" "$disk:$moves" ;;
	*) counted "$1, part_stats=$2: writes to a partition count on it and the disk" \
		"$disk:$moves" "$part:$moves" ;;
	esac

	moves=reads=7,read_sectors=28
	issue "$disk" read:$((start + 200))+4x7
	case $2 in
	"$MAPPED") counted "$1, part_stats=$2: reads of the disk count on the partition, too" \
		"$disk:$moves" "$part:$moves" ;;
	*) counted "$1, part_stats=$2: reads of the disk count on it only" "$disk:$moves" ;;
	esac

	moves=writes=2,write_sectors=4
	issue "$disk" write:$((start + 300))+2x2
	case $2 in
	"$MAPPED") counted "$1, part_stats=$2: writes to the disk count on the partition, too" \
		"$disk:$moves" "$part:$moves" ;;
	*) counted "$1, part_stats=$2: writes to the disk count on it only" "$disk:$moves" ;;
	esac
}

for set in det real; do
	disk=$(disk_path $set 7)
	part=$(part_path $set 7 3)
	start=$(part_start 3)
	# What was not written is the default.
	row $set 1
	for value in 0 $MAPPED 1; do
		must set_toggle part_stats "$value" "$disk"
		row $set "$value"
	done
done
tap_done 40
