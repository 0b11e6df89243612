# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: a bio-based driver whose start and end of an I/O see different settings; counts of a stack of
# devices while one of them is suspended, resumed, or loses a path.
#
# dm-linear, md raid1, loop and zram carry data that fio verifies; dm-multipath has two scsi_debug LUNs,
# which share their store, as paths to one.  All are switched; dm devices are suspended and resumed,
# paths fail and come back.

# dm_node NAME: its device node
dm_node()
{
	grep -lx "$1" /sys/block/dm-*/dm/name | sed "s|/sys/block/\\(dm-[0-9]*\\)/.*|/dev/\\1|"
}

# Apart from the storm: while another takes disks away, a path may not be there to be set up.
prepare_stacked()
{
	for null in psa psb; do
		dir=/sys/kernel/config/nullb/$null
		mkdir -p $dir && echo 96 >$dir/size && echo 1 >$dir/memory_backed &&
			echo 2 >$dir/irqmode && echo 1 >$dir/power || return 1
		for part in 1 2 3; do
			echo "start=$((2048 + (part - 1) * 61440)), size=61440"
		done | sfdisk -q --no-tell-kernel --no-reread /dev/$null || return 1
		blockdev --rereadpt /dev/$null || return 1
	done
	dmsetup create --noudevsync pslinear --table "0 61440 linear /dev/psa1 0" || return 1
	dmsetup create --noudevsync psmp --table "0 131072 multipath 1 queue_if_no_path 0 1 1 \
		round-robin 0 2 1 $(major_minor "$(disk_path det 0)") 100 \
		$(major_minor "$(disk_path det 1)") 100" || return 1
	linear=$(dm_node pslinear) mp=$(dm_node psmp)
	[ -n "$linear" ] && [ -n "$mp" ] || return 1
	stacked_md || return 1
	stacked_loop || return 1
	[ "$(cat /sys/block/zram0/disksize)" != 0 ] || echo 30M >/sys/block/zram0/disksize || return 1
	linear_before=$(stat_of "$linear" reads read_merges read_sectors writes write_merges \
		write_sectors)
}

storm_stacked()
{
	in_background stacked-linear stacked_fio linear "$linear"
	in_background stacked-data stacked_fio data /dev/md77:/dev/zram0:"$stacked_loop_dev"
	in_background stacked-mp storm io -w -W -t "$DURATION" -s "$SEED" -j 2 "$mp"
	in_background stacked-flush stacked_flush
	in_background stacked-changes stacked_changes
	in_background stacked-toggles storm toggles -t "$DURATION" -s "$SEED" -j 8 /dev/psa /dev/psb \
		"$mp" /dev/md77 /dev/zram0 "$stacked_loop_dev"
}

major_minor()
{
	cat "/sys/class/block/$(kname "$1")/dev"
}

stacked_md()
{
	md=/sys/block/md77/md
	[ -d $md ] || echo md77 >/sys/module/md_mod/parameters/new_array || return 1
	echo none >$md/metadata_version
	echo raid1 >$md/level
	echo 2 >$md/raid_disks
	echo 30720 >$md/component_size
	major_minor /dev/psa2 >$md/new_dev
	major_minor /dev/psb2 >$md/new_dev
	echo 0 >$md/dev-psa2/slot
	echo 1 >$md/dev-psb2/slot
	echo none >$md/resync_start
	echo active >$md/array_state
}

# Over a file on a partition, if there is a file system for it; else over the partition.
stacked_loop()
{
	stacked_loop_dev=$(losetup -f) || return 1
	file=/dev/psb3
	if grep -qw ext2 /proc/filesystems; then
		mke2fs -F /dev/psb3 >/dev/null 2>&1 || return 1
		mkdir -p /tmp/ext2
		mount -t ext2 /dev/psb3 /tmp/ext2 || return 1
		file=/tmp/ext2/file
		dd if=/dev/zero of=$file bs=1M count=20 2>/dev/null || return 1
	fi
	losetup "$stacked_loop_dev" $file
}

stacked_fio()
{
	fio_job "stacked-$1" "$2" --iodepth=16 --size=16m --verify_backlog=64
}

# A flush of a multipath device is a request without a bio for the path that it takes.
stacked_flush()
{
	flushes=0 failed=0
	end=$(($(cut -d . -f 1 /proc/uptime) + DURATION))
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
		dd if=/dev/zero of="$mp" bs=4k seek=1000 count=1 conv=notrunc,fsync \
			2>/dev/null || failed=$((failed + 1))
		flushes=$((flushes + 1))
		sleep 0.05
	done
	echo "flushes=$flushes failed=$failed"
	# Both paths may be gone, or answer with an error, only if another storm sees to that.
	case " $storms " in
	*' removals '* | *' errors '*) ;;
	*) [ $failed -eq 0 ] ;;
	esac
}

stacked_changes()
{
	suspends=0 failures=0
	end=$(($(cut -d . -f 1 /proc/uptime) + DURATION))
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
		for path in 0 1; do
			dev=$(major_minor "$(disk_path det $path)")
			dmsetup message psmp 0 "fail_path $dev" && failures=$((failures + 1))
			sleep 0.05
			for name in pslinear psmp; do
				dmsetup suspend --noudevsync $name || return 1
				sleep 0.03
				dmsetup resume --noudevsync $name || return 1
				suspends=$((suspends + 1))
			done
			dmsetup message psmp 0 "reinstate_path $dev"
		done
	done
	echo "suspends=$suspends path_failures=$failures"
}

after_stacked()
{
	stacked_now=$(stat_of "$linear" reads read_merges read_sectors writes write_merges \
		write_sectors)
	is "$(echo "$linear_before $stacked_now" | awk '{
			print $7 + $8 - $1 - $2, ($9 - $3) * 512, $10 + $11 - $4 - $5, ($12 - $6) * 512
		}')" "$(fio_issued "/results/fio/$round.stacked-linear")" \
		"$round: dm-linear has counted what fio issued"
	dmsetup message psmp 0 fail_if_no_path
	at_rest 30
	for dev in "$linear" "$mp" /dev/md77 /dev/zram0 "$stacked_loop_dev" \
		/dev/psa /dev/psb; do
		echo 1 >"/sys/block/$(kname "$dev")/queue/iostats"
		[ "$dev" = "$mp" ] || echo "$dev"
	done >/tmp/stacked
	# shellcheck disable=SC2046 # paths
	probed "$round: no stacked device was busy while it was at rest" storm probe \
		$(cat /tmp/stacked) /dev/psa1 /dev/psa2 /dev/psb2
	dmsetup remove --noudevsync psmp
	dmsetup remove --noudevsync pslinear
	echo clear >/sys/block/md77/md/array_state
	losetup -d "$stacked_loop_dev"
	! grep -q " /tmp/ext2 " /proc/mounts || umount /tmp/ext2
	echo 1 >/sys/block/zram0/reset
	rmdir /sys/kernel/config/nullb/psa /sys/kernel/config/nullb/psb
}
