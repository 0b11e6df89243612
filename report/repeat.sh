# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# How well does guest time repeat? Equal runs of one job, one right behind the other, without what
# report/plan.sh does to keep them alike (warm-up, 8 s of rest, base runs). A plan by itself:
#
#	guest/run --icount --plan report/repeat.sh --out build/repeat \
#		--kernel build/kernel/5.10/stock/obj/arch/x86/boot/bzImage
#
# Shows for each run the guest time outside idle and the context switches.

. /lib/partstats.sh

set -u
RUNS=12
IOS=10000
export PARTSTATS_IOS=$IOS PARTSTATS_RUNTIME=0 PARTSTATS_SEED=2009 PARTSTATS_FIO=fio

# look: nanoseconds outside idle, and context switches, since boot; sets busy and switches
look()
{
	busy=$(awk '
	/^now at / { now = $3 }
	/\.(idle|iowait)_sleeptime/ { idle += $(NF - 1) }
	END { printf "%.0f", now - idle }' /proc/timer_list)
	switches=$(awk '$1 == "ctxt" { print $2 }' /proc/stat)
}

cd /dev/ps/det || die "no scsi_debug disks"
run=1
while [ $run -le $RUNS ]; do
	look
	busy_before=$busy switches_before=$switches
	/fio-jobs/run randread-450 d/??.?? -- --output=/dev/null --eta=never || die "fio failed"
	look
	log "run $run of $IOS I/Os: $((busy - busy_before)) ns outside idle," \
		"$((switches - switches_before)) context switches"
	run=$((run + 1))
done
