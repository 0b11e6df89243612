#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest/splats: finds each kind of kernel complaint, and nothing in a healthy boot.
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tap.sh
. "$here/../tests/tap.sh"

# marked LINE: of the log, this line is marked, and no other
marked()
{
	shown=$("$here/splats" "$tap_tmp/log")
	status=$?
	printf '%s\n' "status $status" "$shown"
	[ $status -eq 1 ] && [ "$(printf '%s\n' "$shown" | grep -c '^> ')" -eq 1 ] &&
		printf '%s\n' "$shown" | grep -qF -- "$1"
}

# finds NAME LINE: LINE, inside a healthy boot, is found, shown, and makes the run fail
finds()
{
	{
		cat "$tap_tmp/healthy"
		printf '%s\r\n' "$2"
		cat "$tap_tmp/healthy"
	} >"$tap_tmp/log"
	check "$1 is found" marked "$2"
}

# clean LOG: nothing is found
clean()
{
	shown=$("$here/splats" "$1")
	status=$?
	printf '%s\n' "status $status" "$shown"
	[ $status -eq 0 ] && [ "$shown" = clean ]
}

# passes NAME LINE: LINE is no complaint
passes()
{
	{
		cat "$tap_tmp/healthy"
		printf '%s\r\n' "$2"
	} >"$tap_tmp/log"
	check "$1 is no complaint" clean "$tap_tmp/log"
}

refused()
{
	message=$("$here/splats" "$@" 2>&1 >/dev/null)
	status=$?
	echo "status $status, message '$message'"
	[ $status -eq 2 ] && [ -n "$message" ]
}

# refuses NAME ARGUMENT...: exit status 2, and a message
refuses()
{
	name=$1
	shift
	check "$name is refused" refused "$@"
}

cat >"$tap_tmp/healthy" <<'END'
[    0.000000] Linux version 6.12.0 (build@host) (gcc 12.2.0) #1 SMP
[    0.000000] Command line: console=ttyS0 nokaslr panic=-1 oops=panic reboot=t ps.dev=both
[    0.012000] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on, data leaks possible
[    0.020000] mce: CPU supports 10 MCE banks
[    0.031000] rcu: Hierarchical RCU implementation.
[    0.032000] rcu: 	RCU debug extended QS entry/exit.
[    0.040000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
[    0.050000] kasan: KernelAddressSanitizer initialized
[    0.060000] kcsan: enabled early
[    0.061000] kcsan: strict mode configured
[    0.400000] scsi host0: scsi_debug: version 0191 [20210520]
[    0.400000]   dev_size_mb=64, opts=0x0, submit_queues=1, statistics=0
[    0.500000] sd 0:0:0:0: [sda] 131072 512-byte logical blocks: (67.1 MB/64.0 MiB)
[    0.600000] debugfs: initialized
[    0.700000] Freeing unused kernel image (initmem) memory: 1024K
[    0.700000] Run /init as init process
partstats: det: 30 LUNs, 450 partitions
partstats: ready
partstats: log: not ok 3 - a warning in a plan's own words, no bug
partstats: end, status 0
[    9.000000] reboot: Restarting system
END

passes 'a healthy boot' 'the end'
: >"$tap_tmp/empty"
check 'an empty log is clean' clean "$tap_tmp/empty"
check '- reads standard input' clean - <"$tap_tmp/healthy"
passes 'a program that died' \
	'[    1.000000] traps: fio[123] general protection fault ip:40123 sp:7ffe error:0 in fio'
passes 'a word in the command line' '[    0.000000] Command line: oops=panic panic_on_warn=0'

finds 'WARN_ON()' '[    1.234567] WARNING: CPU: 1 PID: 77 at block/genhd.c:144 part_stat+0x10/0x20'
finds 'WARN_ON() without a time stamp' 'WARNING: CPU: 1 PID: 77 at block/genhd.c:144'
finds 'WARN_ON() with the CPU shown' '[    1.234567][   T77] WARNING: CPU: 1 PID: 77 at block/x.c:1'
finds 'WARN_ON() in the middle of a line' 'partstats: log: hal[    1.234567] WARNING: CPU: 1 PID: 77'
finds 'a lock order reported by lockdep' \
	'[    1.0] WARNING: possible circular locking dependency detected'
finds 'suspicious RCU usage' '[    1.0] WARNING: suspicious RCU usage'
finds 'lockdep giving up' '[    1.0] INFO: trying to register non-static key.'
finds 'KASAN' '[    1.0] BUG: KASAN: slab-use-after-free in disk_map_sector_rcu+0x4/0x9'
finds 'KCSAN' '[    1.0] BUG: KCSAN: data-race in update_io_ticks / update_io_ticks'
finds 'UBSAN' '[    1.0] UBSAN: array-index-out-of-bounds in block/part-map.c:10:20'
finds 'sleeping in atomic context' \
	'[    1.0] BUG: sleeping function called from invalid context at mm/slab.h:1'
finds 'a NULL pointer' '[    1.0] BUG: kernel NULL pointer dereference, address: 0000000000000008'
finds 'a bad address' '[    1.0] Unable to handle kernel paging request at virtual address 00000001'
finds 'an oops' '[    1.0] Oops: 0002 [#1] SMP PTI'
finds 'a general protection fault' \
	'[    1.0] general protection fault, probably for non-canonical address 0x6b6b6b6b6b6b6b6b'
finds 'BUG_ON()' '[    1.0] kernel BUG at block/blk-mq.c:1000!'
finds 'a corrupted slab' '[    1.0] BUG kmalloc-64 (Not tainted): Poison overwritten'
finds 'a corrupted list' '[    1.0] list_del corruption. prev->next should be 0001, but was 0002'
finds 'a reference count' '[    1.0] refcount_t: underflow; use-after-free.'
finds 'debug objects' '[    1.0] ODEBUG: free active (active state 0) object: 1 object type: rcu_head'
finds 'an RCU stall' '[    1.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:'
finds 'an RCU stall of this CPU' '[    1.0] rcu: INFO: rcu_sched self-detected stall on CPU'
finds 'a hung task' '[    1.0] INFO: task fio:77 blocked for more than 120 seconds.'
finds 'a soft lockup' '[    1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [fio:77]'
finds 'a leak' '[    1.0] kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)'
finds 'no memory' '[    1.0] fio invoked oom-killer: gfp_mask=0xcc0, order=0, oom_score_adj=0'
finds 'a panic' '[    1.0] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100'
finds 'a bare stack trace' '[    1.0] Call Trace:'

refuses 'no argument'
refuses 'a second argument' "$tap_tmp/empty" "$tap_tmp/empty"
refuses 'a log that is not there' "$tap_tmp/nosuch"
refuses 'a directory' "$tap_tmp"

done_testing
