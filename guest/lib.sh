# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Functions for plans, in the guest at /lib/partstats.sh.  SET is det (scsi_debug) or real
# (virtio-scsi); a DISK is a path such as /dev/ps/det/lun07; a DEV is any path of a disk or
# partition, or a kernel name such as sda1.

# log TEXT...: a line of progress; it goes to the console, and guest/run shows it
log()
{
	echo "partstats: log: $*"
}

# die TEXT...: end the plan with status 1
die()
{
	log "error: $*"
	exit 1
}

# --- disks

# sets: the sets that this guest has
sets()
{
	for set in det real; do
		[ ! -d /dev/ps/$set ] || echo $set
	done
}

# all_disks SET: the paths of its 30 disks
all_disks()
{
	ls -d /dev/ps/"$1"/lun??
}

# all_parts SET: the paths of its 450 partitions
all_parts()
{
	ls -d /dev/ps/"$1"/lun??p??
}

# disk_path SET LUN, part_path SET LUN PART: plain decimal numbers, LUN from 0, PART from 1
disk_path()
{
	printf '/dev/ps/%s/lun%02d\n' "$1" "$2"
}

part_path()
{
	printf '/dev/ps/%s/lun%02dp%02d\n' "$1" "$2" "$3"
}

# fio_files SET: all 450 partitions as a list for fio's filename=, to be used in /dev/ps/SET.  Fits
# the 4096 characters at which fio cuts.
fio_files()
{
	(cd /dev/ps/"$1" && echo d/??.??) | tr ' ' :
}

# kname DEV: the kernel's name of it
kname()
{
	basename "$(readlink -f "$1")"
}

# --- toggles

# toggle_path NAME DISK: the sysfs file of a toggle (iostats, part_stats)
toggle_path()
{
	echo "/sys/block/$(kname "$2")/queue/$1"
}

# get_toggle NAME DISK
get_toggle()
{
	cat "$(toggle_path "$1" "$2")"
}

# set_toggle NAME VALUE DISK...: fails, with a message, at the first disk that does not take it
set_toggle()
{
	toggle=$1 value=$2
	shift 2
	for disk; do
		path=$(toggle_path "$toggle" "$disk")
		if [ ! -e "$path" ]; then
			log "error: $path: this kernel has no such toggle"
			return 1
		fi
		echo "$value" >"$path" || return 1
		if [ "$(cat "$path")" != "$value" ]; then
			log "error: $path shows $(cat "$path") after $value was written"
			return 1
		fi
	done
}

# setting NAME: bring all disks below /dev/ps into one of the settings that are compared.  stock, scan,
# patched and noacct are kernels with their toggles at the defaults: all statistics on.
setting()
{
	iostats=1 part_stats=1
	case $1 in
	stock | scan | patched | noacct) ;;
	part_stats=[02]) part_stats=${1#*=} ;;
	iostats=0) iostats=0 ;;
	*)
		log "error: setting $1 is not known; accepted: stock, scan, patched, noacct," \
			"part_stats=0, part_stats=2, iostats=0"
		return 1
		;;
	esac
	for set in $(sets); do
		# shellcheck disable=SC2046 # paths without blanks
		set_toggle iostats "$iostats" $(all_disks "$set") || return 1
		# A stock kernel has no part_stats, and does what 1 does.
		if [ "$part_stats" = 1 ] && [ ! -e "$(toggle_path part_stats "$(disk_path "$set" 0)")" ]; then
			continue
		fi
		# shellcheck disable=SC2046
		set_toggle part_stats "$part_stats" $(all_disks "$set") || return 1
	done
}

# --- statistics

# stat_of DEV FIELD...: values from its line of /proc/diskstats, in one line.  Fields, in the order
# of that file: reads read_merges read_sectors read_ms writes write_merges write_sectors write_ms
# in_flight io_ms weighted_ms discards discard_merges discard_sectors discard_ms flushes flush_ms.
# Without FIELD, all of them as name=value.
stat_of()
{
	dev=$(kname "$1")
	shift
	awk -v dev="$dev" -v want="$*" '
	BEGIN {
		n = split("reads read_merges read_sectors read_ms writes write_merges " \
			  "write_sectors write_ms in_flight io_ms weighted_ms discards " \
			  "discard_merges discard_sectors discard_ms flushes flush_ms", names, " ")
		for (i = 1; i <= n; i++)
			column[names[i]] = i + 3
	}
	$3 == dev {
		found = 1
		m = split(want, fields, " ")
		for (i = 1; i <= m; i++) {
			if (!(fields[i] in column)) {
				print "partstats: log: error: stat_of: no field " fields[i] >"/dev/stderr"
				exit 1
			}
			line = line (i > 1 ? " " : "") $column[fields[i]]
		}
		for (i = 1; !m && i <= n; i++)
			line = line (i > 1 ? " " : "") names[i] "=" $column[names[i]]
		print line
	}
	END {
		if (!found) {
			print "partstats: log: error: stat_of: no device " dev >"/dev/stderr"
			exit 1
		}
	}' /proc/diskstats
}

# inflight DEV: requests in flight as /proc/diskstats shows them
inflight()
{
	stat_of "$1" in_flight
}

# at_rest [SECONDS]: wait until nothing is in flight on any device; after SECONDS (default: 10) say
# which devices are not at rest, and fail
at_rest()
{
	tries=$((${1:-10} * 20))
	while busy=$(awk '$12 != 0 { print $3 "=" $12 }' /proc/diskstats) && [ -n "$busy" ]; do
		if [ $tries -eq 0 ]; then
			log "error: not at rest, in flight:" $busy
			return 1
		fi
		tries=$((tries - 1))
		sleep 0.05
	done
}

# --- TAP, into /results/tap; what fails is shown on the console too

TAP=/results/tap
tap_count=0 tap_failed=0

# tap_result WORDS DESCRIPTION
tap_result()
{
	tap_count=$((tap_count + 1))
	echo "$1 $tap_count - $2" >>$TAP
	if [ "$1" != ok ]; then
		tap_failed=$((tap_failed + 1))
		log "$1 $tap_count - $2"
	fi
}

# ok DESCRIPTION, not_ok DESCRIPTION: a result
ok()
{
	tap_result ok "$*"
}

not_ok()
{
	tap_result 'not ok' "$*"
}

# is GOT WANT DESCRIPTION: ok when they are the same text
is()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		diag "got:  $1"
		diag "want: $2"
	fi
}

# try DESCRIPTION COMMAND...: ok when the command succeeds
try()
{
	what=$1
	shift
	if "$@"; then
		ok "$what"
	else
		not_ok "$what"
		diag "failed: $*"
	fi
}

# diag TEXT...: a remark
diag()
{
	echo "# $*" >>$TAP
	log "# $*"
}

# tap_bail TEXT...: stop here, nothing more can be tested
tap_bail()
{
	echo "Bail out! $*" >>$TAP
	log "Bail out! $*"
	exit 1
}

# tap_done [COUNT]: the end; fails when a test failed, when there was none, or when there were not
# COUNT
tap_done()
{
	echo "1..${1:-$tap_count}" >>$TAP
	log "$tap_count tests, $tap_failed failed"
	[ $tap_failed -eq 0 ] && [ $tap_count -gt 0 ] && [ "${1:-$tap_count}" -eq $tap_count ]
}
