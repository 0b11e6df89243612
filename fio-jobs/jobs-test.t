#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The job files against small files: counts, seeds, limits, and above all the refusal to write.
# usage: fio-jobs/jobs-test.t [SCRATCH-DIRECTORY]
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
if [ $# -gt 0 ]; then
	# What was given may be relative to where we were.
	TMPDIR=$(mkdir -p "$1" && cd "$1" && pwd) || exit 1
	export TMPDIR
fi
# shellcheck source=tests/tap.sh
. "$here/../tests/tap.sh"
cd "$tap_tmp" || exit 1
unset PARTSTATS_FILES PARTSTATS_LOG PARTSTATS_BS PARTSTATS_BSSPLIT PARTSTATS_DEPTH PARTSTATS_IOS \
	PARTSTATS_LOG_IOS PARTSTATS_PROCS PARTSTATS_RUNTIME PARTSTATS_SEED PARTSTATS_WRITE

jobs='randread-450 one-partition whole-disk sequential oltp'

# fails_with STATUS PATTERN COMMAND...: exit status (- = any but 0) and message are as expected
fails_with()
{
	want=$1 text=$2
	shift 2
	"$@" >out 2>&1
	got=$?
	echo "exit status $got, expected $want with: $text"
	cat out
	if [ "$want" = - ]; then
		[ $got -ne 0 ] || return 1
	else
		[ $got -eq "$want" ] || return 1
	fi
	grep -qF "$text" out
}

# total FIELD FILE: sum of a number over all jobs and directions of fio's JSON
total()
{
	sed -n "s/.*\"$1\" : \([0-9]*\).*/\1/p" "$2" | awk '{ n += $1 } END { print n + 0 }'
}

# offsets LOG: the I/Os of an iolog without the times
offsets()
{
	awk '$3 == "read" || $3 == "write" { print $2, $3, $4, $5 }' "$1"
}

i=0
while [ $i -lt 450 ]; do
	truncate -s 256k "$(printf 'l%02d.%02d' $((i / 15)) $((i % 15 + 1)))"
	i=$((i + 1))
done
truncate -s 4M disk0 disk1

# A count is met to the I/O, over 450 files in one list.
counted()
{
	PARTSTATS_WRITE=write PARTSTATS_IOS=900 \
		"$here/run" "$1" l*.* -- --output="$1.json" --output-format=json || return 1
	ios=$(total total_ios "$1.json")
	errors=$(total error "$1.json")
	echo "$ios I/Os, $errors errors"
	[ "$ios" -eq "$2" ] && [ "$errors" -eq 0 ]
}
for job in $jobs; do
	want=900
	[ "$job" != oltp ] || want=$((900 * 3 + 225))
	check "$job: $want I/Os over 450 files, no more and no less" counted "$job" $want
done
page_writer()
{
	[ "$(total total_ios oltp.json)" -gt 0 ] &&
		sed -n '/"write"/,/"total_ios"/p' oltp.json | grep '"total_ios" : 900,'
}
check 'oltp: the page writer writes' page_writer

# All 450 are used: a list cut short would leave the last ones out.
used()
{
	used=$(offsets "$1" | cut -d' ' -f1 | sort -u | wc -l)
	echo "$used files"
	[ "$used" -eq 450 ]
}
short_list()
{
	PARTSTATS_IOS=5000 "$here/run" randread-450 l*.* -- --write_iolog=log || return 1
	used log
}
check 'randread-450 reads from all 450 files' short_list

# Names too long for one list, and names with a colon, go through short links.
mkdir "a-directory-with-a-long-name:and-a-colon"
for f in l*.*; do
	ln "$f" "a-directory-with-a-long-name:and-a-colon/$f"
done
long_names()
{
	PARTSTATS_IOS=5000 TMPDIR=$tap_tmp \
		"$here/run" randread-450 a-directory*/* -- --output=long.json --output-format=json \
		--write_iolog="$tap_tmp/long" || return 1
	used long && [ "$(total total_ios long.json)" -eq 5000 ]
}
check 'long names: all 450 files are read, results stay with the caller' long_names
check 'long names: no links are left behind' not ls -d "$tap_tmp"/fio-jobs.*

# The same seed gives the same I/O, another seed another.
for s in 1 1 2; do
	rm -f log
	PARTSTATS_IOS=50 PARTSTATS_SEED=$s "$here/run" whole-disk disk0 disk1 -- \
		--write_iolog=log >out 2>&1
	offsets log >seed.$s.new
	[ $s = 2 ] || { [ -e seed.1 ] || cp seed.1.new seed.1; }
done
same_seed()
{
	[ "$(wc -l <seed.1)" -eq 50 ] && diff seed.1 seed.1.new
}
check 'the same seed gives the same offsets' same_seed
other_seed()
{
	[ "$(wc -l <seed.2.new)" -eq 50 ] && not cmp seed.1 seed.2.new
}
check 'another seed gives other offsets' other_seed

# Sequential reads come in runs of eight neighbours.
neighbours()
{
	PARTSTATS_IOS=64 "$here/run" sequential disk0 disk1 -- --write_iolog=seq || return 1
	offsets seq | awk '
		$1 == f && $3 == next_off { run++ }
		!($1 == f && $3 == next_off) { if (NR > 1 && run != 8) bad = 1; run = 1 }
		{ f = $1; next_off = $3 + $4 }
		END { exit bad || NR != 64 }'
}
check 'sequential: eight neighbours, then the next device' neighbours

# Time as the limit.
timed()
{
	PARTSTATS_RUNTIME=$1 "$here/run" whole-disk disk0 -- --output=time.json --output-format=json
}
seconds()
{
	timed 1 && [ "$(total total_ios time.json)" -gt 0 ]
}
check 'a time limit in place of a count' seconds
milliseconds()
{
	timed 200ms || return 1
	ms=$(total job_runtime time.json)
	echo "job_runtime $ms"
	[ "$ms" -ge 200 ] && [ "$ms" -lt 100000 ]
}
check 'a time limit in milliseconds' milliseconds

# Writing has to be asked for, through the wrapper and in plain fio.
for f in disk0 disk1; do
	dd if=/dev/zero bs=64k count=64 2>/dev/null | tr '\0' x >$f
done
cksum disk0 disk1 >before
unchanged()
{
	cksum disk0 disk1 | diff before -
}
check 'oltp refuses to run when PARTSTATS_WRITE is not set' \
	fails_with 2 'set PARTSTATS_WRITE=write' "$here/run" oltp disk0 disk1
for w in '' yes 1 read randwrite; do
	check "oltp refuses to run with PARTSTATS_WRITE='$w'" \
		fails_with 2 'set PARTSTATS_WRITE=write' env PARTSTATS_WRITE="$w" "$here/run" oltp disk0 disk1
done
# plain [VARIABLE=VALUE]... COMMAND...
plain()
{
	env PARTSTATS_FILES=disk0:disk1 PARTSTATS_LOG=disk1 PARTSTATS_BSSPLIT=4k/100 \
		PARTSTATS_BS=4k PARTSTATS_DEPTH=8 PARTSTATS_PROCS=2 PARTSTATS_IOS=100 \
		PARTSTATS_LOG_IOS=10 PARTSTATS_RUNTIME=0 PARTSTATS_SEED=1 "$@"
}
# shellcheck disable=SC2016 # what fio shows
check 'plain fio: oltp refuses to run when PARTSTATS_WRITE is not set' \
	fails_with - 'failed parsing rw=rand${PARTSTATS_WRITE}' plain fio "$here/oltp.fio"
check 'plain fio: oltp refuses to run with PARTSTATS_WRITE=yes' \
	fails_with - 'failed parsing rw=' plain PARTSTATS_WRITE=yes fio "$here/oltp.fio"
check 'nothing was written by what was refused' unchanged
for job in $jobs; do
	[ "$job" != oltp ] || continue
	check "plain fio: $job runs with the variables of its head" plain fio "$here/$job.fio"
done
check 'the jobs that read have written nothing' unchanged
check 'plain fio: oltp runs with the variables of its head' \
	plain PARTSTATS_WRITE=write fio "$here/oltp.fio"
check 'oltp writes when it is allowed to' not unchanged

# Bad input.
check 'no arguments: usage' fails_with 2 'usage: fio-jobs/run' "$here/run"
check 'no devices: usage' fails_with 2 'usage: fio-jobs/run' "$here/run" oltp
check 'an unknown job' fails_with 2 "there is no job 'none'" "$here/run" none disk0
check 'a missing device' \
	fails_with 2 "'gone' is not a block device or a file" "$here/run" whole-disk disk0 gone
check 'a missing device is not made' [ ! -e gone ]
for v in IOS=x IOS=-1 DEPTH=0 DEPTH= PROCS=0 SEED=0x1 RUNTIME=1s RUNTIME=ms RUNTIME=1.5 LOG_IOS=08; do
	name=PARTSTATS_${v%%=*}
	check "PARTSTATS_$v is refused" \
		fails_with 2 "$name=" env "PARTSTATS_$v" "$here/run" whole-disk disk0
done
check 'no limit at all is refused' fails_with 2 'would run for ever' \
	env PARTSTATS_IOS=0 PARTSTATS_RUNTIME=0 "$here/run" whole-disk disk0
check 'sequential refuses a depth below its batch' \
	fails_with 2 'PARTSTATS_DEPTH=4' env PARTSTATS_DEPTH=4 "$here/run" sequential disk0

# Every job says which question it answers.
question()
{
	head -n 5 "$1" | grep '^# Question: '
}
for job in $jobs; do
	check "$job opens with its question" question "$here/$job.fio"
done

done_testing
