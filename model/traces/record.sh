# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Records model/traces/oltp.iolog: the oltp job on the guest's 30 x 15 partitions. A plan of guest/run; the
# command is in README.md.
#
# fio wants a log of its own for each process, so the processes of the job are started one
# by one, run at the same time, and their logs are merged by their time stamps (microseconds).

. /lib/partstats.sh

set -u
cd /dev/ps/det || die "no deterministic disks"
logs=/results/logs
mkdir $logs

# process SECTION NUMBER: one process of the job
process()
{
	PARTSTATS_WRITE=write PARTSTATS_IOS=250 PARTSTATS_LOG_IOS=60 PARTSTATS_PROCS=1 \
		PARTSTATS_SEED=$((2009 + $2)) /fio-jobs/run oltp d/??.?? -- --section="$1" \
		--write_iolog="$logs/$2" --output="/results/$1.$2.txt" --eta=never ||
		echo "$1" >>/results/failed
}

process page-writer 0 &
process reader 1 &
process reader 2 &
process log-writer 3 &
wait
[ ! -e /results/failed ] || die "fio failed: $(cat /results/failed)"

{
	echo 'fio version 3 iolog'
	for state in add open; do
		awk -v s=$state '$3 == s { print 0, $2, s }' $logs/* | sort -u -k 2
	done
	awk '$3 ~ /^(read|write|trim|datasync|sync)$/' $logs/* | sort -n -s -k 1,1
	awk '$3 == "open" { print $2 }' $logs/* | sort -u |
		awk -v t="$(sort -n $logs/* | awk 'END { print $1 }')" '{ print t, $1, "close" }'
} >/results/oltp.iolog
