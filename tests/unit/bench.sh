#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lookup-bench from outside: what it refuses and how, what its JSON holds, and that what
# does not depend on a clock is the same each time. No timings are judged.
#
# usage: bench.sh LOOKUP-BENCH

set -u

bench=${1:?usage: bench.sh LOOKUP-BENCH}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

result() { # NAME STATUS
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		sed 's/^/# /' "$dir/err"
		failed=1
	fi
}

# Refused with exit 2, before anything is measured, and with these words.
refuses() { # WORDS ARGUMENT...
	words=$1
	shift
	"$bench" "$@" >"$dir/out" 2>"$dir/err"
	[ $? -eq 2 ] && grep -q -e "$words" "$dir/err" && [ ! -s "$dir/out" ]
	result "refuses $* ($words)" $?
}

refuses 'expected one of uniform' --pattern random
refuses 'expected a number from 1 to 10000' --disks 0
refuses 'expected a number from 1 to 10000' --disks 30x
refuses 'expected a number from 1 to 255' --parts 256
refuses 'expected a number from 1 to 255' --parts 15,-1
refuses 'the list is empty' --parts ,
refuses 'each wants a CPU of its own' --threads 256
refuses 'expected all, explored, or of linear' --variant fastest
refuses 'expected a number' --runs 0
refuses 'expected a number' --lookups 10
refuses 'expected a number' --seed x
refuses 'no such argument' uniform
refuses '--help lists the options' --no-such-option
refuses 'only with one thread\|a CPU of its own' --cold --threads 1,2
refuses '--trace FILE is missing' --pattern replay
refuses 'only --pattern replay' --trace /dev/null
refuses 'cannot be read' --pattern replay --trace "$dir/none"
refuses 'cannot be written' --json "$dir/none/out.json"
printf 'fio version 2 iolog\nsda1 add\nsda1 read 0\n' >"$dir/bad"
refuses "bad:3: expected 'file action" --pattern replay --trace "$dir/bad"
printf '8,0 1 1 0.0 7 Q R x + 8 [fio]\n' >"$dir/bad"
refuses "bad:1: expected 'sector + sectors'" --pattern replay --trace "$dir/bad"

quick='--runs 1 --lookups 1024 --no-count --quiet'

# shellcheck disable=SC2086 # a list of options
"$bench" $quick --variant all,explored --pattern uniform,affine,zipf,sequential,mixed-size,shared-disk,own-disk \
	--json "$dir/a.json" --dat "$dir/a.dat" >"$dir/out" 2>"$dir/err"
result 'every variant answers every pattern' $?

# Fields of one variant in the JSON, in its order.
field() { # FILE PATTERN VARIANT FIELD
	awk -v p="\"$2\"" -v v="\"$3\"" -v f="\"$4\":" '
		/"variant":/ { variant = $2; sub(",", "", variant) }
		/"pattern":/ { pattern = $2; sub(",", "", pattern) }
		$1 == f && variant == v && pattern == p { sub(",", "", $2); print $2 }' "$1"
}

is() { # NAME VALUE EXPECTED
	echo "found '$2', expected '$3'" >"$dir/err"
	[ "$2" = "$3" ]
	result "$1" $?
}

at_most() { # NAME VALUE LIMIT
	echo "found '$2', expected at most $3" >"$dir/err"
	awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && a <= b) }'
	result "$1" $?
}

for pattern in uniform affine zipf sequential mixed-size shared-disk; do
	is "$pattern: the map stores to nothing" "$(field "$dir/a.json" $pattern map shared_stores)" 0.0
	at_most "$pattern: the map touches 3 lines at most" \
		"$(field "$dir/a.json" $pattern map lines_max)" 3
done
is 'affine: the one-hit cache hits' "$(field "$dir/a.json" affine one-hit hit_rate |
	awk '{ print ($1 > 0.9) }')" 1
is 'uniform: it does not' "$(field "$dir/a.json" uniform one-hit hit_rate |
	awk '{ print ($1 < 0.1) }')" 1
is 'the map has no hit rate' "$(field "$dir/a.json" uniform map hit_rate)" null
is 'direct touches no line' "$(field "$dir/a.json" uniform direct lines)" 0.0

# shellcheck disable=SC2086
"$bench" $quick --variant all,explored --pattern uniform,affine,zipf,sequential,mixed-size,shared-disk,own-disk \
	--json "$dir/b.json" >"$dir/out" 2>"$dir/err"
for f in a b; do
	grep -v -e '"ns_' -e '"us_' -e '"--' -e "$dir" "$dir/$f.json" >"$dir/$f.same"
done
cmp "$dir/a.same" "$dir/b.same" >"$dir/err"
result 'the same seed, the same lines, stores and hits' $?

{
	echo 'fio version 3 iolog'
	awk 'BEGIN { for (i = 0; i < 3000; i++)
		printf "%d d/%02d.%02d read %d 4096\n", i, i % 7, 1 + i * 5 % 11, i * 8192 }'
} >"$dir/iolog"
# shellcheck disable=SC2086
"$bench" $quick --pattern replay --trace model/traces/oltp.iolog --json "$dir/c.json" >"$dir/out" 2>"$dir/err"
result 'replays the trace that comes with it' $?
is 'all disks of the trace' "$(field "$dir/c.json" replay map disks)" 30
"$bench" $quick --pattern replay --trace "$dir/iolog" --json "$dir/c.json" >"$dir/out" 2>"$dir/err"
result 'replays an iolog' $?
is 'as many disks as in the trace' "$(field "$dir/c.json" replay map disks)" 7

# shellcheck disable=SC2086
"$bench" $quick --cold --cold-disk --variant map,one-hit --json "$dir/d.json" >"$dir/out" 2>"$dir/err"
result 'measures cold' $?
is 'both ways of being cold' "$(field "$dir/d.json" uniform map cold | tr '\n' ' ')" 'true true '

exit $failed
