# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: the files of both toggles have mode 0644 and belong to root on every disk; a user without
# rights can read them and not write to them.
# kernels: patched

. "$(dirname "$0")/lib.sh"

# as_nobody COMMAND: its output and errors
as_nobody()
{
	su nobody -s /bin/sh -c "$1" 2>&1
}

is "$(as_nobody 'id -u')" 65534 "there is a user without rights"
for toggle in iostats part_stats; do
	disks=$(find /sys/block -mindepth 1 -maxdepth 1 | wc -l)
	is "$(stat -c '%a %u %g' /sys/block/*/queue/$toggle | sort | uniq -c | tr -s ' ')" \
		" $disks 644 0 0" "$toggle: mode 644, of root, on every disk"
	for disk in "$(disk_path det 26)" "$(disk_path real 26)" /dev/nullb0 /dev/zram0; do
		file=$(toggle_path $toggle "$disk")
		name=${disk#/dev/}
		is "$(as_nobody "cat $file")" 1 "$name: $toggle can be read by anyone"
		got=$(as_nobody "echo 0 >$file")
		is "${got##*: }" 'Permission denied' "$name: $toggle cannot be written by anyone"
		is "$(cat "$file")" 1 "$name: $toggle is as it was"
	done
done
tap_done 27
