#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The plugin itself, on sample.c under QEMU's user emulation: every count is known beforehand, and
# every wrong argument is refused with its reason.
# usage: plugin/test-count.sh BLKPROF.so SAMPLE
set -eu

plugin=$(realpath "$1")
sample=$(realpath "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
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

# run ARGUMENTS [PROGRAM-ARGUMENT]...: leaves the result in $tmp/out, messages in $tmp/err
run()
{
	args=$1
	shift
	rm -f "$tmp/out"
	qemu-x86_64 -plugin "$plugin,$args" "$sample" "$@" 2>"$tmp/err"
}

# has DESCRIPTION TEXT...: each text stands in the result
has()
{
	what=$1 bad=0
	shift
	for text; do
		if ! grep -qF -- "$text" "$tmp/out"; then
			echo "# not in the result: $text"
			bad=1
		fi
	done
	result $bad "$what"
}

# row NAME COUNT: a row of the view by source
row()
{
	echo "{\"name\":\"$1\",\"file\":\"plugin/sample.c\",\"kind\":\"function\",\"instructions\":$2"
}

# refuses TEXT ARGUMENTS: the run fails, says TEXT, and leaves no result
refuses()
{
	bad=0
	if run "$2"; then
		echo "# it ran"
		bad=1
	elif ! grep -qF -- "$1" "$tmp/err"; then
		sed 's/^/# it said: /' "$tmp/err"
		bad=1
	fi
	[ ! -e "$tmp/out" ] || bad=1
	result $bad "refused: ${2##*,} ($1)"
}

base=vmlinux=$sample,agent=$sample,out=$tmp/out

for grain in insn tb; do
	run "$base,grain=$grain"
	# begin: cpuid, pop, ret; end: push, mov; main: three calls
	has "grain=$grain: every instruction between the marks, and no other" \
		"$(row leaf 1001)}" "$(row branch 2)}" "$(row twice 3)}" \
		"$(row ps_mark_begin 3)}" "$(row ps_mark_end 2)}" "$(row main 3)}" \
		'{"name":"spin","file":"","kind":"function","instructions":3002}' \
		'"total":4016,'
	has "grain=$grain: by symbol" \
		'{"name":"twice","file":"","kind":"function","instructions":1006}' \
		'{"name":"main","file":"","kind":"function","instructions":3}'
done

run "$base" again again
result $(($(grep -c '"total":' "$tmp/out") != 3)) 'each pair of marks is a measurement'
result $(($(grep -cF "$(row leaf 1001)}" "$tmp/out") != 3)) 'measurements do not add up'
result $(($(grep -c '"name":"spin"' "$tmp/out") != 2)) 'a row belongs to its measurement'

run "$base,mem=on,io=spin"
has 'loads, stores, lines and misses' \
	'{"name":"spin","file":"","kind":"function","instructions":3002,"loads":1001,"stores":1000,"lines":2,"working_set_lines":2,"l1_misses":1,"l2_misses":1}' \
	'"io_symbol":"spin"' '"io_calls":1,' '"per_vcpu":[4016],' \
	'"l1":{"bytes":32768,"ways":8}'

printf 'spin # a comment\n\nleaf\n' >"$tmp/group"
run "$base,mem=on,io=spin,group=$tmp/group,l1=4K:4"
has 'a group has its own set of lines' '"group":{"lines":2,"working_set_lines":2}' \
	'"l1":{"bytes":4096,"ways":4}'

echo branch >"$tmp/group"
run "$base,group=$tmp/group"
has 'what is inlined into a function of the group belongs to it' \
	'{"name":"branch","file":"plugin/sample.c","kind":"function","instructions":1003,"group":true}'

printf 'idle twi*\nirq main\n' >"$tmp/rows"
run "$base,mem=on,io=spin,rows=$tmp/rows"
has 'idle and interrupt entry are rows of their own' \
	'{"name":"idle","file":"","kind":"idle","instructions":1006,' \
	'{"name":"interrupt entry","file":"","kind":"interrupt entry","instructions":3,'

run "vmlinux=$sample,out=$tmp/out,marks=off"
has 'without marks the whole run counts' \
	'{"name":"spin","file":"","kind":"function","instructions":6004}' "$(row leaf 2002)}"

sums=$(awk -F '"instructions":' '
	/"total":/ { gsub(/[^0-9]/, ""); total = $0 }
	/"functions"/ { view = 1 } /"symbols"/ { view = 2 }
	NF > 1 { sum[view] += $2 }
	END { print total, sum[1], sum[2] }' "$tmp/out")
# shellcheck disable=SC2086 # three numbers
set -- $sums
[ "$1" -gt 8000 ] && [ "$1" -eq "$2" ] && [ "$1" -eq "$3" ]
result $? "both views add up to the total: $sums"

refuses 'vmlinux=FILE and out=FILE are needed' "out=$tmp/out"
refuses 'agent=FILE is needed' "vmlinux=$sample,out=$tmp/out"
refuses 'expected on or off' "$base,mem=maybe"
refuses 'expected insn or tb' "$base,grain=sand"
refuses 'expected SIZE:WAYS' "$base,l1=33K:8"
refuses 'expected SIZE:WAYS' "$base,l2=big"
refuses 'no such argument' "$base,speed=high"
refuses 'no function nowhere' "$base,io=nowhere"
refuses 'no function nowhere' "$base,begin=nowhere"
refuses 'holds no cpuid' "$base,end=twice"
refuses 'No such file' "$base,group=$tmp/none"
echo 'sleep twice' >"$tmp/rows"
refuses "rows:1: expected 'idle' or 'irq'" "$base,rows=$tmp/rows"
echo 'two names' >"$tmp/group"
refuses 'group:1: expected one function name' "$base,group=$tmp/group"
refuses 'not linked to fixed addresses' "out=$tmp/out,marks=off,vmlinux=$plugin"
refuses 'No such file' "vmlinux=$sample,agent=$sample,out=$tmp/no/out"

echo "1..$tests"
[ $failed -eq 0 ]
