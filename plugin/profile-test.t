#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The profile's table and JSON, from counts that were made up for it.
# usage: plugin/profile-test.t PROFILE
set -eu

profile=$(realpath "${1:?usage: plugin/profile-test.t PROFILE}")
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tests/tap.sh"

# fio IOS: what fio writes
fio()
{
	echo "{\"jobs\":[{\"jobname\":\"j\",\"error\":0,\"read\":{\"total_ios\":$1,\"runtime\":1},\"write\":{\"total_ios\":0,\"runtime\":0}}]}"
}

# func NAME INSNS LINES [GROUP]: a row as the plugin writes it
func()
{
	echo "{\"name\":\"$1\",\"file\":\"block/x.c\",\"kind\":\"function\",\"instructions\":$2,\"loads\":$2,\"stores\":1,\"lines\":$3,\"working_set_lines\":$3,\"l1_misses\":$3,\"l2_misses\":1${4:+,\"group\":true}}"
}

# measurement TOTAL ACCOUNTING OTHER USER
measurement()
{
	echo "{\"total\":$1,\"per_vcpu\":[$1],\"io_calls\":$3,\"group\":{\"lines\":$2,\"working_set_lines\":160},"
	echo "\"functions\":[$(func acct "$2" "$2" group),$(func submit "$3" 5),"
	echo "{\"name\":\"user mode\",\"file\":\"\",\"kind\":\"user mode\",\"instructions\":$4,\"loads\":0,\"stores\":0,\"lines\":0,\"working_set_lines\":0,\"l1_misses\":0,\"l2_misses\":0}],"
	echo "\"symbols\":[{\"name\":\"submit\",\"file\":\"\",\"kind\":\"function\",\"instructions\":$(($2 + $3))},{\"name\":\"user mode\",\"file\":\"\",\"kind\":\"user mode\",\"instructions\":$4}]}"
}

# boot KERNEL SETTING ACCOUNTING-PER-IO: 100 I/Os beyond the base run's 10
boot()
{
	dir=$tap_tmp/$1
	mkdir -p "$dir/results"
	fio 110 >"$dir/results/r.fio.json"
	fio 10 >"$dir/results/b.fio.json"
	echo '{"wall_ns":1000,"idle_ns":100}' >"$dir/results/b.clock.json"
	echo "{\"wall_ns\":$((1100 + 100 * (300 + $3))),\"idle_ns\":200}" >"$dir/results/r.clock.json"
	echo "{\"part\":\"deterministic\",\"kernel\":\"$1\",\"release\":\"6.12.0\",\"round\":1,\"geometry\":{\"luns\":30,\"partitions\":450},\"runs\":[{\"job\":\"j\",\"setting\":\"$2\",\"pass\":1,\"run\":\"r\",\"base\":\"b\",\"ios\":110,\"base_ios\":10,\"measurement\":3,\"base_measurement\":2}]}" >"$dir/results/plan.json"
	{
		echo '{"vcpus":1,"grain":"insn","memory":true,"io_symbol":"submit","l1":{"bytes":32768,"ways":8},"l2":{"bytes":1048576,"ways":16},"measurements":['
		measurement 7 1 2 4
		echo ,
		measurement 1000 500 300 200
		echo ,
		measurement $((1000 + 100 * (300 + $3))) $((500 + 100 * $3)) $((300 + 20000)) $((200 + 10000))
		echo ']}'
	} >"$dir/blkprof.json"
}

# has_line WORDS: the run went well, and its output has a line of these words, whatever blanks are between them
has_line()
{
	echo "exit status $status; missing: $1, in:"
	cat "$tap_tmp/out" "$tap_tmp/err"
	[ $status -eq 0 ] && tr -s ' ' <"$tap_tmp/out" | grep -qxF -- "$1"
}

# line DESCRIPTION WORDS
line()
{
	check "$1" has_line "$2"
}

boot stock stock 50
boot patched iostats=0 7
status=0
"$profile" -o "$tap_tmp/json" "$tap_tmp/patched" "$tap_tmp/stock" >"$tap_tmp/out" 2>"$tap_tmp/err" ||
	status=$?
line 'the first column is stock, whatever the order of the boots' ' | stock | iostats=0'
line 'cost is the difference to the base run, for each I/O' 'submit | 57.143 200.00 | 65.147 200.00'
line 'rows that are no function come last' 'user mode | 28.571 100.00 | 32.573 100.00'
line 'the sum of the rows' 'sum of rows | 100.000 350.00 | 100.000 307.00'
line 'the total is the one counted' 'total counted | 100.000 350.00 | 100.000 307.00'
line 'differences are to the first column' 'acct | 50.00 +0.00 | 7.00 -43.00'
line 'the working set is that of the run' 'working set of the run, KiB | 10.0 +0.0 | 10.0 +0.0'
line 'a verdict' 'iostats=0 against stock: -43.00 instructions per I/O, -12.286 %'
line 'guest time beside the count' \
	'stock: 35000 instructions counted in 35000 ns of guest time: +0.000 %; submit called 200.0000 times per I/O'
figures()
{
	cat "$tap_tmp/json"
	grep -q '"instructions_per_io": 307.0' "$tap_tmp/json" &&
		grep -q '"setting": "iostats=0"' "$tap_tmp/json"
}
check 'figures in JSON' figures

# fails STATUS TEXT ARGUMENT...: exit status STATUS, a message with TEXT, no table
fails()
{
	want=$1 text=$2 status=0
	shift 2
	"$profile" "$@" >"$tap_tmp/out" 2>"$tap_tmp/err" || status=$?
	echo "exit status $status"
	cat "$tap_tmp/out" "$tap_tmp/err"
	[ $status -eq "$want" ] && grep -qF -- "$text" "$tap_tmp/err" && [ ! -s "$tap_tmp/out" ]
}

# refuses TEXT DESCRIPTION
refuses()
{
	check "refused: $2" fails 1 "$1" -o "$tap_tmp/json" "$tap_tmp/stock"
}

# A run of another job beside it, which has not been counted.
sed -i 's|"runs":\[{|"runs":[{"job":"k","setting":"stock","pass":1,"run":"none","base":"none","ios":110,"base_ios":10,"measurement":9,"base_measurement":8},{|' \
	"$tap_tmp/stock/results/plan.json"
status=0
"$profile" -j j "$tap_tmp/stock" >"$tap_tmp/out" 2>"$tap_tmp/err" || status=$?
line 'one of two jobs' 'total counted | 100.000 350.00'
refuses 'measurements are too few' 'the other one was not counted'
check 'refused: a job that was not measured' fails 1 'no runs of job none' -j none "$tap_tmp/stock"

boot stock stock 50
sed -i 's|"measurement":3|"measurement":4|' "$tap_tmp/stock/results/plan.json"
refuses 'too few for the runs' 'measurements that are not what the plan did'
boot stock stock 50
sed -i '$d' "$tap_tmp/stock/blkprof.json"
refuses 'not valid JSON' 'a cut file'
boot stock stock 50
fio 10 >"$tap_tmp/stock/results/r.fio.json"
refuses 'did no more than its base run' 'a run without I/O'
boot stock stock 50
echo '{}' >"$tap_tmp/stock/results/r.clock.json"
refuses 'no guest time' 'a run without guest time'
check 'nothing to read is a usage error' fails 2 usage

done_testing
