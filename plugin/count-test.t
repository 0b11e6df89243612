#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The plugin itself, on sample.c under QEMU's user emulation: every count is known beforehand, and
# every wrong argument is refused with its reason.
# usage: plugin/count-test.t BLKPROF.so SAMPLE
set -eu

usage='usage: plugin/count-test.t BLKPROF.so SAMPLE'
plugin=$(realpath "${1:?$usage}")
sample=$(realpath "${2:?$usage}")
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tests/tap.sh"
# A failing test shows what the plugin said.
tap_said=$tap_tmp/err

# run ARGUMENTS [PROGRAM-ARGUMENT]...: leaves the result in $tap_tmp/out, messages in $tap_tmp/err, and
# the exit status in $status
run()
{
	args=$1
	shift
	rm -f "$tap_tmp/out"
	status=0
	qemu-x86_64 -plugin "$plugin,$args" "$sample" "$@" 2>"$tap_tmp/err" || status=$?
}

# in_result TEXT...: the run went well, and each text stands in its result
in_result()
{
	bad=$status
	[ "$status" -eq 0 ] || echo "exit status $status"
	for text; do
		if ! grep -qF -- "$text" "$tap_tmp/out"; then
			echo "not in the result: $text"
			bad=1
		fi
	done
	return "$bad"
}

# in_lines COUNT TEXT: the run went well, and TEXT stands in so many lines of its result
in_lines()
{
	lines=$(grep -cF -- "$2" "$tap_tmp/out")
	echo "exit status $status, $lines lines with: $2"
	[ "$status" -eq 0 ] && [ "$lines" = "$1" ]
}

# has DESCRIPTION TEXT...
has()
{
	what=$1
	shift
	check "$what" in_result "$@"
}

# row NAME COUNT: a row of the view by source
row()
{
	echo "{\"name\":\"$1\",\"file\":\"plugin/sample.c\",\"kind\":\"function\",\"instructions\":$2"
}

# refused TEXT ARGUMENTS
refused()
{
	run "$2"
	echo "exit status $status"
	if [ -e "$tap_tmp/out" ]; then
		echo "there is a result"
		return 1
	fi
	[ "$status" -ne 0 ] && grep -qF -- "$1" "$tap_tmp/err"
}

# refuses TEXT ARGUMENTS: the run fails, says TEXT, and leaves no result
refuses()
{
	check "refused: ${2##*,} ($1)" refused "$1" "$2"
}

base=vmlinux=$sample,agent=$sample,out=$tap_tmp/out

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
check 'each pair of marks is a measurement' in_lines 3 '"total":'
check 'measurements do not add up' in_lines 3 "$(row leaf 1001)}"
check 'a row belongs to its measurement' in_lines 2 '"name":"spin"'

run "$base,mem=on,io=spin"
has 'loads, stores, lines and misses' \
	'{"name":"spin","file":"","kind":"function","instructions":3002,"loads":1001,"stores":1000,"lines":2,"working_set_lines":2,"l1_misses":1,"l2_misses":1}' \
	'"io_symbol":"spin"' '"io_calls":1,' '"per_vcpu":[4016],' \
	'"l1":{"bytes":32768,"ways":8}'

printf 'spin # a comment\n\nleaf\n' >"$tap_tmp/group"
run "$base,mem=on,io=spin,group=$tap_tmp/group,l1=4K:4"
has 'a group has its own set of lines' '"group":{"lines":2,"working_set_lines":2}' \
	'"l1":{"bytes":4096,"ways":4}'

echo branch >"$tap_tmp/group"
run "$base,group=$tap_tmp/group"
has 'what is inlined into a function of the group belongs to it' \
	'{"name":"branch","file":"plugin/sample.c","kind":"function","instructions":1003,"group":true}'

printf 'idle twi*\nirq main\n' >"$tap_tmp/rows"
run "$base,mem=on,io=spin,rows=$tap_tmp/rows"
has 'idle and interrupt entry are rows of their own' \
	'{"name":"idle","file":"","kind":"idle","instructions":1006,' \
	'{"name":"interrupt entry","file":"","kind":"interrupt entry","instructions":3,'

run "vmlinux=$sample,out=$tap_tmp/out,marks=off"
has 'without marks the whole run counts' \
	'{"name":"spin","file":"","kind":"function","instructions":6004}' "$(row leaf 2002)}"

sums=$(awk -F '"instructions":' '
	/"total":/ { gsub(/[^0-9]/, ""); total = $0 }
	/"functions"/ { view = 1 } /"symbols"/ { view = 2 }
	NF > 1 { sum[view] += $2 }
	END { print total, sum[1], sum[2] }' "$tap_tmp/out") || :
adds_up()
{
	[ $# -eq 3 ] && [ "$1" -gt 8000 ] && [ "$1" -eq "$2" ] && [ "$1" -eq "$3" ]
}
# shellcheck disable=SC2086 # three numbers
check "both views add up to the total: $sums" adds_up $sums

refuses 'vmlinux=FILE and out=FILE are needed' "out=$tap_tmp/out"
refuses 'agent=FILE is needed' "vmlinux=$sample,out=$tap_tmp/out"
refuses 'expected on or off' "$base,mem=maybe"
refuses 'expected insn or tb' "$base,grain=sand"
refuses 'expected SIZE:WAYS' "$base,l1=33K:8"
refuses 'expected SIZE:WAYS' "$base,l2=big"
refuses 'no such argument' "$base,speed=high"
refuses 'no function nowhere' "$base,io=nowhere"
refuses 'no function nowhere' "$base,begin=nowhere"
refuses 'holds no cpuid' "$base,end=twice"
refuses 'No such file' "$base,group=$tap_tmp/none"
echo 'sleep twice' >"$tap_tmp/rows"
refuses "rows:1: expected 'idle' or 'irq'" "$base,rows=$tap_tmp/rows"
echo 'two names' >"$tap_tmp/group"
refuses 'group:1: expected one function name' "$base,group=$tap_tmp/group"
refuses 'not linked to fixed addresses' "out=$tap_tmp/out,marks=off,vmlinux=$plugin"
refuses 'No such file' "vmlinux=$sample,agent=$sample,out=$tap_tmp/no/out"

done_testing
