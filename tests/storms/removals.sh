# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: a disk that goes, with its partitions, its queue and its map, under I/O and under open
# files.
#
# SCSI devices are deleted and their hosts scanned again; scsi_debug hosts are added and removed.

storm_removals()
{
	echo 2 >"$scsi_debug"/max_luns
	# shellcheck disable=SC2046,SC2086 # lists
	in_background removals storm removals -t "$DURATION" -s "$SEED" -j 2 @/adapter0 \
		$(real_disks $FIO_SPARE)
	in_background hosts add_hosts
	# shellcheck disable=SC2046,SC2086
	in_background removals-toggles storm toggles -t "$DURATION" -s "$SEED" -j 4 @/adapter \
		$(real_disks $FIO_SPARE)
	# shellcheck disable=SC2046,SC2086
	in_background removals-open storm keep -t "$DURATION" -s "$SEED" -j 6 @/adapter \
		$(real_disks $FIO_SPARE)
	# shellcheck disable=SC2046,SC2086
	in_background removals-io storm io -w -t "$DURATION" -s "$SEED" -j 3 @/adapter \
		$(real_disks $FIO_SPARE)
}

# add_hosts: one more host and away with it again
add_hosts()
{
	hosts=0
	end=$(($(cut -d . -f 1 /proc/uptime) + DURATION))
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
		adapter add_host 1 || return 1
		sleep 0.1
		adapter add_host -1 || return 1
		hosts=$((hosts + 1))
	done
	echo "hosts=$hosts"
}

after_removals()
{
	echo 30 >"$scsi_debug"/max_luns
}
