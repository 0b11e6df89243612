# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# The plan of a boot for the fault tests: those named in /payload/names, one after the other.

. /lib/partstats.sh

TESTS=/payload/tests
PATH=$TESTS:$PATH
export PATH
mkdir -p /results/tap
[ -d /sys/kernel/config/nullb ] || mount -t configfs configfs /sys/kernel/config || die "no configfs"

for TEST in $(cat /payload/names); do
	export TEST
	log "$TEST"
	sh "$TESTS/$TEST.sh" 2>"/results/tap/$TEST.stderr"
	echo $? >"/results/tap/$TEST.status"
	counts rest 0 >"/results/tap/$TEST.rest" || echo 1 >"/results/tap/$TEST.status"
done
exit 0
