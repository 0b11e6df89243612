# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2 on a disk with a Sun label, the third partition of which is the whole disk by
# custom.  The lowest number that holds a sector wins: 1 and 2 over the 3, and that over the 4.
# kernels: patched

. "$(dirname "$0")/lib.sh"

disk=/dev/sun
must null_disk sun 64
must label "$disk" 'label: sun
start=0, size=32130
start=32130, size=16065
start=0, size=128520, type=5
start=64260, size=16065'
must set_toggle part_stats "$MAPPED" "$disk"
borders "around all borders" "$disk" 131072 '1:0:32130 2:32130:16065 3:0:128520 4:64260:16065'

moves=reads=1,read_sectors=8
begin
must issue "$disk" read:100+8 read:40000+8 read:50000+8 read:70000+8
counted "in the middle of each" "$disk:reads=4,read_sectors=32" "$(node $disk 1):$moves" \
	"$(node $disk 2):$moves" "$(node $disk 3):reads=2,read_sectors=16"
must issue "$(node $disk 4)" read:0+8
counted "I/O that is issued to the hidden partition counts on it, or where its sector is" \
	"$disk:$moves" "$(issued "$(node $disk 4):$moves")" "$(by_sector "$(node $disk 3):$moves")"
must null_gone sun
tap_done 3
