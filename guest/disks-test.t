#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The guest's disks and the functions of guest/lib.sh: names, tables, whose writes are seen where.
# usage: KERNEL_IMAGE=.../bzImage guest/disks-test.t
set -u

here=$(cd "$(dirname "$0")" && pwd)
: "${KERNEL_IMAGE:?names the kernel to boot}"
images=$(cd "$here/.." && cd "${B:-build}/images" && pwd)
# shellcheck source=tests/tap.sh
. "$here/../tests/tap.sh"

# boot NAME OPTION...: run the plan given on standard input; the guest's tests and those here make one
# stream of TAP
boot()
{
	name=$1
	shift
	cat >"$tap_tmp/plan"
	check "$name: the guest ends well" "$here/run" --kernel "$KERNEL_IMAGE" --plan "$tap_tmp/plan" \
		--out "$tap_tmp/out" --quiet "$@"
	while read -r line; do
		case $line in
		'ok '*) result 0 "$name: ${line#*- }" ;;
		'not ok '*) result 1 "$name: ${line#*- }" ;;
		'#'*) echo "$line" >&2 ;;
		esac
	done <"$tap_tmp/out/results/tap"
}

sums()
{
	(cd "$images" && cksum ./*.img)
}

same_sums()
{
	sums | diff "$tap_tmp/sums" -
}

sums >"$tap_tmp/sums"
boot 'both sets' --dev both <<'END'
. /lib/partstats.sh
is "$(echo $(sets))" 'det real' 'two sets'
for set in det real; do
	is "$(all_disks $set | wc -l)" 30 "$set: 30 disks"
	is "$(all_parts $set | wc -l)" 450 "$set: 450 partitions"
	is "$(for f in $(all_disks $set) $(all_parts $set); do [ -b $f ] || echo $f; done)" '' \
		"$set: all are block devices"
	is "$(fio_files $set | tr : '\n' | wc -l)" 450 "$set: 450 files for fio"
	try "$set: their list fits fio's 4096 characters" [ $(fio_files $set | wc -c) -le 4096 ]
	is "$(cd /dev/ps/$set && ls -l $(fio_files $set | tr : " ") | sed "s/.* -> //")" \
		"$(ls -l $(all_parts $set) | sed "s/.* -> //")" \
		"$set: the short names mean the same, in the same order"
	is "$(kname $(part_path $set 7 3))" "$(kname $(disk_path $set 7))3" \
		"$set: lun07p03 is partition 3 of lun07"
	is "$(basename $(readlink -f /sys/block/$(kname $(disk_path $set 29))/device) | cut -d: -f4)" \
		29 "$set: lun29 is LUN 29"
	is "$(cat /sys/block/$(kname $(disk_path $set 4))/$(kname $(part_path $set 4 6))/start)" \
		45056 "$set: partition 6 begins behind a gap"
done

# statistics by name
part=$(part_path det 2 5)
echo 3 >/proc/sys/vm/drop_caches
before=$(stat_of $part reads read_sectors)
dd if=$part of=/dev/null bs=8k count=1 iflag=direct 2>/dev/null
set -- $before $(stat_of $part reads read_sectors)
is "$(($3 - $1)) $(($4 - $2))" '1 16' 'stat_of sees one read of 16 sectors'
is "$(stat_of $part | tr ' ' '\n' | wc -l)" 17 'stat_of has 17 fields'
try 'stat_of refuses an unknown field' eval '! stat_of $part nosuch 2>/dev/null'
try 'stat_of refuses an unknown device' eval '! stat_of nosuch reads 2>/dev/null'
is "$(inflight $part)" 0 'nothing is in flight'
try 'at rest' at_rest

# toggles
disk=$(disk_path real 1)
try 'set_toggle takes 0' set_toggle iostats 0 $disk
is "$(get_toggle iostats $disk)" 0 'and it is 0'
try 'set_toggle refuses what the kernel refuses' eval '! set_toggle iostats abc $disk 2>/dev/null'
try 'set_toggle refuses a toggle that is not there' eval '! set_toggle nosuch 1 $disk'
try 'a setting is made on all disks' setting iostats=0
is "$(cat /sys/block/sd*/queue/iostats | sort -u)" 0 'and all are 0'
try 'the setting stock' setting stock
is "$(cat /sys/block/sd*/queue/iostats | sort -u)" 1 'and all are 1'
try 'an unknown setting is refused' eval '! setting nosuch'

# whose writes are seen where
mark()
{
	echo "$1" | dd of=$2 bs=512 count=1 conv=sync 2>/dev/null
	sync
}
first()
{
	echo 3 >/proc/sys/vm/drop_caches
	dd if=$1 bs=512 count=1 2>/dev/null | tr -d '\0'
}
mark det $(part_path det 0 1)
is "$(first $(part_path det 0 1))" det 'scsi_debug: a write is read back'
is "$(first $(part_path det 9 1))" det 'and through all other LUNs too'
mark real $(part_path real 0 1)
is "$(first $(part_path real 0 1))" real 'virtio: a write is read back'
is "$(first $(part_path real 9 1))" '' 'and through no other LUN'
tap_done
END

check 'the cached images are as they were' same_sums

boot 'a store each' --dev scsi_debug --mem 4096 --append \
	'scsi_debug.add_host=30 scsi_debug.max_luns=1 scsi_debug.per_host_store=1' <<'END'
. /lib/partstats.sh
is "$(all_parts det | wc -l)" 450 '450 partitions'
echo one | dd of=$(part_path det 0 1) bs=512 count=1 conv=sync 2>/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
is "$(dd if=$(part_path det 0 1) bs=512 count=1 2>/dev/null | tr -d '\0')" one \
	'a write is read back'
is "$(dd if=$(part_path det 9 1) bs=512 count=1 2>/dev/null | tr -d '\0')" '' \
	'and through no other LUN'
tap_done
END

# A change that makes a guest die early must not pass for fewer tests.
done_testing 44
