# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What the test files in this directory share; sourced by each of them, in the guest.  TEST, the
# name of the test file without its suffix, comes from plan.sh.

. /lib/partstats.sh

TOOLS=$(dirname "$0")
PATH=$TOOLS:$PATH
TAP=/results/tap/$TEST.tap
FACTS=/results/facts/$TEST
BEFORE=/tmp/$TEST.before
# There is no udev here: dmsetup has to make its nodes, and not to wait for them.
export DM_DISABLE_UDEV=1

# The disks that guest/gpt.sfdisk describes: 15 partitions in three groups of five.  Every number
# that a test expects is computed from these and from what it issues.
PARTS='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'
PART_SECTORS=8192
DISK_SECTORS=131072
GAP_SECTORS=2048

# What differs between kernels.  5.10 looks every request up by its sector, no matter what it was issued
# to, and bio-based drivers count on their whole disk.  VALUES are those that part_stats takes; MAPPED is
# the one of them at which I/O of a whole disk counts on the partition that holds its first sector.
case $(uname -r) in
5.10.*) BY_SECTOR=1 VALUES='0 1' MAPPED=1 ;;
*) BY_SECTOR=0 VALUES='0 1 2' MAPPED=2 ;;
esac
NR_VALUES=$((MAPPED + 1))

# issued DEV:FIELD=MORE,..., by_sector DEV:FIELD=MORE,...: an argument for counted, if I/O counts on what
# it was issued to, or where its sector is
issued()
{
	[ $BY_SECTOR -eq 1 ] || echo "$1"
}

by_sector()
{
	[ $BY_SECTOR -eq 0 ] || echo "$1"
}

# part_start PART: its first sector on the disk
part_start()
{
	echo $((GAP_SECTORS + PART_SECTORS * ($1 - 1) + GAP_SECTORS * (($1 - 1) / 5)))
}

# begin: write down the counters of all devices
begin()
{
	counts save "$BEFORE"
}

# counted DESCRIPTION [DEV:FIELD=MORE,...]...: ok when since begin these fields, and nothing else on
# any device, have moved, and by so much.  Empty arguments count for nothing.  Begins anew.
counted()
{
	what=$1
	shift
	for arg; do
		shift
		[ -z "$arg" ] || set -- "$@" "$arg"
	done
	wrong=$(counts check "$BEFORE" "$@" 2>&1) && [ -z "$wrong" ]
	verdict $? "$what" "$wrong"
}

# verdict STATUS DESCRIPTION EXPLANATION
verdict()
{
	if [ "$1" -eq 0 ]; then
		ok "$2"
		return 0
	fi
	not_ok "$2"
	printf '%s\n' "$3" | while read -r line; do
		diag "$line"
	done
	return 1
}

# must COMMAND...: run it in a shell of its own.  What the test is about to look at depends on it, so
# that its failure is one of the test.
must()
{
	("$@") >/tmp/must 2>&1 && return 0
	not_ok "$*"
	diag "$(cat /tmp/must)"
	return 1
}

# fact KEY VALUE: something that has to be the same on the stock kernel
fact()
{
	echo "$1: $2" >>"$FACTS"
}

# delta KEY DEV...: by how much the counters of these have grown since begin, as facts; begins anew
delta()
{
	key=$1
	shift
	must counts delta "$BEFORE" "$@"
	sed "s|^|$key: |" /tmp/must >>"$FACTS"
}

# answer VALUE FILE: write exactly these characters, in one piece; sets $answer to "ok" or the error
answer()
{
	# shellcheck disable=SC3037 # the printf of busybox would not name the error
	if { echo -n "$1" >"$2"; } 2>/tmp/answer; then
		answer=ok
	else
		read -r answer </tmp/answer
		answer=${answer##*: }
	fi
}

# shows FILE: sets $shows to its first line
shows()
{
	shows=
	read -r shows <"$1"
}

# wait_until SECONDS COMMAND...: until it succeeds
wait_until()
{
	tries=$(($1 * 20))
	shift
	until "$@"; do
		[ $tries -gt 0 ] || return 1
		tries=$((tries - 1))
		sleep 0.05
	done
}

# --- partition tables: "NUMBER:START:SECTORS ..." in the order of the numbers

# gpt_table: that of guest/gpt.sfdisk
gpt_table()
{
	for n in $PARTS; do
		printf '%d:%d:%d ' "$n" "$(part_start "$n")" $PART_SECTORS
	done
}

# node DISK PART: the device node of a partition
node()
{
	name=$(kname "$1")
	case $name in
	*[0-9]) echo "/dev/${name}p$2" ;;
	*) echo "/dev/$name$2" ;;
	esac
}

# find_owner SECTOR TABLE...: sets owner to the lowest number whose partition holds the sector, or
# to nothing
find_owner()
{
	sector=$1
	shift
	for entry; do
		first=${entry#*:}
		if [ "$sector" -ge "${first%:*}" ] &&
			[ "$sector" -lt $((${first%:*} + ${first#*:})) ]; then
			owner=${entry%%:*}
			return
		fi
	done
	owner=
}

# borders DESCRIPTION DISK SECTORS TABLE: ok when reads of the whole disk of so many sectors, around
# both borders of each partition, count on the partitions that TABLE says.  The reads are of
# different lengths, so that one that is counted on the wrong partition shows.
borders()
{
	what=$1 disk=$2 size=$3 table=$4
	name=$(node "$disk" '')
	length=0 reads=0
	set --
	probes="0 $((size - 1))"
	for entry in $table; do
		first=${entry#*:}
		end=$((${first%:*} + ${first#*:}))
		first=${first%:*}
		probes="$probes $((first - 1)) $first $((first + 1))"
		probes="$probes $((end - 1)) $end $((end + 1))"
	done
	ops=
	for probe in $probes; do
		if [ "$probe" -lt 0 ] || [ "$probe" -ge "$size" ]; then
			continue
		fi
		length=$((length % 97 + 1))
		[ $((probe + length)) -le "$size" ] || length=$((size - probe))
		ops="$ops read:$probe+$length"
		reads=$((reads + 1))
		set -- "$@" "$disk:reads=1,read_sectors=$length"
		# shellcheck disable=SC2086 # a list
		find_owner "$probe" $table
		[ -z "$owner" ] || set -- "$@" "$name$owner:reads=1,read_sectors=$length"
	done
	begin
	# shellcheck disable=SC2086 # a list
	must issue "$disk" $ops
	counted "$what ($reads reads)" "$@"
}

# --- disks of a test's own

# null_disk NAME MIB [ATTRIBUTE=VALUE]...: make /dev/NAME, a null_blk disk that keeps its data; for its
# partitions see node.  On 5.10 its name is a link: there the kernel gives the disks numbers.
null_disk()
{
	dir=/sys/kernel/config/nullb/$1
	mkdir "$dir" || return 1
	echo "$2" >"$dir/size"
	echo 1 >"$dir/memory_backed"
	shift 2
	for attr; do
		echo "${attr#*=}" >"$dir/${attr%%=*}" || return 1
	done
	echo 1 >"$dir/power" || return 1
	name=${dir##*/}
	[ -e "/dev/$name" ] || ln -s "nullb$(cat "$dir/index")" "/dev/$name"
}

null_gone()
{
	rmdir "/sys/kernel/config/nullb/$1" || return 1
	[ ! -L "/dev/$1" ] || rm "/dev/$1"
}

# zram_up MIB, zram_down: /dev/zram0
zram_up()
{
	echo "$1M" >/sys/block/zram0/disksize
}

zram_down()
{
	echo 1 >/sys/block/zram0/reset
}

# linear_up NAME DEV SECTORS: a dm-linear over the start of DEV; multipath_up NAME DISK: a multipath
# device with one path; dm_down NAME
linear_up()
{
	dmsetup create "$1" --table "0 $3 linear $2 0"
}

# dm_node NAME: the node of a dm device
dm_node()
{
	echo "/dev/$(dmsetup info -c --noheadings -o blkdevname "$1")"
}

multipath_up()
{
	dmsetup create "$1" --table \
		"0 $DISK_SECTORS multipath 0 0 1 1 round-robin 0 1 1 $2 1000"
}

dm_down()
{
	dmsetup remove "$1"
}

# mirror_up NUMBER DEV DEV KIB, mirror_down NUMBER: /dev/mdNUMBER, a raid1 without metadata
mirror_up()
{
	md=/sys/block/md$1/md
	echo "md$1" >/sys/module/md_mod/parameters/new_array
	echo none >"$md/metadata_version"
	echo raid1 >"$md/level"
	echo 2 >"$md/raid_disks"
	echo "$4" >"$md/component_size"
	for dev in "$2" "$3"; do
		cat "/sys/class/block/$(kname "$dev")/dev" >"$md/new_dev"
	done
	echo 0 >"$md/dev-$(kname "$2")/slot"
	echo 1 >"$md/dev-$(kname "$3")/slot"
	# Both sides are taken to hold the same: nothing to be copied.
	echo none >"$md/resync_start"
	echo active >"$md/array_state"
}

mirror_down()
{
	echo clear >"/sys/block/md$1/md/array_state"
}

# scsi_debug_delay JIFFIES: how long its LUNs take over a command from now on
scsi_debug_delay()
{
	echo "$1" >/sys/bus/pseudo/drivers/scsi_debug/delay
}

# label DISK SCRIPT: have sfdisk write a partition table, and the kernel read it
label()
{
	printf '%s\n' "$2" | sfdisk -q --no-tell-kernel --no-reread "$1" || return 1
	blockdev --rereadpt "$1"
}

# --- I/O that takes its time

# What scsi_debug's delay is counted in.
HZ=250

# in_flight_is DEV NUMBER: as its file inflight has it, which for a disk with requests includes what is
# in flight on its partitions
in_flight_is()
{
	read -r in out <"/sys/class/block/$(kname "$1")/inflight"
	[ $((in + out)) = "$2" ]
}

# with_patience COMMAND...: the command gets a number of seconds that I/O is to take.  If it fails
# because the I/O ended before it could be looked at, as can be on a busy host, it gets more;
# but less than the 30 s after which a SCSI command is taken to have failed.
with_patience()
{
	for seconds in 2 6 18; do
		! "$@" $seconds || return 0
	done
	return 1
}

# sg_node DISK: the node of its generic SCSI device
sg_node()
{
	echo "/dev/$(ls "/sys/block/$(kname "$1")/device/scsi_generic")"
}

# pass_through SET LUN PART: commands that bypass the block layer's read and write path, through the
# disk's node and through the generic one, inside of the partition.  Calls `passed NAME' after each;
# $disk and $part are set.
pass_through()
{
	disk=$(disk_path "$1" "$2")
	part=$(part_path "$1" "$2" "$3")
	sg=$(sg_node "$disk")
	lba=$(part_start "$3")
	cdb=$(printf '%02x %02x %02x %02x 00 00 08 00' 0 $((lba >> 16)) $((lba >> 8 & 255)) \
		$((lba & 255)))
	head -c 4096 /dev/zero >/tmp/zeros
	begin
	must sg_dd if="$disk" blk_sgio=1 of=/dev/null bs=512 bpt=8 count=64 skip="$lba"
	passed 'sg_dd of the disk'
	must sg_dd if="$sg" of=/dev/null bs=512 bpt=8 count=64 skip="$lba"
	passed 'sg_dd of sg'
	must sg_dd if=/tmp/zeros of="$sg" bs=512 bpt=8 count=8 seek="$lba"
	passed 'sg_dd to sg'
	must sg_dd if="$part" blk_sgio=1 of=/dev/null bs=512 bpt=8 count=64
	passed 'sg_dd of a partition'
	must sg_read if="$sg" bs=512 bpt=8 count=64 skip="$lba"
	passed 'sg_read of sg'
	must sg_read if="$disk" blk_sgio=1 bs=512 bpt=8 count=64 skip="$lba"
	passed 'sg_read of the disk'
	# shellcheck disable=SC2086 # bytes of a command
	must sg_raw -r 4096 -o /tmp/read "$disk" 28 00 $cdb
	passed 'sg_raw READ(10) of the disk'
	is "$(wc -c </tmp/read)" 4096 "$1: sg_raw has read 4096 bytes"
	# shellcheck disable=SC2086
	must sg_raw -s 4096 -i /tmp/zeros "$sg" 2a 00 $cdb
	passed 'sg_raw WRITE(10) of sg'
	must sg_sync "$disk"
	passed 'sg_sync of the disk'
	must sg_turs "$sg"
	passed 'sg_turs of sg'
}
