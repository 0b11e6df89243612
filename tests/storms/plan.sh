# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The plan of a boot for the storms.  /payload/rounds says which storms there are, one round a line:
# names of storms that run at the same time.  Beside it are seconds and seed.
#
# In each round fio writes and verifies all virtio-scsi LUNs that are not to be removed; what is
# done to them follows from their numbers, so that for some everything can be foreseen:
#
#	LUN 00-09	whole disks.  iostats stays 1 and the table is never read anew, so that the
#			counters of the disks must be those of fio, to the I/O, whatever part_stats is
#	LUN 10-19	partitions 1 to 5; the others come and go
#	LUN 20-29	whole disks, and tables read anew
#
# The scsi_debug LUNs get I/O at random from `storm io', from openers that are gone again at once.

. /lib/partstats.sh

PATH=/payload:$PATH
DURATION=$(cat /payload/seconds)
SEED=$(cat /payload/seed)
DEBUG_NDELAY=200000
FIO_EXACT='0 1 2 3 4 5 6 7 8 9'
FIO_PARTS='10 11 12 13 14 15 16 17 18 19'
FIO_WHOLE='20 21 22 23 24'
# Those that a storm of removals may take.
FIO_SPARE='25 26 27 28 29'
# What a round may leave in use in any one slab cache, and of per-CPU memory, in KiB.  On the stock
# kernel a cache grows by up to 32 KiB (kmalloc-4k).  A round changes partitions some hundred times,
# and a map takes at least 256 bytes: one that was lost with each change would be beyond.
CACHE_MAY_GROW=64
PERCPU_MAY_GROW=64
scsi_debug=/sys/bus/pseudo/drivers/scsi_debug

for file in /payload/storms/*.sh; do
	. "$file"
done

mkdir -p /results/figures /results/fio /results/memory
[ -d /sys/kernel/config/nullb ] || mount -t configfs configfs /sys/kernel/config || die "no configfs"
# On one CPU hardly anything races, and no race would be found.
[ "$(nproc)" -ge 2 ] || die "this guest has one CPU, a storm needs two"

# --- running

# in_background NAME COMMAND...: a part of the storm, until the end of the round
in_background()
{
	figures=/results/figures/$round.$1
	shift
	{
		"$@" >"$figures" 2>&1
		echo $? >"$figures.status"
	} &
	background="$background $!"
}

# adapter FILE VALUE: set what all hosts of scsi_debug share, one process at a time: while a host is being
# added, 6.12 follows a NULL pointer when another writes to opts or every_nth (tweak_cmnd_count()).
adapter()
{
	flock /tmp/adapter sh -c 'echo "$1" >"$0"' "$scsi_debug/$1" "$2"
}

# show_figures: what has been done, and whether all parts of the storm came to their end
show_figures()
{
	for file in /results/figures/"$round".*.status; do
		name=$(basename "${file%.status}")
		name=${name#"$round."}
		is "$(cat "$file")" 0 "$round: $name runs to its end"
		diag "$name: $(tail -n 3 "${file%.status}" | tr "\n" " ")"
	done
}

# disks LUN...: their paths
real_disks()
{
	for lun; do
		disk_path real "$lun"
	done
}

# fio_job NAME FILES OPTION...: write at random, read back and compare, over and over until time is up
fio_job()
{
	job=$1
	files=$2
	shift 2
	fio --name="$job" --filename="$files" --rw=randwrite --bsrange=4k-32k --ioengine=libaio \
		--direct=1 --iodepth=32 --verify=crc32c --verify_backlog=128 --verify_fatal=1 \
		--do_verify=1 --time_based --runtime="$DURATION" --randseed="$SEED" \
		--allow_file_create=0 --thread --output-format=json \
		--output=/results/fio/"$round.$job" "$@"
}

join()
{
	echo "$*" | tr ' ' :
}

fio_start()
{
	whole=$FIO_WHOLE
	case " $storms " in
	*' removals '*) ;;
	*) whole="$whole $FIO_SPARE" ;;
	esac
	# shellcheck disable=SC2086,SC2046 # lists
	in_background fio-exact fio_job exact "$(join $(real_disks $FIO_EXACT))" --offset=1m --size=62m
	# shellcheck disable=SC2086,SC2046
	in_background fio-whole fio_job whole "$(join $(real_disks $whole))" --offset=1m --size=62m
	parts=
	for lun in $FIO_PARTS; do
		for part in 1 2 3 4 5; do
			parts="$parts $(part_path real "$lun" $part)"
		done
	done
	# shellcheck disable=SC2086
	in_background fio-parts fio_job parts "$(join $parts)" --size=4m
}

# fio_issued FILE: "READS READ_BYTES WRITES WRITE_BYTES"
fio_issued()
{
	awk -F '[:,]' '
		/"jobs"/ { in_jobs = 1 }
		/"disk_util"/ { in_jobs = 0 }
		in_jobs && /"(read|write|trim|sync)" *: *[{]/ { split($0, q, "\""); dir = q[2] }
		in_jobs && /"io_bytes"/ { bytes[dir] += $2 }
		in_jobs && /"total_ios"/ { ios[dir] += $2 }
		END { print ios["read"] + 0, bytes["read"] + 0, ios["write"] + 0, bytes["write"] + 0 }
	' "$1"
}

# disk_sums LUN...: "READS READ_BYTES WRITES WRITE_BYTES" so far; a merged one was issued, too
disk_sums()
{
	for disk in $(real_disks "$@"); do
		stat_of "$disk" reads read_merges read_sectors writes write_merges write_sectors
	done | awk '
		{ r += $1 + $2; rs += $3; w += $4 + $5; ws += $6 }
		END { print r, rs * 512, w, ws * 512 }'
}

difference()
{
	echo "$1 $2" | awk '{ print $5 - $1, $6 - $2, $7 - $3, $8 - $4 }'
}

# relink: a LUN that was removed and found again may have another name
relink()
{
	for set in $(sets); do
		for link in /dev/ps/"$set"/lun??; do
			hctl=$(cat "/tmp/hctl.$set.${link##*/}")
			name=$(ls "/sys/class/scsi_device/$hctl/device/block" 2>/dev/null) || continue
			[ "$(readlink "$link")" != "/dev/$name" ] || continue
			ln -sf "/dev/$name" "$link"
			ln -sf "/dev/$name" "/dev/ps/$set/d/${link##*lun}"
			for part in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15; do
				ln -sf "/dev/$name${part#0}" "${link}p$part"
				ln -sf "/dev/$name${part#0}" "/dev/ps/$set/d/${link##*lun}.$part"
			done
		done
	done
}

remember_addresses()
{
	for set in $(sets); do
		for disk in $(all_disks "$set"); do
			basename "$(readlink -f "/sys/block/$(kname "$disk")/device")" \
				>"/tmp/hctl.$set.${disk##*/}"
		done
	done
}

# calm: everything as it was at first
calm()
{
	echo 0 >"$scsi_debug"/every_nth
	echo 0 >"$scsi_debug"/opts
	for host in /sys/class/scsi_host/host*; do
		echo '- - -' >"$host/scan"
	done
	relink
	echo 1 | tee /sys/block/*/queue/iostats >/dev/null
	for file in /sys/block/*/queue/part_stats; do
		# Not on a stock kernel, with which a storm can be compared.
		[ ! -e "$file" ] || echo 1 >"$file"
	done
	storm reread @/adapter @/virtio
}

# memory NAME: the kernel memory in use that is not a cache, as /results/memory/$round.NAME: bytes of
# objects by slab cache, then the per-CPU memory.  Free objects that SLUB keeps at hand are given
# back first, so that they are not taken for objects in use.  (KASAN gives back what it has kept
# freed by the same shrinking.)
#
# Left out: inodes and directory entries, which are caches; the pool of debugobjects; and what
# processes and this plan's own files take, for kernel threads come and go by themselves.
memory()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*; do
		echo 1 >"$cache/shrink"
	done
	grep -lx 0 /sys/kernel/slab/*/reclaim_account | awk -F / '
		$5 !~ /^(debug_objects_cache|task_struct|signal_cache|sighand_cache|cred|pid|mm_struct)$/ &&
			$5 !~ /^(vmap_area|vm_area_struct|maple_node|files_cache|fs_cache|shmem_inode_cache)$/ {
			print $5
		}' >/tmp/caches
	{
		awk 'FNR == NR { want[$1]; next } $1 in want { print $1, $2 * $4, $2 }' \
			/tmp/caches /proc/slabinfo
		awk '/^Percpu:/ { print "per-CPU", $2 * 1024, 0 }' /proc/meminfo
		# Of these exactly as many must be there as devices are.
		awk '$1 == "bdev_cache" { print "block-devices", 0, $2 }' /proc/slabinfo
	} >"/results/memory/$round.$1"
}

# memory_growth: "KIB KIB DEVICES": by how much the slab cache that has grown most and the per-CPU memory
# are larger at the end of the round than at its begin, and the number of block devices and queues
# that are there and were not, or the other way round
memory_growth()
{
	awk '
		FNR == NR { bytes[$1] = $2; n[$1] = $3; next }
		$1 == "per-CPU" { percpu = $2 - bytes[$1]; next }
		$1 == "block-devices" || $1 == "request_queue" {
			more = $3 - n[$1]
			devices += more < 0 ? -more : more
		}
		$2 - bytes[$1] > most { most = $2 - bytes[$1] }
		END { printf "%d %d %d\n", most / 1024, percpu / 1024, devices }
	' "/results/memory/$round.before" "/results/memory/$round.after"
}

# memory_by_cache: what has grown most
memory_by_cache()
{
	awk 'FNR == NR { bytes[$1] = $2; next } { print $2 - bytes[$1], $1 }' \
		"/results/memory/$round.before" "/results/memory/$round.after" |
		sort -rn | awk 'NR <= 6 && $1 > 0 { printf "%s%s %d", gap, $2, $1; gap = ", " }'
}

memory_is_back()
{
	# shellcheck disable=SC2046 # three numbers
	set -- $(memory_growth)
	[ "$1" -le $CACHE_MAY_GROW ] && [ "$2" -le $PERCPU_MAY_GROW ] && [ "$3" -eq 0 ]
}

# --- a round

round()
{
	storms=$*
	round=$(echo "$*" | tr ' ' +)
	background=
	log "$round: $DURATION s, seed $SEED"
	memory before
	before=$(disk_sums $FIO_EXACT)
	echo $DEBUG_NDELAY >"$scsi_debug"/ndelay
	fio_start
	# All are ready before the first of them begins to take away what the others need.
	for each in $storms; do
		! command -v "prepare_$each" >/dev/null || "prepare_$each" || die "$each: could not prepare"
	done
	for each in $storms; do
		"storm_$each" || die "$each: no such storm, or it could not begin"
	done
	# shellcheck disable=SC2086 # a list
	wait $background
	after=$(disk_sums $FIO_EXACT)
	for each in $storms; do
		! command -v "after_$each" >/dev/null || "after_$each"
	done
	show_figures
	is "$(difference "$before" "$after")" "$(fio_issued "/results/fio/$round.exact")" \
		"$round: LUN 00-09 have counted what fio issued (reads, bytes, writes, bytes)"
	diag "fio: $(for f in exact whole parts; do
		fio_issued "/results/fio/$round.$f"
	done | awk '{ r += $1; w += $3 } END { print r " reads, " w " writes" }')"
	try "$round: everything as it was" calm
	echo 0 >"$scsi_debug"/delay
	at_rest 30
	if wrong=$(counts rest 3 2>&1); then
		ok "$round: nothing in flight, nothing moves for 3 s"
	else
		not_ok "$round: nothing in flight, nothing moves for 3 s"
		diag "$wrong"
	fi
	probed "$round: no device was busy while it was at rest" storm probe @/adapter @/virtio
	# 4 s
	echo 1000 >"$scsi_debug"/delay
	# shellcheck disable=SC2046
	probed "$round: nobody counts too few in flight" storm held \
		$(all_disks det | awk 'NR % 4 == 1') $(part_path det 1 3) $(part_path det 1 9)
	echo 0 >"$scsi_debug"/delay
	# RCU may have much to free yet.
	tries=20
	while memory after && ! memory_is_back && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 1
	done
	try "$round: memory is back, all disks that went are freed" memory_is_back
	diag "memory: grown by (KiB of one slab cache, KiB of per-CPU, block devices and queues)" \
		"$(memory_growth); bytes: $(memory_by_cache)"
	# It gives up, for instance when its tables are full, and sees nothing from then on.
	[ ! -e /proc/lockdep_stats ] ||
		is "$(awk '/debug_locks:/ { print $2 }' /proc/lockdep_stats)" 1 \
			"$round: lockdep has watched to the end"
}

# probed DESCRIPTION COMMAND...
probed()
{
	what=$1
	shift
	wrong=$("$@" 2>&1)
	status=$?
	is $status 0 "$what"
	[ $status -eq 0 ] || diag "$wrong"
}

# What is allocated once and kept, such as the caches of a driver that is used for the first time, is not
# to be taken for a leak: a short round of the same before memory is looked at.
warm_up()
{
	storms=$(tr "\n" " " </payload/rounds) round=warm-up background= seconds=$DURATION DURATION=2
	fio_start
	storm partitions -t 2 -R @/adapter >/dev/null
	storm toggles -t 2 -j 8 @/adapter >/dev/null
	case " $storms " in
	*" stacked "*) prepare_stacked && storm_stacked || die "stacked: could not prepare" ;;
	esac
	# shellcheck disable=SC2086 # a list
	wait $background
	case " $storms " in
	*" stacked "*) after_stacked ;;
	esac
	calm
	rm -f /results/figures/* /results/fio/*
	DURATION=$seconds
}

remember_addresses
warm_up
while read -r line; do
	# shellcheck disable=SC2086 # names
	round $line
done </payload/rounds
tap_done
