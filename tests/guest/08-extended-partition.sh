# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2 on a disk with an MBR: primary partitions that are not in the order of the
# disk, and an extended one around logical ones.  The kernel makes the extended one two sectors
# long, enough for a boot loader; here the first logical one begins at the second of them, which
# belongs to the lower number.
# kernels: patched

. "$(dirname "$0")/lib.sh"

disk=/dev/mbr
must null_disk mbr 64
must label "$disk" 'label: dos
1: start=2048, size=8192
2: start=16384, size=65536, type=5
3: start=90000, size=1001
5: start=16385, size=4096
6: start=22000, size=8192
7: start=40000, size=1'
must set_toggle part_stats "$MAPPED" "$disk"
borders "around all borders" "$disk" 131072 \
	'1:2048:8192 2:16384:2 3:90000:1001 5:16385:4096 6:22000:8192 7:40000:1'

begin
must issue "$disk" write:16385+3x2
counted "the second sector of the extended partition, and the fifth" \
	"$disk:writes=2,write_sectors=6" "$(node $disk 2):writes=1,write_sectors=3" \
	"$(node $disk 5):writes=1,write_sectors=3"
must null_gone mbr
tap_done 2
