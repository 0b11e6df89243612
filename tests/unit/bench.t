#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lookup-bench from outside: what it refuses and how, what its JSON holds, and that what
# does not depend on a clock is the same each time. No timings are judged.
#
# usage: bench.t LOOKUP-BENCH

set -u

bench=${1:?usage: bench.t LOOKUP-BENCH}
here=$(dirname "$0")
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"

# Refused with exit 2, before anything is measured, and with these words.
refused() { # WORDS ARGUMENT...
	words=$1
	shift
	"$bench" "$@" >"$tap_tmp/out" 2>"$tap_tmp/err"
	status=$?
	echo "exit status $status"
	cat "$tap_tmp/out" "$tap_tmp/err"
	[ $status -eq 2 ] && grep -q -e "$words" "$tap_tmp/err" && [ ! -s "$tap_tmp/out" ]
}

refuses() { # WORDS ARGUMENT...
	words=$1
	shift
	check "refuses $* ($words)" refused "$words" "$@"
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
refuses 'cannot be read' --pattern replay --trace "$tap_tmp/none"
refuses 'cannot be written' --json "$tap_tmp/none/out.json"
printf 'fio version 2 iolog\nsda1 add\nsda1 read 0\n' >"$tap_tmp/bad"
refuses "bad:3: expected 'file action" --pattern replay --trace "$tap_tmp/bad"
printf '8,0 1 1 0.0 7 Q R x + 8 [fio]\n' >"$tap_tmp/bad"
refuses "bad:1: expected 'sector + sectors'" --pattern replay --trace "$tap_tmp/bad"

quick='--runs 1 --lookups 1024 --no-count --quiet'
every='--variant all,explored --pattern uniform,affine,zipf,sequential,mixed-size,shared-disk,own-disk'

# shellcheck disable=SC2086 # lists of options
check 'every variant answers every pattern' \
	"$bench" $quick $every --json "$tap_tmp/a.json" --dat "$tap_tmp/a.dat"

# Fields of one variant in the JSON, in its order.
field() { # FILE PATTERN VARIANT FIELD
	awk -v p="\"$2\"" -v v="\"$3\"" -v f="\"$4\":" '
		/"variant":/ { variant = $2; sub(",", "", variant) }
		/"pattern":/ { pattern = $2; sub(",", "", pattern) }
		$1 == f && variant == v && pattern == p { sub(",", "", $2); print $2 }' "$1"
}

is() { # NAME VALUE EXPECTED
	check "$1" [ "$2" = "$3" ]
}

within() { # VALUE LIMIT
	echo "found '$1', expected at most $2"
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'
}

for pattern in uniform affine zipf sequential mixed-size shared-disk; do
	is "$pattern: the map stores to nothing" "$(field "$tap_tmp/a.json" $pattern map shared_stores)" 0.0
	check "$pattern: the map touches 3 lines at most" within \
		"$(field "$tap_tmp/a.json" $pattern map lines_max)" 3
done
is 'affine: the one-hit cache hits' "$(field "$tap_tmp/a.json" affine one-hit hit_rate |
	awk '{ print ($1 > 0.9) }')" 1
is 'uniform: it does not' "$(field "$tap_tmp/a.json" uniform one-hit hit_rate |
	awk '{ print ($1 < 0.1) }')" 1
is 'the map has no hit rate' "$(field "$tap_tmp/a.json" uniform map hit_rate)" null
is 'direct touches no line' "$(field "$tap_tmp/a.json" uniform direct lines)" 0.0

same_again() {
	# shellcheck disable=SC2086
	"$bench" $quick $every --json "$tap_tmp/b.json" || return 1
	for f in a b; do
		grep -v -e '"ns_' -e '"us_' -e '"--' -e "$tap_tmp" "$tap_tmp/$f.json" >"$tap_tmp/$f.same"
	done
	diff "$tap_tmp/a.same" "$tap_tmp/b.same"
}
check 'the same seed, the same lines, stores and hits' same_again

# shellcheck disable=SC2086
check 'replays the trace that comes with it' "$bench" $quick --pattern replay \
	--trace "$here/../../model/traces/oltp.iolog" --json "$tap_tmp/c.json"
is 'all disks of the trace' "$(field "$tap_tmp/c.json" replay map disks)" 30
{
	echo 'fio version 3 iolog'
	awk 'BEGIN { for (i = 0; i < 3000; i++)
		printf "%d d/%02d.%02d read %d 4096\n", i, i % 7, 1 + i * 5 % 11, i * 8192 }'
} >"$tap_tmp/iolog"
# shellcheck disable=SC2086
check 'replays an iolog' "$bench" $quick --pattern replay --trace "$tap_tmp/iolog" --json "$tap_tmp/c.json"
is 'as many disks as in the trace' "$(field "$tap_tmp/c.json" replay map disks)" 7

# shellcheck disable=SC2086
check 'measures cold' "$bench" $quick --cold --cold-disk --variant map,one-hit --json "$tap_tmp/d.json"
is 'both ways of being cold' "$(field "$tap_tmp/d.json" uniform map cold | tr '\n' ' ')" 'true true '

done_testing
