# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: at the defaults what dm-multipath hands to the disk below counts as on the stock kernel.  Data
# comes as clones of requests.  A flush comes as a clone without a bio; it counts as a read, since its
# operation is none that writes.
# kernels: all

. "$(dirname "$0")/lib.sh"

disk=$(disk_path det 21)
must multipath_up t29 "$disk"
mpath=$(dm_node t29)
begin
must issue "$mpath" flush:3
counted "flushes" "$mpath:writes=3,flushes=3" "$disk:reads=3"
moves=reads=4,read_sectors=32,writes=2,write_sectors=32
must issue "$mpath" read:"$(part_start 3)"+8x4 write:"$(part_start 5)"+16x2
counted "data" "$mpath:$moves" "$disk:$moves" \
	"$(by_sector "$(part_path det 21 3):reads=4,read_sectors=32")" \
	"$(by_sector "$(part_path det 21 5):writes=2,write_sectors=32")"
must issue "$mpath" write:"$(part_start 5)"+16 flush
delta all "$disk"
must dm_down t29
tap_done 2
