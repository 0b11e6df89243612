#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The job files against small files: counts, seeds, limits, and above all the refusal to write.
# usage: fio-jobs/test.sh [SCRATCH-DIRECTORY]
set -u

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=${1:-${TMPDIR:-/tmp}}
mkdir -p "$top" || exit 1
dir=$(mktemp -d "$top/fio-jobs-test.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
cd "$dir" || exit 1
# What was given may be relative to where we were.
dir=$PWD
unset PARTSTATS_FILES PARTSTATS_LOG PARTSTATS_BS PARTSTATS_BSSPLIT PARTSTATS_DEPTH PARTSTATS_IOS \
	PARTSTATS_LOG_IOS PARTSTATS_PROCS PARTSTATS_RUNTIME PARTSTATS_SEED PARTSTATS_WRITE

jobs='randread-450 one-partition whole-disk sequential oltp'
tests=0
failed=0

# ok TEXT: the last command succeeded
ok()
{
	if [ $? -eq 0 ]; then r=ok; else r='not ok' failed=$((failed + 1)); fi
	tests=$((tests + 1))
	echo "$r $tests - $1"
}

# fails_with STATUS PATTERN COMMAND...: exit status (- = any but 0) and message are as expected
fails_with()
{
	want=$1 text=$2
	shift 2
	"$@" >out 2>&1
	got=$?
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
for job in $jobs; do
	want=900
	[ "$job" != oltp ] || want=$((900 * 3 + 225))
	PARTSTATS_WRITE=write PARTSTATS_IOS=900 \
		"$here/run" "$job" l*.* -- --output="$job.json" --output-format=json &&
		[ "$(total total_ios "$job.json")" -eq $want ] && [ "$(total error "$job.json")" -eq 0 ]
	ok "$job: $want I/Os over 450 files, no more and no less"
done
[ "$(total total_ios oltp.json)" -gt 0 ] &&
	sed -n '/"write"/,/"total_ios"/p' oltp.json | grep -q '"total_ios" : 900,'
ok "oltp: the page writer writes"

# All 450 are used: a list cut short would leave the last ones out.
PARTSTATS_IOS=5000 "$here/run" randread-450 l*.* -- --write_iolog=log >out 2>&1
used=$(offsets log | cut -d' ' -f1 | sort -u | wc -l)
[ "$used" -eq 450 ]
ok "randread-450 reads from all 450 files ($used)"

# Names too long for one list, and names with a colon, go through short links.
mkdir "a-directory-with-a-long-name:and-a-colon"
for f in l*.*; do
	ln "$f" "a-directory-with-a-long-name:and-a-colon/$f"
done
PARTSTATS_IOS=5000 TMPDIR=$dir \
	"$here/run" randread-450 a-directory*/* -- --output=long.json --output-format=json \
	--write_iolog="$dir/long" >out 2>&1
used=$(offsets long | cut -d' ' -f1 | sort -u | wc -l)
[ "$used" -eq 450 ] && [ "$(total total_ios long.json)" -eq 5000 ]
ok "long names: all 450 files are read ($used), results stay with the caller"
! ls -d "$dir"/fio-jobs.* >/dev/null 2>&1
ok "long names: no links are left behind"

# The same seed gives the same I/O, another seed another.
for s in 1 1 2; do
	rm -f log
	PARTSTATS_IOS=50 PARTSTATS_SEED=$s "$here/run" whole-disk disk0 disk1 -- \
		--write_iolog=log >out 2>&1
	offsets log >seed.$s.new
	[ $s = 2 ] || { [ -e seed.1 ] || cp seed.1.new seed.1; }
done
[ "$(wc -l <seed.1)" -eq 50 ] && cmp -s seed.1 seed.1.new
ok "the same seed gives the same offsets"
! cmp -s seed.1 seed.2.new
ok "another seed gives other offsets"

# Sequential reads come in runs of eight neighbours.
PARTSTATS_IOS=64 "$here/run" sequential disk0 disk1 -- --write_iolog=seq >out 2>&1
offsets seq | awk '
	$1 == f && $3 == next_off { run++ }
	!($1 == f && $3 == next_off) { if (NR > 1 && run != 8) bad = 1; run = 1 }
	{ f = $1; next_off = $3 + $4 }
	END { exit bad || NR != 64 }'
ok "sequential: eight neighbours, then the next device"

# Time as the limit.
PARTSTATS_RUNTIME=1 "$here/run" whole-disk disk0 -- --output=time.json --output-format=json &&
	[ "$(total total_ios time.json)" -gt 0 ]
ok "a time limit in place of a count"
PARTSTATS_RUNTIME=200ms "$here/run" whole-disk disk0 -- --output=time.json --output-format=json &&
	[ "$(total job_runtime time.json)" -ge 200 ] && [ "$(total job_runtime time.json)" -lt 100000 ]
ok "a time limit in milliseconds"

# Writing has to be asked for, through the wrapper and in plain fio.
for f in disk0 disk1; do
	dd if=/dev/zero bs=64k count=64 2>/dev/null | tr '\0' x >$f
done
cksum disk0 disk1 >before
fails_with 2 'set PARTSTATS_WRITE=write' "$here/run" oltp disk0 disk1
ok "oltp refuses to run when PARTSTATS_WRITE is not set"
for w in '' yes 1 read randwrite; do
	PARTSTATS_WRITE=$w fails_with 2 'set PARTSTATS_WRITE=write' "$here/run" oltp disk0 disk1
	ok "oltp refuses to run with PARTSTATS_WRITE='$w'"
done
plain()
{
	env PARTSTATS_FILES=disk0:disk1 PARTSTATS_LOG=disk1 PARTSTATS_BSSPLIT=4k/100 \
		PARTSTATS_BS=4k PARTSTATS_DEPTH=8 PARTSTATS_PROCS=2 PARTSTATS_IOS=100 \
		PARTSTATS_LOG_IOS=10 PARTSTATS_RUNTIME=0 PARTSTATS_SEED=1 "$@"
}
# shellcheck disable=SC2016 # what fio shows
fails_with - 'failed parsing rw=rand${PARTSTATS_WRITE}' plain fio "$here/oltp.fio"
ok "plain fio: oltp refuses to run when PARTSTATS_WRITE is not set"
PARTSTATS_WRITE=yes fails_with - 'failed parsing rw=' plain fio "$here/oltp.fio"
ok "plain fio: oltp refuses to run with PARTSTATS_WRITE=yes"
cksum disk0 disk1 | cmp -s - before
ok "nothing was written by what was refused"
for job in $jobs; do
	[ "$job" != oltp ] || continue
	plain fio "$here/$job.fio" >out 2>&1
	ok "plain fio: $job runs with the variables of its head"
done
cksum disk0 disk1 | cmp -s - before
ok "the jobs that read have written nothing"
PARTSTATS_WRITE="write" plain fio "$here/oltp.fio" >out 2>&1
ok "plain fio: oltp runs with the variables of its head"
! cksum disk0 disk1 | cmp -s - before
ok "oltp writes when it is allowed to"

# Bad input.
fails_with 2 'usage: fio-jobs/run' "$here/run"
ok "no arguments: usage"
fails_with 2 'usage: fio-jobs/run' "$here/run" oltp
ok "no devices: usage"
fails_with 2 "there is no job 'none'" "$here/run" none disk0
ok "an unknown job"
fails_with 2 "'gone' is not a block device or a file" "$here/run" whole-disk disk0 gone
ok "a missing device"
[ ! -e gone ]
ok "a missing device is not made"
for v in IOS=x IOS=-1 DEPTH=0 DEPTH= PROCS=0 SEED=0x1 RUNTIME=1s RUNTIME=ms RUNTIME=1.5 LOG_IOS=08; do
	name=PARTSTATS_${v%%=*}
	fails_with 2 "$name=" env "PARTSTATS_$v" "$here/run" whole-disk disk0
	ok "PARTSTATS_$v is refused"
done
fails_with 2 'would run for ever' env PARTSTATS_IOS=0 PARTSTATS_RUNTIME=0 "$here/run" whole-disk disk0
ok "no limit at all is refused"
fails_with 2 'PARTSTATS_DEPTH=4' env PARTSTATS_DEPTH=4 "$here/run" sequential disk0
ok "sequential refuses a depth below its batch"

# Every job says which question it answers.
for job in $jobs; do
	head -n 5 "$here/$job.fio" | grep -q '^# Question: '
	ok "$job opens with its question"
done

echo "1..$tests"
[ $failed -eq 0 ] || {
	echo "fio-jobs/test.sh: $failed of $tests failed" >&2
	exit 1
}
