#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The report as a program: exit statuses, messages, and that a failure leaves no result.
# usage: report/report-test.sh REPORT
set -u

report=${1:?usage: report/report-test.sh REPORT}
dir=$(mktemp -d "${TMPDIR:-/tmp}/report-test.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
tests=0
failed=0

# refused TEXT PATTERN ARGUMENT...: exit status 2, and a message with PATTERN
refused()
{
	text=$1 pattern=$2
	shift 2
	"$report" "$@" >"$dir/out" 2>&1
	status=$?
	tests=$((tests + 1))
	if [ $status -eq 2 ] && grep -qF -e "$pattern" "$dir/out"; then
		echo "ok $tests - $text"
	else
		failed=$((failed + 1))
		echo "not ok $tests - $text (status $status)"
		sed 's/^/# /' "$dir/out"
	fi
}

check()
{
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		failed=$((failed + 1))
		echo "not ok $tests - $2"
	fi
}

# boot KERNEL SETTING...: a boot of one job, each setting 1 % faster than the one before
boot()
{
	kernel=$1
	shift
	for part in deterministic real_path; do
		b=$dir/$part.$kernel
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
echo '{"qemu":"7.2","fio":"fio-3.33"}' >"$dir/host.json"

"$report" run -o "$dir/run.json" -m "$dir/host.json" "$dir"/*.stock "$dir"/*.patched "$dir"/*.noacct
check $? "six settings of three kernels become run.json"
"$report" table "$dir/run.json" >"$dir/table"
check $? "run.json becomes tables"
# 100 ms, 99 ms, ... for the same I/Os
grep -q '^| patched, defaults |     1.0101 |' "$dir/table" &&
	grep -q '^| compiled out      |     1.0526 |' "$dir/table"
check $? "the ratios come out"
cp "$dir/run.json" "$dir/before"

refused "no arguments" "usage:"
refused "an unknown command" "usage:" show
refused "no output file" "usage:" run -m "$dir/host.json" "$dir"/*.stock
refused "no boots" "usage:" run -o "$dir/run.json" -m "$dir/host.json"
refused "a table of nothing" "none.json" table "$dir/none.json"
refused "a boot that is not there" "nowhere/plan.json" \
	run -o "$dir/run.json" -m "$dir/host.json" "$dir/nowhere"
refused "one kernel alone" "was not measured in setting patched" \
	run -o "$dir/run.json" -m "$dir/host.json" "$dir"/*.stock
echo '{"jobs"' >"$dir/real_path.noacct/noacct.fio.json"
refused "a result cut short" "noacct.fio.json: line" \
	run -o "$dir/run.json" -m "$dir/host.json" "$dir"/*.stock "$dir"/*.patched "$dir"/*.noacct
echo '{' >"$dir/bad.json"
refused "host facts that are no JSON" "bad.json: line" \
	run -o "$dir/run.json" -m "$dir/bad.json" "$dir"/*.stock
refused "a directory that takes no file" "cannot be written" \
	run -o "$dir/none/run.json" -m "$dir/host.json" "$dir"/det*.stock "$dir"/det*.patched "$dir"/det*.noacct
cmp -s "$dir/run.json" "$dir/before"
check $? "what failed has left the earlier run.json alone"
! ls "$dir"/*.tmp >/dev/null 2>&1
check $? "what failed has left nothing else"

# make run: a setting that makes no sense is refused before anything is built or booted.
run=$(dirname "$0")/run.sh
for v in RUN_IOS=x RUN_IOS=100 RUN_ROUNDS= RUN_ROUNDS=-1 RUN_TIME=5h RUN_TIME=0 RUN_JOBS=none \
	RUN_JOBS= RUN_COUNT=1 RUN_BASE_IOS=09 RUN_SEED=a RUN_PASSES=0; do
	env MAKE=false "$v" "$run" >"$dir/out" 2>&1
	[ $? -eq 2 ] && grep -qF "${v%%=*}" "$dir/out" && ! grep -q '^\[1/' "$dir/out"
	check $? "make run: $v is refused"
done

echo "1..$tests"
[ $failed -eq 0 ] || {
	echo "report/report-test.sh: $failed of $tests failed" >&2
	exit 1
}
