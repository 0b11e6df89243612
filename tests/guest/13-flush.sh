# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: at the defaults flushes count as on the stock kernel.  A flush counts on the disk; the empty
# request that asked for it counts as a write of no sectors where it was issued, or on the disk where
# sectors decide: it has none.
#
# A synchronous write is two requests: the data, and an empty one like that of fsync().  Where the
# device cannot write through its cache, the data takes a flush of its own.
# kernels: all

. "$(dirname "$0")/lib.sh"

must null_disk cached 64 cache_size=4
must label /dev/cached 'label: gpt
start=2048, size=8192'
for name in det real cached; do
	case $name in
	cached) disk=/dev/cached part=$(node /dev/cached 1) ;;
	*) disk=$(disk_path $name 16) part=$(part_path $name 16 6) ;;
	esac
	flushes=$((2 - $(cat "/sys/block/$(kname "$disk")/queue/fua")))
	begin
	must issue "$disk" flush:3
	counted "$name: fsync of the disk" "$disk:writes=3,flushes=3"
	must issue "$part" flush:5
	counted "$name: fsync of a partition" "$disk:writes=5,flushes=5" "$(issued "$part:writes=5")"
	must issue -s "$disk" write:64+8x2
	counted "$name: synchronous writes to the disk" \
		"$disk:writes=4,write_sectors=16,flushes=$((2 * flushes))"
	must issue -s "$part" write:0+8x4
	counted "$name: synchronous writes to a partition" \
		"$disk:writes=8,write_sectors=32,flushes=$((4 * flushes))" \
		"$part:writes=$((8 - 4 * BY_SECTOR)),write_sectors=32"
	must issue "$part" write:0+8 flush:2
	delta "$name" "$disk" "$part"
done
must null_gone cached
tap_done 12
