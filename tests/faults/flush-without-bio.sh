# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The fault: dm-multipath clones a flush that the block layer has made for a device with a write cache.
# Such a request has no bio to take the partition from, and was taken to have one.
#
# Guards: with each value of part_stats of the path, a flush of a multipath device works and counts on
# the path's disk.

. "$(dirname "$0")/lib.sh"

path=$(disk_path det 12)
dev=$(cat "/sys/class/block/$(kname "$path")/dev")
must dmsetup create --noudevsync psflush --table \
	"0 $DISK_SECTORS multipath 0 0 1 1 round-robin 0 1 1 $dev 1"
mp=/dev/$(basename "$(dirname "$(dirname "$(grep -lx psflush /sys/block/dm-*/dm/name)")")")
is "$(cat "/sys/block/$(basename "$mp")/queue/write_cache")" "write back" "the device has a write cache"
for value in $VALUES; do
	must set_toggle part_stats "$value" "$path"
	before=$(stat_of "$mp" flushes)
	try "part_stats=$value: writes and flushes of the multipath device" \
		issue "$mp" write:4096+8 flush write:4104+8 flush:4
	is $(($(stat_of "$mp" flushes) - before)) 5 "part_stats=$value: 5 flushes are counted"
done
must set_toggle part_stats 1 "$path"
must dmsetup remove --noudevsync psflush
tap_done $((1 + 2 * NR_VALUES))
