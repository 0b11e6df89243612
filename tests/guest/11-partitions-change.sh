# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2, the attribution follows when a partition is deleted, added elsewhere, shrunk,
# grown, and when the table is read again or another one is written.
# kernels: patched

. "$(dirname "$0")/lib.sh"

for set in det real; do
	disk=$(disk_path $set 14)
	must set_toggle part_stats "$MAPPED" "$disk"
	full=$(gpt_table)
	start=$(part_start 3)
	without=
	for entry in $full; do
		case $entry in
		3:*) ;;
		*) without="$without $entry" ;;
		esac
	done

	must delpart "$disk" 3
	borders "$set: 3 is deleted" "$disk" $DISK_SECTORS "$without"
	must addpart "$disk" 3 $((start + 1000)) 2000
	borders "$set: 3 is back, smaller" "$disk" $DISK_SECTORS \
		"$(echo "$full" | sed "s/3:$start:$PART_SECTORS/3:$((start + 1000)):2000/")"
	must resizepart "$disk" 3 999
	borders "$set: 3 is shrunk" "$disk" $DISK_SECTORS \
		"$(echo "$full" | sed "s/3:$start:$PART_SECTORS/3:$((start + 1000)):999/")"
	must resizepart "$disk" 3 $((PART_SECTORS - 1000))
	borders "$set: 3 is grown" "$disk" $DISK_SECTORS \
		"$(echo "$full" | sed "s/3:$start:$PART_SECTORS/3:$((start + 1000)):$((PART_SECTORS - 1000))/")"
	for n in $PARTS; do
		must delpart "$disk" "$n"
	done
	borders "$set: all are deleted" "$disk" $DISK_SECTORS ''
	must blockdev --rereadpt "$disk"
	borders "$set: the table is read again" "$disk" $DISK_SECTORS "$full"
	must set_toggle part_stats 1 "$disk"
done

disk=/dev/change
must null_disk change 64
must set_toggle part_stats "$MAPPED" "$disk"
must label "$disk" 'label: gpt
start=2048, size=4096
start=8192, size=4096'
borders "a table where there was none" "$disk" 131072 '1:2048:4096 2:8192:4096'
must label "$disk" 'label: dos
start=4096, size=60000
start=64096, size=1'
borders "another table" "$disk" 131072 '1:4096:60000 2:64096:1'
must null_gone change
tap_done 14
