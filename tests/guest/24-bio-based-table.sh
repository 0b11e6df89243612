# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: the table of part_stats where the driver counts by itself: the partitions of an md raid1 and
# the whole of it, a dm-linear, and zram.  The disks below an md count nothing here: which of them is
# read from is up to md.
# kernels: patched

. "$(dirname "$0")/lib.sh"

lower="$(disk_path det 27) $(disk_path det 28)"
# shellcheck disable=SC2086 # a list
must set_toggle iostats 0 $lower
must mirror_up 24 "$(part_path det 27 4)" "$(part_path det 28 4)" 4096
must addpart /dev/md24 1 1024 2048
must addpart /dev/md24 2 3072 2048
disk=/dev/md24 part=/dev/md24p2
for value in 1 0 1; do
	must set_toggle part_stats "$value" "$disk"
	begin
	moves=reads=5,read_sectors=40
	must issue "$part" read:0+8x5
	case $value in
	0) counted "md, part_stats=0: reads of a partition count on the disk only" "$disk:$moves" ;;
	1) counted "md, part_stats=1: reads of a partition" "$disk:$moves" "$(issued "$part:$moves")" ;;
	esac
	moves=writes=3,write_sectors=48
	must issue "$part" write:100+16x3
	case $value in
	0) counted "md, part_stats=0: writes to a partition count on the disk only" "$disk:$moves" ;;
	1) counted "md, part_stats=1: writes to a partition" "$disk:$moves" "$(issued "$part:$moves")" ;;
	esac
	must issue "$disk" read:3172+8x2 write:3272+8x3
	counted "md, part_stats=$value: I/O of the whole disk" \
		"$disk:reads=2,read_sectors=16,writes=3,write_sectors=24"
done
must set_toggle iostats 0 "$disk"
begin
must issue "$part" read:0+8x5 write:100+16x3 flush
must issue "$disk" read:0+8x5 write:100+16x3 flush
counted "md, iostats=0: nothing counts"
must mirror_down 24
# shellcheck disable=SC2086 # a list
must set_toggle iostats 1 $lower

lower=$(disk_path det 27) part=$(part_path det 27 5)
must linear_up t24 "$part" 4096
disk=$(dm_node t24)
for value in 0 1; do
	must set_toggle part_stats "$value" "$disk"
	begin
	must issue "$disk" read:0+8x3 write:100+8x2
	moves=reads=3,read_sectors=24,writes=2,write_sectors=16
	counted "dm-linear, part_stats=$value: counts on it, and below" "$disk:$moves" "$part:$moves" \
		"$lower:$moves"
done
must set_toggle part_stats 0 "$lower"
begin
must issue "$disk" read:0+8x3 write:100+8x2
counted "dm-linear over a partition whose disk has part_stats=0" "$disk:$moves" "$lower:$moves"
must set_toggle part_stats 1 "$lower"
must dm_down t24

must zram_up 8
for value in 0 1; do
	must set_toggle part_stats $value /dev/zram0
	begin
	must issue /dev/zram0 write:0+8x4 read:0+8x6
	counted "zram, part_stats=$value" \
		/dev/zram0:writes=4,write_sectors=32,reads=6,read_sectors=48
done
must zram_down
tap_done 15
