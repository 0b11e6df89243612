# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The measurement, as it runs in the guest (guest/run --plan). What to measure comes in
# /payload/params.sh, written by report/run.sh:
#
#	part		deterministic or real_path
#	set		det or real: which disks
#	kernel		name of this kernel: stock, scan, patched or noacct
#	settings	settings to compare on this kernel
#	jobs		jobs, by the names of their files
#	round		which round of boots this is, from 1
#	passes		how often to measure everything
#	ios, runtime	limit of a run: a number of I/Os, or a time as fio takes it; the other is 0
#	base_ios	I/Os of a base run, per process
#	warm_ios	I/Os of a warm-up run (twice base_ios)
#	seed		seed of the jobs
#
# The settings of one job are measured right after one another, behind a warm-up run. Each
# run has a base run in the same setting: what it shows is fio's own start and exit. Of the real
# path only rates and percentages come from it: there one base run a job will do, and one
# warm-up a boot. Each round and pass begins with another setting.

. /lib/partstats.sh
. /payload/params.sh

set -u
: "${warm_ios=$((2 * base_ios))}"

queues=
for disk in $(all_disks "$set"); do
	queues="$queues /sys/block/$(kname "$disk")/queue"
done

# put FILE VALUE: write it where it is not there yet, and believe it only when it reads back. Each
# write waits for the queue to drain, most of a grace period of RCU: all disks wait together.
put()
{
	for q in $queues; do
		read -r got <"$q/$1" || die "there is no $q/$1"
		if [ "$got" != "$2" ]; then
			echo "$2" >"$q/$1" &
		fi
	done
	wait
	for q in $queues; do
		read -r got <"$q/$1"
		[ "$got" = "$2" ] || die "$q/$1 shows $got after $2 was written"
	done
}

# use SETTING: as setting of the library, which starts several programs per disk: under icount
# that would take longer than the measurement
use()
{
	iostats=1 part_stats=1
	case $1 in
	stock | scan | patched | noacct) ;;
	part_stats=*) part_stats=${1#*=} ;;
	iostats=*) iostats=${1#*=} ;;
	*) die "setting $1 is not known" ;;
	esac
	put iostats "$iostats"
	# Only the patched kernels have it. There it must be there.
	if [ -e "${queues##* }/part_stats" ] || [ "$part_stats" != 1 ] || [ "$kernel" = patched ]; then
		put part_stats "$part_stats"
	fi
}

# clock: guest time and idle time so far, in nanoseconds. /proc/stat has idle time in hundredths of
# a second, too coarse to tell 0.1 %.
clock()
{
	awk '
	/^now at / { now = $3 }
	/\.nohz(_mode)?  *:/ { nohz += $NF }
	/\.(idle|iowait)_sleeptime/ { idle += $(NF - 1); n++ }
	END {
		if (!now || !n || !nohz)
			exit 1
		printf "%.0f %.0f\n", now, idle
	}' /proc/timer_list
}

# limits JOB IOS: the variables that limit a run to so many I/Os per process
limits()
{
	PARTSTATS_IOS=$2
	PARTSTATS_LOG_IOS=$((($2 + 3) / 4))
	case $1 in
	oltp) total=$((3 * PARTSTATS_IOS + PARTSTATS_LOG_IOS)) ;;
	*) total=$2 ;;
	esac
}

# per_process JOB IOS: I/Os per process so that all of them together do about IOS
per_process()
{
	case $1 in
	oltp) echo $(($2 * 4 / 13)) ;;
	*) echo "$2" ;;
	esac
}

# devices JOB: what it runs on, as a pattern below the directory of the set
devices()
{
	case $1 in
	one-partition) echo 'd/??.08' ;;
	whole-disk) echo 'd/??' ;;
	*) echo 'd/??.??' ;;
	esac
}

# fio_run JOB NAME: one run, its files in /results/NAME.*; sets measurement, the number of this run,
# by which the plugin's counts are found
fio_run()
{
	measurement=$((measurement + 1))
	# So that no run pays for what an earlier one left to be done.
	at_rest || die "$2: requests in flight before the run"
	sync
	if [ "$part" = deterministic ]; then
		# Request timers (up to 6 s behind the last request), RCU callbacks and other delayed
		# work of earlier runs would fall into this one by chance: +-0.6 %. To wait costs
		# nothing, the clock skips idle time.
		sleep 8
		before=$(clock) || die "no idle time in /proc/timer_list: the kernel needs CONFIG_NO_HZ_IDLE"
	fi
	# shellcheck disable=SC2046 # a pattern of device names
	(cd "/dev/ps/$set" && PARTSTATS_FIO="agent measure /results/$2.stat.json -- fio" \
		/fio-jobs/run "$1" $(devices "$1") -- --output-format=json \
		--output="/results/$2.fio.json" --eta=never) || die "$2: fio failed"
	if [ "$part" = deterministic ]; then
		after=$(clock)
		echo "{\"wall_ns\":$((${after% *} - ${before% *})),\"idle_ns\":$((${after#* } - ${before#* }))}" \
			>"/results/$2.clock.json"
	fi
}

# index_run JOB SETTING PASS NAME IOS MEASUREMENT BASE BASE-IOS BASE-MEASUREMENT: a line of the index
index_run()
{
	printf '%s{"job":"%s","setting":"%s","pass":%d,"run":"%s","ios":%d,"measurement":%d,' \
		"$comma" "$1" "$2" "$3" "$4" "$5" "$6" >>/results/runs
	printf '"base":"%s","base_ios":%d,"base_measurement":%d}' "$7" "$8" "$9" >>/results/runs
	comma=',
'
}

# rotate N WORD...: the words from the Nth on (0: the first), then those before it
rotate()
{
	n=$(($1 % ($# - 1)))
	shift
	while [ $n -gt 0 ]; do
		first=$1
		shift
		set -- "$@" "$first"
		n=$((n - 1))
	done
	echo "$*"
}

comma=
measurement=0
export PARTSTATS_FIO PARTSTATS_IOS PARTSTATS_LOG_IOS
export PARTSTATS_RUNTIME=0 PARTSTATS_SEED="$seed" PARTSTATS_WRITE=write
: >/results/runs
count=0
all=0
for job in $jobs; do for s in $settings; do all=$((all + passes)); done; done

pass=1
while [ $pass -le "$passes" ]; do
	for job in $jobs; do
		base=
		# shellcheck disable=SC2086 # a list
		set -- $(rotate $((round + pass - 2)) $settings)
		if [ "$part" = deterministic ] || [ $measurement -eq 0 ]; then
			use "$1"
			PARTSTATS_RUNTIME=0
			limits "$job" "$(per_process "$job" "$warm_ios")"
			fio_run "$job" warm-up
		fi
		for s; do
			count=$((count + 1))
			log "[$count/$all] $part, $kernel: $job, $s"
			use "$s"
			name=$job.$s.$pass
			PARTSTATS_RUNTIME=0
			if [ "$part" = deterministic ] || [ -z "$base" ]; then
				limits "$job" "$base_ios"
				base=$name.base
				base_total=$total
				fio_run "$job" "$base"
				base_measurement=$measurement
			fi
			limits "$job" "$(per_process "$job" "$ios")"
			PARTSTATS_RUNTIME=$runtime
			fio_run "$job" "$name"
			index_run "$job" "$s" $pass "$name" "$total" $measurement "$base" \
				"$base_total" $base_measurement
		done
		use "$1"
	done
	pass=$((pass + 1))
done
at_rest || die "requests in flight after the last run"

# commands: what to type for the same run, by job
commands()
{
	sep=
	for job in $jobs; do
		limits "$job" "$(per_process "$job" "$ios")"
		printf '%s"%s":"' "$sep" "$job"
		[ "$job" != oltp ] || printf 'PARTSTATS_WRITE=write PARTSTATS_LOG_IOS=%d ' $PARTSTATS_LOG_IOS
		printf 'PARTSTATS_IOS=%d PARTSTATS_RUNTIME=%s PARTSTATS_SEED=%d fio-jobs/run %s %s"' \
			"$PARTSTATS_IOS" "$runtime" "$seed" "$job" "/dev/ps/$set/$(set -f; devices "$job")"
		sep=,
	done
}

sectors()
{
	cat "/sys/class/block/$(kname "$1")/size"
}

cat >/results/plan.json <<END
{"part":"$part","kernel":"$kernel","release":"$(uname -r)","round":$round,"passes":$passes,
"cpus":$(grep -c '^processor' /proc/cpuinfo),"seed":$seed,
"geometry":{"luns":$(all_disks "$set" | wc -l),"partitions":$(all_parts "$set" | wc -l),
"lun_sectors":$(sectors "$(disk_path "$set" 0)"),"partition_sectors":$(sectors "$(part_path "$set" 0 1)")},
"commands":{$(commands)},
"runs":[
$(cat /results/runs)
]}
END
rm -f /results/runs /results/warm-up.*
