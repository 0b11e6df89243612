#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest/run: bad input is refused with exit status 2 and a message that names it, before anything is
# made.  Nothing boots here.
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/tap.sh
. "$here/../tests/tap.sh"

: >"$tap_tmp/kernel"
: >"$tap_tmp/plan"
: >"$tap_tmp/plugin.so"

# refused 'WORDS OF THE MESSAGE' ARGUMENT...
refused()
{
	words=$1
	shift
	message=$("$here/run" "$@" 2>&1 </dev/null)
	status=$?
	echo "status $status, message: $message"
	if [ -e "$tap_tmp/out" ]; then
		echo "and $tap_tmp/out was made"
		rm -rf "$tap_tmp/out"
		return 1
	fi
	[ $status -eq 2 ] && printf '%s\n' "$message" | grep -qF -- "$words"
}

# refuses NAME 'WORDS OF THE MESSAGE' ARGUMENT...
refuses()
{
	name=$1
	shift
	check "$name is refused" refused "$@"
}

# refuses_with NAME 'WORDS' ARGUMENT...: the same, the rest of the command line being right
refuses_with()
{
	name=$1 words=$2
	shift 2
	refuses "$name" "$words" --kernel "$tap_tmp/kernel" --plan "$tap_tmp/plan" --out "$tap_tmp/out" "$@"
}

refuses 'an empty command line' '--kernel is missing'
refuses 'no kernel' '--kernel is missing' --plan "$tap_tmp/plan" --out "$tap_tmp/out"
refuses 'no plan' '--plan is missing' --kernel "$tap_tmp/kernel" --out "$tap_tmp/out"
refuses 'no directory for the results' '--out is missing' --kernel "$tap_tmp/kernel" --plan "$tap_tmp/plan"
refuses_with 'a kernel that is not there' "--kernel $tap_tmp/nosuch: no such file" --kernel "$tap_tmp/nosuch"
refuses_with 'a directory as kernel' "--kernel $tap_tmp: no such file" --kernel "$tap_tmp"
refuses_with 'a plan that is not there' "--plan $tap_tmp/nosuch: no such file" --plan "$tap_tmp/nosuch"
refuses_with 'an unknown option' '--frobnicate: unknown option' --frobnicate
refuses_with 'a word too many' 'word: unknown option' word
refuses_with 'an option without its value' '--timeout needs a value' --timeout
refuses_with 'an unknown set of disks' 'accepted: scsi_debug, virtio, both, none' --dev nvme
refuses_with 'an unknown accelerator' 'accepted: tcg, kvm' --accel xen
for option in --smp --mem --timeout --silence; do
	refuses_with "$option without a number" "$option: 'many' is not a number" $option many
	refuses_with "$option below zero" "$option: '-1' is not a number" $option -1
	refuses_with "$option empty" "$option: '' is not a number" $option ''
	refuses_with "$option 0" "$option: 0 is out of range" $option 0
	refuses_with "$option with a huge number" "$option: '99999999999999999999' is not a number" \
		$option 99999999999999999999
done
refuses_with 'a time with a unit' "--timeout: '10s' is not a number" --timeout 10s
refuses_with '--icount on two CPUs' '--icount runs on one CPU' --icount --smp 2
refuses_with '--icount under KVM' '--icount needs --accel tcg' --icount --accel kvm
refuses_with 'a plugin that is not there' "--plugin $tap_tmp/nosuch.so: no such file" \
	--plugin "$tap_tmp/nosuch.so,out=x"
refuses_with 'a plugin under KVM' '--plugin needs --accel tcg' --accel kvm --plugin "$tap_tmp/plugin.so"
refuses_with 'something to add that is not there' "--add $tap_tmp/nosuch: no such file" \
	--add "$tap_tmp/nosuch"
refuses_with 'a shell without a terminal' '--shell needs a terminal' --shell
if [ ! -e /dev/kvm ]; then
	refuses_with 'KVM where there is none' 'there is no /dev/kvm here' --accel kvm
fi

done_testing
