# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: at the defaults a discard counts as on the stock kernel: on the disk, and on the partition
# that it was issued to, with its sectors.
# kernels: all

. "$(dirname "$0")/lib.sh"

must null_disk trim 64 discard=1
must label /dev/trim 'label: gpt
start=2048, size=8192'
for name in det real trim; do
	case $name in
	trim) disk=/dev/trim part=$(node /dev/trim 1) start=2048 ;;
	*) disk=$(disk_path $name 18) part=$(part_path $name 18 7) start=$(part_start 7) ;;
	esac
	begin
	must issue "$part" discard:0+64 discard:512+128
	moves=discards=2,discard_sectors=192
	counted "$name: of a partition" "$disk:$moves" "$part:$moves"
	must issue "$disk" discard:"$start"+64
	counted "$name: of the disk" "$disk:discards=1,discard_sectors=64" \
		"$(by_sector "$part:discards=1,discard_sectors=64")"
done
must null_gone trim
tap_done 6
