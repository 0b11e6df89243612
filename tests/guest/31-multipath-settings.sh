# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: what dm-multipath hands to a disk with part_stats 0 or 2.  With 2 data counts on the partition,
# too; a flush, which comes without a bio to take a partition from, does not.  29-multipath says what
# counts.
# kernels: patched

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 21)
part=$(part_path det 21 3)
must multipath_up t31 "$disk"
mpath=$(dm_node t31)
moves=reads=4,read_sectors=32,writes=2,write_sectors=32
for value in 0 $MAPPED; do
	must set_toggle part_stats "$value" "$disk"
	begin
	must issue "$mpath" flush:3
	counted "flushes, part_stats=$value" "$mpath:writes=3,flushes=3" "$disk:reads=3"
	must issue "$mpath" read:"$(part_start 3)"+8x4 write:"$(part_start 3)"+16x2
	case $value in
	0) counted "data, part_stats=0" "$mpath:$moves" "$disk:$moves" ;;
	*) counted "data, part_stats=$value" "$mpath:$moves" "$disk:$moves" "$part:$moves" ;;
	esac
done
must set_toggle part_stats 1 "$disk"
must dm_down t31
tap_done 4
