#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The report as a program: exit statuses, messages, and that a failure leaves no result.
# usage: report/report-test.t REPORT
set -u

report=${1:?usage: report/report-test.t REPORT}
run=$(dirname "$0")/run.sh
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tests/tap.sh"

# fails PATTERN ARGUMENT...: exit status 2, and a message with PATTERN
fails()
{
	pattern=$1
	shift
	"$report" "$@" >"$tap_tmp/out" 2>&1
	status=$?
	echo "exit status $status; expected 2 and: $pattern"
	cat "$tap_tmp/out"
	[ $status -eq 2 ] && grep -qF -e "$pattern" "$tap_tmp/out"
}

# refused TEXT PATTERN ARGUMENT...
refused()
{
	text=$1
	shift
	check "$text" fails "$@"
}

# boot KERNEL SETTING...: a boot of one job, each setting 1 % faster than the one before
boot()
{
	kernel=$1
	shift
	for part in deterministic real_path; do
		b=$tap_tmp/$part.$kernel
		mkdir -p "$b"
		runs=
		for s; do
			fast=$((fast + 1))
			runs="$runs${runs:+,}{\"job\":\"oltp\",\"setting\":\"$s\",\"pass\":1,\"run\":\"$s\",\"base\":\"$s.base\",\"ios\":11000,\"base_ios\":1000}"
			for r in "$s" "$s.base"; do
				ns=20000000 ios=1000
				[ "$r" != "$s" ] || { ns=$((120000000 - 1000000 * fast)) ios=11000; }
				echo "{\"jobs\":[{\"jobname\":\"oltp\",\"error\":0,\"read\":{\"total_ios\":$ios,\"runtime\":100},\"write\":{\"total_ios\":0,\"runtime\":0}}]}" >"$b/$r.fio.json"
				echo "{\"wall_ns\":$ns,\"intr\":$ios,\"ctxt\":$ios,\"user_ticks\":$ios,\"system_ticks\":$ios,\"idle_ticks\":0,\"iowait_ticks\":0,\"irq_ticks\":0,\"softirq_ticks\":0,\"steal_ticks\":0,\"exit\":0}" >"$b/$r.stat.json"
				echo "{\"wall_ns\":$ns,\"idle_ns\":0}" >"$b/$r.clock.json"
			done
		done
		echo "{\"part\":\"$part\",\"kernel\":\"$kernel\",\"release\":\"6.12\",\"round\":1,\"cpus\":1,\"runs\":[$runs]}" >"$b/plan.json"
		fast=$((fast - $#))
	done
	fast=$((fast + $#))
}

fast=-1
boot stock stock
boot patched patched part_stats=0 part_stats=2 iostats=0
boot noacct noacct
echo '{"qemu":"7.2","fio":"fio-3.33"}' >"$tap_tmp/host.json"

check "six settings of three kernels become run.json" \
	"$report" run -o "$tap_tmp/run.json" -m "$tap_tmp/host.json" \
	"$tap_tmp"/*.stock "$tap_tmp"/*.patched "$tap_tmp"/*.noacct
table()
{
	"$report" table "$tap_tmp/run.json" >"$tap_tmp/table"
}
check "run.json becomes tables" table
# 100 ms, 99 ms, ... for the same I/Os
ratios()
{
	cat "$tap_tmp/table"
	grep -q '^| patched, defaults |     1.0101 |' "$tap_tmp/table" &&
		grep -q '^| compiled out      |     1.0526 |' "$tap_tmp/table"
}
check "the ratios come out" ratios
cp "$tap_tmp/run.json" "$tap_tmp/before"

refused "no arguments" "usage:"
refused "an unknown command" "usage:" show
refused "no output file" "usage:" run -m "$tap_tmp/host.json" "$tap_tmp"/*.stock
refused "no boots" "usage:" run -o "$tap_tmp/run.json" -m "$tap_tmp/host.json"
refused "a table of nothing" "none.json" table "$tap_tmp/none.json"
refused "a boot that is not there" "nowhere/plan.json" \
	run -o "$tap_tmp/run.json" -m "$tap_tmp/host.json" "$tap_tmp/nowhere"
refused "one kernel alone" "was not measured in setting patched" \
	run -o "$tap_tmp/run.json" -m "$tap_tmp/host.json" "$tap_tmp"/*.stock
echo '{"jobs"' >"$tap_tmp/real_path.noacct/noacct.fio.json"
refused "a result cut short" "noacct.fio.json: line" \
	run -o "$tap_tmp/run.json" -m "$tap_tmp/host.json" "$tap_tmp"/*.stock "$tap_tmp"/*.patched "$tap_tmp"/*.noacct
echo '{' >"$tap_tmp/bad.json"
refused "host facts that are no JSON" "bad.json: line" \
	run -o "$tap_tmp/run.json" -m "$tap_tmp/bad.json" "$tap_tmp"/*.stock
refused "a directory that takes no file" "cannot be written" \
	run -o "$tap_tmp/none/run.json" -m "$tap_tmp/host.json" \
	"$tap_tmp"/det*.stock "$tap_tmp"/det*.patched "$tap_tmp"/det*.noacct
check "what failed has left the earlier run.json alone" cmp "$tap_tmp/run.json" "$tap_tmp/before"
check "what failed has left nothing else" not ls "$tap_tmp"/*.tmp

# make run: a setting that makes no sense is refused before anything is built or booted.
run_refuses()
{
	env MAKE=false "$1" "$run" >"$tap_tmp/out" 2>&1
	status=$?
	echo "exit status $status"
	cat "$tap_tmp/out"
	[ $status -eq 2 ] && grep -qF "${1%%=*}" "$tap_tmp/out" && ! grep -q '^\[1/' "$tap_tmp/out"
}
for v in RUN_IOS=x RUN_IOS=100 RUN_ROUNDS= RUN_ROUNDS=-1 RUN_TIME=5h RUN_TIME=0 RUN_JOBS=none \
	RUN_JOBS= RUN_COUNT=1 RUN_BASE_IOS=09 RUN_SEED=a RUN_PASSES=0; do
	check "make run: $v is refused" run_refuses "$v"
done

done_testing
