#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The plugin on a whole guest: a loop of known length is counted exactly although interrupts come in
# between, the same boot gives the same counts to the digit, and counting changes nothing in the guest.
# usage: plugin/guest-test.t BLKPROF.so SAMPLE KERNEL-BUILD
set -eu

usage='usage: plugin/guest-test.t BLKPROF.so SAMPLE KERNEL-BUILD'
plugin=$(realpath "${1:?$usage}")
sample=$(realpath "${2:?$usage}")
obj=$(realpath "${3:?$usage}")
cd "$(dirname "$0")/.."
# shellcheck source=tests/tap.sh
. tests/tap.sh
# What the guests leave stays, to be looked at.
out=$(realpath "${B:-build}")/plugin/guest

# boot NAME [PLUGIN-ARGUMENTS]
boot()
{
	name=$1
	shift
	guest/run --kernel "$obj/arch/x86/boot/bzImage" --plan "$out/plan" --add "$sample" \
		--out "$out/$name" --dev none --icount --mem 256 --quiet --timeout 900 --silence 600 \
		${1:+--plugin "$plugin,vmlinux=$obj/vmlinux,agent=$sample,out=blkprof.json,rows=$PWD/plugin/rows.list,$1"}
}

# count KEY NAME RESULT: a figure of the row with that name, in the view by source
count()
{
	sed -n "/\"functions\"/,/\"symbols\"/s/.*\"name\":\"$2\".*\"$1\":\([0-9]*\).*/\1/p" "$3"
}

rm -rf "$out"
mkdir -p "$out"
# The clock is read before and after: it must stand where it stands without the plugin.
cat >"$out/plan" <<'END'
awk '/^now at/ { print $3 }' /proc/timer_list >/results/before
/payload/sample long
awk '/^now at/ { print $3 }' /proc/timer_list >/results/after
cat /proc/interrupts >/results/interrupts
END

# Two at a time, each guest keeps one CPU busy.
status=0
boot plain &
boot insns mem=off || status=$?
wait $! || status=$?
[ $status -ne 0 ] || {
	boot memory mem=on &
	boot again mem=on || status=$?
	wait $! || status=$?
}
# Without a plan nobody takes this for a success; guest/run has said why.
[ $status -eq 0 ] || exit 1

one=$out/insns/blkprof.json
memory=$out/memory/blkprof.json
got=$(count instructions 'user mode' "$one")
# begin: cpuid, pop, ret; a call; the loop; a call; end: push, mov
check "a loop of 30000002 instructions is counted exactly ($got with the marks)" \
	[ "$got" = $((3 + 1 + 2 + 3 * 10000000 + 1 + 2)) ]

got=$(count instructions 'interrupt entry' "$one")
check "interrupts came in between ($got instructions of entry code)" [ "${got:-0}" -gt 0 ]

same_with_memory()
{
	found=$(sed -n 's/.*"instructions":\([0-9]*\).*/\1/p' "$memory" | wc -l)
	got=$(count instructions 'user mode' "$memory")
	echo "$found rows, $got instructions"
	[ "$found" -gt 20 ] && [ "$got" = 30000009 ]
}
check 'the same with memory accesses counted' same_with_memory

got=$(count loads 'user mode' "$memory")
# the loop's, and the marks' pop and ret
check "one load in each turn of the loop ($got with the marks)" [ "$got" = $((10000000 + 3)) ]

check 'a second boot gives the same counts, to the digit' cmp "$memory" "$out/again/blkprof.json"

# The same rows with the same counts, whatever else stands in them.
rows()
{
	sed -n 's/.*\("name":.*"instructions":[0-9]*\).*/\1/p' "$out/$1/blkprof.json"
}
rows insns >"$tap_tmp/insns"
rows memory >"$tap_tmp/memory"
check 'counting memory accesses does not change the count of instructions' \
	diff "$tap_tmp/insns" "$tap_tmp/memory"

for name in insns memory; do
	check "the guest under the plugin ($name) ran to the nanosecond as it does without" \
		diff -r "$out/plain/results" "$out/$name/results"
done

got=$(awk -F '"instructions":' '
	/"total":/ { gsub(/[^0-9]/, ""); total = $0 }
	/"functions"/ { view = 1 } /"symbols"/ { view = 2 }
	NF > 1 { sum[view] += $2 }
	END { printf "%d %d %d", total, sum[1], sum[2] }' "$one")
adds_up()
{
	[ "$1" -gt 30000009 ] && [ "$1" -eq "$2" ] && [ "$1" -eq "$3" ]
}
# shellcheck disable=SC2086 # three numbers
check "both views add up to the total: $got" adds_up $got

# Another CPU is busy meanwhile: here blocks are counted, for each CPU by itself, and host time decides.
cat >"$out/plan" <<'END'
yes >/dev/null &
/payload/sample long
kill $!
END
two_cpus()
{
	guest/run --kernel "$obj/arch/x86/boot/bzImage" --plan "$out/plan" --add "$sample" --out "$out/smp" \
		--dev none --smp 2 --mem 256 --quiet --timeout 900 --silence 600 \
		--plugin "$plugin,vmlinux=$obj/vmlinux,agent=$sample,out=blkprof.json,mem=on" || return 1
	got=$(sed -n 's/.*"total":\([0-9]*\).*/\1/p; s/.*"per_vcpu":\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/p' "$out/smp/blkprof.json" | tr '\n' ' ')
	echo "total, and of each CPU: $got"
	# shellcheck disable=SC2086 # three numbers
	set -- $got
	[ $# -eq 3 ] && [ "$2" -gt 0 ] && [ "$3" -gt 0 ] && [ $(($2 + $3)) -eq "$1" ] && [ "$1" -gt 30000009 ]
}
check 'two CPUs are counted apart' two_cpus

done_testing
