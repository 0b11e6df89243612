# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards against a fault that old kernels had: dm-multipath clones the flush of a flush sequence to the
# disk below, and that clone has no bio to take the partition from; the accounting went through a NULL
# pointer.  fsync() of a multipath device over a disk with a write cache, with all values of part_stats
# below, and the same for data that comes as clones.
#
# The clone counts as a read, on the stock kernel as well: its operation is none that writes.
# kernels: all

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 21)
must dmsetup create t33 --table \
	"0 $DISK_SECTORS multipath 0 0 1 1 round-robin 0 1 1 $disk 1000"
mpath=$(dm_node t33)
file=$(toggle_path part_stats "$disk")
values=1
[ ! -e "$file" ] || values='1 0 2'
start=$(part_start 3)
for value in 1 0 2; do
	case $values in
	*$value*) [ ! -e "$file" ] || echo $value >"$file" ;;
	esac
	begin
	must issue "$mpath" flush:3
	counted "flushes, part_stats=$value" "$mpath:writes=3,flushes=3" "$disk:reads=3"
	must issue "$mpath" read:"$start"+8x4
	moves=reads=4,read_sectors=32
	case "$values $value" in
	'1 0 2 2') counted "reads, part_stats=2: on the partition below, too" "$mpath:$moves" \
		"$disk:$moves" "$(part_path det 21 3):$moves" ;;
	*) counted "reads, part_stats=$value" "$mpath:$moves" "$disk:$moves" ;;
	esac
done
[ ! -e "$file" ] || echo 1 >"$file"
must dmsetup remove t33
tap_done 6
