#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The plugin on a whole guest: a loop of known length is counted exactly although interrupts come in
# between, the same boot gives the same counts to the digit, and counting changes nothing in the guest.
# usage: plugin/test-guest.sh BLKPROF.so SAMPLE KERNEL-BUILD
set -eu

plugin=$(realpath "$1")
sample=$(realpath "$2")
obj=$3
out=$(realpath "${B:-build}")/plugin/guest
tests=0 failed=0

# result STATUS DESCRIPTION
result()
{
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		echo "not ok $tests - $2"
		failed=$((failed + 1))
	fi
}

# boot NAME [PLUGIN-ARGUMENTS]
boot()
{
	name=$1
	shift
	guest/run --kernel "$obj/arch/x86/boot/bzImage" --plan "$out/plan" --add "$sample" \
		--out "$out/$name" --dev none --icount --mem 256 --quiet --timeout 900 --silence 600 \
		${1:+--plugin "$plugin,vmlinux=$(realpath "$obj/vmlinux"),agent=$sample,out=blkprof.json,rows=$PWD/plugin/rows.list,$1"}
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
boot plain &
boot insns mem=off
wait $!
boot memory mem=on &
boot again mem=on
wait $!

one=$out/insns/blkprof.json
got=$(count instructions 'user mode' "$one")
# begin: cpuid, pop, ret; a call; the loop; a call; end: push, mov
[ "$got" = $((3 + 1 + 2 + 3 * 10000000 + 1 + 2)) ]
result $? "a loop of 30000002 instructions is counted exactly ($got with the marks)"

got=$(count instructions 'interrupt entry' "$one")
[ "${got:-0}" -gt 0 ]
result $? "interrupts came in between ($got instructions of entry code)"

got=$(sed -n 's/.*"instructions":\([0-9]*\).*/\1/p' "$out/memory/blkprof.json" | wc -l)
[ "$got" -gt 20 ] && [ "$(count instructions 'user mode' "$out/memory/blkprof.json")" = 30000009 ]
result $? "the same with memory accesses counted"

got=$(count loads 'user mode' "$out/memory/blkprof.json")
# the loop's, and the marks' pop and ret
[ "$got" = $((10000000 + 3)) ]
result $? "one load in each turn of the loop ($got with the marks)"

cmp "$out/memory/blkprof.json" "$out/again/blkprof.json"
result $? "a second boot gives the same counts, to the digit"

# The same rows with the same counts, whatever else stands in them.
rows()
{
	sed -n 's/.*\("name":.*"instructions":[0-9]*\).*/\1/p' "$out/$1/blkprof.json"
}
[ "$(rows insns)" = "$(rows memory)" ]
result $? "counting memory accesses does not change the count of instructions"

for name in insns memory; do
	diff -r "$out/plain/results" "$out/$name/results"
	result $? "the guest under the plugin ($name) ran to the nanosecond as it does without"
done

got=$(awk -F '"instructions":' '
	/"total":/ { gsub(/[^0-9]/, ""); total = $0 }
	/"functions"/ { view = 1 } /"symbols"/ { view = 2 }
	NF > 1 { sum[view] += $2 }
	END { printf "%d %d %d", total, sum[1], sum[2] }' "$one")
# shellcheck disable=SC2086 # three numbers
set -- $got
[ "$1" -gt 30000009 ] && [ "$1" -eq "$2" ] && [ "$1" -eq "$3" ]
result $? "both views add up to the total: $got"

# Another CPU is busy meanwhile: here blocks are counted, for each CPU by itself, and host time decides.
cat >"$out/plan" <<'END'
yes >/dev/null &
/payload/sample long
kill $!
END
guest/run --kernel "$obj/arch/x86/boot/bzImage" --plan "$out/plan" --add "$sample" --out "$out/smp" \
	--dev none --smp 2 --mem 256 --quiet --timeout 900 --silence 600 \
	--plugin "$plugin,vmlinux=$(realpath "$obj/vmlinux"),agent=$sample,out=blkprof.json,mem=on"
got=$(sed -n 's/.*"total":\([0-9]*\).*/\1/p; s/.*"per_vcpu":\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/p' "$out/smp/blkprof.json" | tr '\n' ' ')
# shellcheck disable=SC2086 # three numbers
set -- $got
[ $# -eq 3 ] && [ "$2" -gt 0 ] && [ "$3" -gt 0 ] && [ $(($2 + $3)) -eq "$1" ] && [ "$1" -gt 30000009 ]
result $? "two CPUs are counted apart ($got)"

echo "1..$tests"
[ $failed -eq 0 ]
