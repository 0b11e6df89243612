#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest/run with real guests: what the plan leaves comes back, and each way to fail is told apart.
# usage: KERNEL_IMAGE=.../bzImage guest/boot-test.t
set -u

here=$(cd "$(dirname "$0")" && pwd)
: "${KERNEL_IMAGE:?names the kernel to boot}"
# shellcheck source=tests/tap.sh
. "$here/../tests/tap.sh"
# A failing test shows what guest/run said.
tap_said=$tap_tmp/said

# boot OPTION...: run the plan given on standard input; its exit status in $status
boot()
{
	cat >"$tap_tmp/plan"
	"$here/run" --kernel "$KERNEL_IMAGE" --plan "$tap_tmp/plan" --out "$tap_tmp/out" "$@" \
		>"$tap_tmp/said" 2>&1
	status=$?
}

said()
{
	grep -qF -- "$1" "$tap_tmp/said"
}

# Nothing of the launcher's is left: no process that works in its directory, no temporary files.
left_nothing()
{
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/cwd" 2>/dev/null)" != "$tap_tmp/out" ] || return 1
	done
	[ -z "$(find "$tap_tmp/out" -name "tmp.*")" ]
}

# --- a good run
mkdir "$tap_tmp/extra"
echo 'from the host' >"$tap_tmp/extra/file"
boot --dev none --add "$tap_tmp/extra" <<'END'
. /lib/partstats.sh
log the plan runs
mkdir -p /results/a/b
cat /payload/extra/file >/results/a/b/file
agent measure /results/measure.json -- sh -c 'sleep 0.1; exit 7'
echo $? >/results/measure.status
agent measure /results/nosuch.json -- nosuch 2>/dev/null
echo $? >/results/nosuch.status
END
check 'a good run exits 0' [ $status -eq 0 ]
check 'its status is 0' [ "$(cat "$tap_tmp/out/results/status")" = 0 ]
check 'its progress is shown' said 'the plan runs'
check 'what was added got there, what it left came back' \
	cmp "$tap_tmp/extra/file" "$tap_tmp/out/results/a/b/file"
check 'measure gives the status of its command' [ "$(cat "$tap_tmp/out/results/measure.status")" = 7 ]
check 'measure says so, and how long it took' \
	grep -q '^{"wall_ns":[1-9][0-9]\{8,\},.*"exit":7}$' "$tap_tmp/out/results/measure.json"
check 'measure without a command to run fails' [ "$(cat "$tap_tmp/out/results/nosuch.status")" = 127 ]
check 'and writes nothing' [ ! -e "$tap_tmp/out/results/nosuch.json" ]
check 'the QEMU command is kept' grep -q '^qemu-system-x86_64 .*-accel tcg' "$tap_tmp/out/cmdline"
check 'nothing is left behind' left_nothing

# --- each way to fail
boot --dev none --quiet <<'END'
echo partial >/results/partial
exit 3
END
check 'a plan that fails: exit 1' [ $status -eq 1 ]
check 'its status is told' said 'the plan failed with status 3'
check 'what it left came back' [ "$(cat "$tap_tmp/out/results/partial")" = partial ]
check 'what an earlier run left is gone' [ ! -e "$tap_tmp/out/results/a" ]

# A table of CPUs lists what is in a socket of its own, and a kernel without ACPI knows no other.
boot --dev none --smp 3 <<'END'
[ "$(nproc)" -eq 3 ]
END
check 'all CPUs come up' [ $status -eq 0 ]

boot --dev none <<'END'
echo '<4>WARNING: CPU: 0 PID: 1 at planted.c:1' >/dev/kmsg
END
check 'a complaint of the kernel: exit 3' [ $status -eq 3 ]
check 'it is shown' said 'WARNING: CPU: 0 PID: 1 at planted.c:1'
check 'the results are there all the same' [ "$(cat "$tap_tmp/out/results/status")" = 0 ]

boot --dev none --icount --timeout 300 <<'END'
echo partial >/results/partial
sleep 100000
END
check 'a plan that never ends: exit 4' [ $status -eq 4 ]
check 'its time limit is told' said 'the plan ran into its time limit'
check 'what it left came back' [ "$(cat "$tap_tmp/out/results/partial")" = partial ]
check 'its status is 124' [ "$(cat "$tap_tmp/out/results/status")" = 124 ]

boot --dev none --timeout 1 <<'END'
sleep 100000
END
check 'a guest that never ends: exit 4' [ $status -eq 4 ]
check 'the time limit is told' said 'time limit of 1 s reached'
check 'nothing is left behind' left_nothing

# A guest that has gone away gives no sign of life any more.
boot --dev none --silence 3 --append 'ps.alive=0' <<'END'
sleep 100000
END
check 'a guest that falls silent: exit 4' [ $status -eq 4 ]
check 'its silence is told' said 'printed nothing for 3 s'

boot --dev none <<'END'
kill -KILL 1
reboot -f
END
check 'a guest that ends without a result: exit 4' [ $status -eq 4 ]
check 'that is told' said 'ended without a result'

boot --dev none --append 'ps.dev=virtio scsi_mod.scan=none' --timeout 200 --icount </dev/null
check 'disks that do not come up: exit 1' [ $status -eq 1 ]
check 'it is told which' said 'real: 0 LUNs of driver virtio_scsi'

# --- interrupted
echo 'sleep 100000' >"$tap_tmp/plan"
rm -rf "$tap_tmp/out"
"$here/run" --kernel "$KERNEL_IMAGE" --plan "$tap_tmp/plan" --out "$tap_tmp/out" --dev none \
	>"$tap_tmp/said" 2>&1 &
run=$!
until grep -q 'Linux version' "$tap_tmp/out/console.log" 2>/dev/null || ! kill -0 $run; do
	sleep 0.2
done
kill -TERM $run
wait $run
check 'ended by a signal: exit 143' [ $? -eq 143 ]
check 'it is told' said 'ended by a signal'
check 'nothing is left behind' left_nothing

done_testing
