# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: zram and its iostats.  The stock kernel shows 0 there, and counts whatever is written to it.
# Here it shows 1 at first and counts, 0 stops it, 1 lets it go on.
# kernels: patched

. "$(dirname "$0")/lib.sh"

must zram_up 8
is "$(get_toggle iostats /dev/zram0)" 1 "shows 1"
moves=writes=4,write_sectors=32,reads=6,read_sectors=48
begin
must issue /dev/zram0 write:0+8x4 read:0+8x6
counted "counts" "/dev/zram0:$moves"
must set_toggle iostats 0 /dev/zram0
begin
must issue /dev/zram0 write:0+8x4 read:0+8x6
counted "0 stops it"
must set_toggle iostats 1 /dev/zram0
begin
must issue /dev/zram0 write:0+8x4 read:0+8x6
counted "1 lets it go on" "/dev/zram0:$moves"
must zram_down
tap_done 4
