# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The plan of every boot for the guest tests: run the test files that boot.sh has put into the guest,
# one after the other, each in a shell of its own.
#
# After each of them nothing may be in flight, the toggles are at the defaults that the kernel came
# up with, and the devices are those that were there at first: else the test has failed.

. /lib/partstats.sh

TESTS=/payload/tests
PATH=$TESTS:$PATH
export PATH
mkdir -p /results/tap /results/facts
mount -t configfs configfs /sys/kernel/config || die "no configfs"

# What a test has to leave as it was.
SETTINGS='/sys/block/*/queue/iostats /sys/block/*/queue/part_stats
	/sys/block/*/queue/nomerges /sys/block/*/queue/max_sectors_kb
	/sys/bus/pseudo/drivers/scsi_debug/delay'

state()
{
	ls /sys/class/block
	# shellcheck disable=SC2086 # patterns; a stock kernel has no part_stats
	grep -H . $SETTINGS 2>/dev/null
}

restore()
{
	grep '^/' /tmp/state | while IFS=: read -r file value; do
		[ ! -e "$file" ] || [ "$(cat "$file")" = "$value" ] || echo "$value" >"$file"
	done
}

# aftermath TEST: results of their own, which boot.sh adds to those of the test
aftermath()
{
	TAP=/results/tap/$1.after
	tap_count=0
	if busy=$(counts rest 0); then
		ok "nothing in flight"
	else
		not_ok "nothing in flight"
		diag "$busy"
	fi
	if changed=$(state | diff /tmp/state -); then
		ok "toggles and devices are as they were"
	else
		not_ok "toggles and devices are as they were"
		diag "$changed"
		restore
	fi
	tap_done 2
}

state >/tmp/state
for file in "$TESTS"/[0-9]*.sh; do
	TEST=${file##*/}
	TEST=${TEST%.sh}
	export TEST
	read -r start _ </proc/uptime
	sh "$file" >"/results/tap/$TEST.stdout" 2>"/results/tap/$TEST.stderr"
	echo $? >"/results/tap/$TEST.status"
	aftermath "$TEST" >/dev/null
	read -r end _ </proc/uptime
	log "$TEST: $(grep -c '^ok' "/results/tap/$TEST.tap") ok, $(grep -c '^not ok' \
		"/results/tap/$TEST.tap") not ok, $start to $end s"
done
exit 0
