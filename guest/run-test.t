#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest/run: bad input is refused with exit status 2 and a message that names it, before anything is
# made.  Nothing boots here.
set -u

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=0

: >"$tmp/kernel"
: >"$tmp/plan"
: >"$tmp/plugin.so"

# refuses NAME 'WORDS OF THE MESSAGE' ARGUMENT...
refuses()
{
	name=$1 words=$2
	shift 2
	count=$((count + 1))
	message=$("$here/run" "$@" 2>&1 </dev/null)
	status=$?
	if [ $status -eq 2 ] && [ ! -e "$tmp/out" ] && printf '%s\n' "$message" | grep -qF -- "$words"
	then
		echo "ok $count - $name is refused"
	else
		echo "not ok $count - $name is refused"
		echo "# status $status, message: $message"
		[ ! -e "$tmp/out" ] || echo "# and $tmp/out was made"
		rm -rf "$tmp/out"
	fi
}

# refuses_with NAME 'WORDS' ARGUMENT...: the same, the rest of the command line being right
refuses_with()
{
	name=$1 words=$2
	shift 2
	refuses "$name" "$words" --kernel "$tmp/kernel" --plan "$tmp/plan" --out "$tmp/out" "$@"
}

echo 'TAP version 13'

refuses 'an empty command line' '--kernel is missing'
refuses 'no kernel' '--kernel is missing' --plan "$tmp/plan" --out "$tmp/out"
refuses 'no plan' '--plan is missing' --kernel "$tmp/kernel" --out "$tmp/out"
refuses 'no directory for the results' '--out is missing' --kernel "$tmp/kernel" --plan "$tmp/plan"
refuses_with 'a kernel that is not there' "--kernel $tmp/nosuch: no such file" --kernel "$tmp/nosuch"
refuses_with 'a directory as kernel' "--kernel $tmp: no such file" --kernel "$tmp"
refuses_with 'a plan that is not there' "--plan $tmp/nosuch: no such file" --plan "$tmp/nosuch"
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
refuses_with 'a plugin that is not there' "--plugin $tmp/nosuch.so: no such file" \
	--plugin "$tmp/nosuch.so,out=x"
refuses_with 'a plugin under KVM' '--plugin needs --accel tcg' --accel kvm --plugin "$tmp/plugin.so"
refuses_with 'something to add that is not there' "--add $tmp/nosuch: no such file" \
	--add "$tmp/nosuch"
refuses_with 'a shell without a terminal' '--shell needs a terminal' --shell
if [ ! -e /dev/kvm ]; then
	refuses_with 'KVM where there is none' 'there is no /dev/kvm here' --accel kvm
fi

echo "1..$count"
