#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# `make guest-shell`: a person at a terminal has a shell in the guest, disks and toggles in place.
# usage: KERNEL_IMAGE=.../bzImage guest/shell-test.t
set -u

here=$(cd "$(dirname "$0")" && pwd)
: "${KERNEL_IMAGE:?names the kernel to boot}"
# shellcheck source=tests/tap.sh
. "$here/../tests/tap.sh"
# A failing test shows what the terminal did.
tap_said=$tap_tmp/screen

# Types a line once the guest has printed its Nth prompt; a guest that does not come to that ends by its
# own time limit.
typed=0
enter()
{
	typed=$((typed + 1))
	until [ "$(grep -ao 'guest# ' "$tap_tmp/screen" | wc -l)" -ge $typed ] ||
		! kill -0 "$terminal" 2>/dev/null; do
		sleep 0.2
	done
	# In a shell of its own: where nobody reads any more, the signal ends only that.
	(echo "$1") >&3 || :
}

: >"$tap_tmp/screen"
mkfifo "$tap_tmp/keys"
# timeout(1) makes a process group of its own for what it runs, in the background of the terminal, where
# QEMU would be stopped; it does not where it leads the session, so the shell makes way for it.
SHELL=/bin/sh script -qefc "exec timeout 300 $here/run --kernel $KERNEL_IMAGE --shell --dev both --out $tap_tmp/out" \
	/dev/null <"$tap_tmp/keys" >"$tap_tmp/screen" 2>&1 &
terminal=$!
exec 3>"$tap_tmp/keys"
# What is typed is echoed: the answers must not look like the questions.
enter 'echo parts $(ls /dev/ps/det/lun*p* | wc -l) $(ls /dev/ps/real/lun*p* | wc -l)'
enter 'echo 0 | tee /sys/block/*/queue/iostats >/dev/null; echo toggles $(cat /sys/block/sd*/queue/iostats | sort | uniq -c)'
enter 'echo jobs $(ls /fio-jobs/*.fio | wc -l)'
enter 'exit'
exec 3>&-
wait $terminal
status=$?
check 'the shell ends as its last command did' [ $status -eq 0 ]
check 'both sets of disks are there, with their partitions' grep -aq '^parts 450 450' "$tap_tmp/screen"
check 'the toggles can be switched' grep -aq '^toggles 60 0' "$tap_tmp/screen"
check 'the jobs are there' grep -aq '^jobs [1-9]' "$tap_tmp/screen"

done_testing
