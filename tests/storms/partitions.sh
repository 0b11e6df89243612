# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: a request that is counted on a partition which no longer exists, or is freed under it; a
# lookup in a map that is freed; a drain of the queue that waits for ever.
#
# Partitions are added, deleted, resized and read anew, by ioctl and by sfdisk, while I/O to them and to
# their disks is in flight.  part_stats is 2 on half of the disks, where I/O to the disk counts on them.

storm_partitions()
{
	for disk in /sys/block/sd*; do
		lun=$(basename "$(readlink -f "$disk/device")")
		lun=${lun##*:}
		[ $((lun % 2)) -eq 0 ] || [ ! -e "$disk/queue/part_stats" ] ||
			echo 2 >"$disk/queue/part_stats"
	done
	# shellcheck disable=SC2046,SC2086 # lists
	in_background partitions storm partitions -t "$DURATION" -s "$SEED" -j 3 -R @/adapter \
		$(real_disks $FIO_WHOLE)
	# shellcheck disable=SC2046,SC2086
	in_background partitions-exact storm partitions -t "$DURATION" -s "$SEED" -j 2 -p 6-15 \
		$(real_disks $FIO_EXACT $FIO_PARTS)
	in_background partitions-sfdisk sfdisk_rereads
	in_background partitions-io storm io -w -t "$DURATION" -s "$SEED" -j 3 @/adapter
}

# sfdisk_rereads: sfdisk writes a table, the same as ever, and has the kernel read it
sfdisk_rereads()
{
	rereads=0 refusals=0
	end=$(($(cut -d . -f 1 /proc/uptime) + DURATION))
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
		# shellcheck disable=SC2086 # a list
		for disk in $(real_disks $FIO_WHOLE); do
			if sfdisk -q --force "$disk" </lib/gpt.sfdisk >/tmp/sfdisk 2>&1; then
				rereads=$((rereads + 1))
			elif grep -qi 'busy' /tmp/sfdisk; then
				refusals=$((refusals + 1))
			else
				cat /tmp/sfdisk
				return 1
			fi
			sleep 0.1
		done
	done
	echo "sfdisk=$rereads sfdisk_busy=$refusals"
}
