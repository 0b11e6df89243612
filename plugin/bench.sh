#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How much slower a guest is under the plugin: the same boot and job without it, counting
# instructions, and counting memory accesses too, in turn. CPU time of whole boots, which other work on
# the host disturbs less than elapsed time; the ratio is what counts. Started by make.
set -eu

: "${KERNEL:=6.12}" "${B:=build}" "${PROFILE_ROUNDS:=3}" "${PROFILE_IOS:=20000}"
work=$PWD/$B/profile-bench
obj=$PWD/$B/kernel/$KERNEL/stock/obj

mkdir -p "$work"
cat >"$work/plan" <<END
. /lib/partstats.sh
cd /dev/ps/det
PARTSTATS_IOS=$PROFILE_IOS PARTSTATS_FIO='agent measure /results/stat.json -- fio' \\
	/fio-jobs/run randread-450 d/??.?? -- --output=/results/fio.json --eta=never
END

# timed NAME [PLUGIN-ARGUMENTS]: milliseconds of CPU time of one boot
timed()
{
	name=$1
	shift
	{
		guest/run --kernel "$obj/arch/x86/boot/bzImage" --plan "$work/plan" \
			--out "$work/$name" --dev scsi_debug --icount --quiet --timeout 3600 --silence 600 \
			${1:+--plugin "$PWD/$B/blkprof.so,vmlinux=$obj/vmlinux,agent=$PWD/$B/guest/agent,out=blkprof.json,rows=$PWD/plugin/rows.list,group=$PWD/plugin/accounting.list,$1"} >&2
		times
	} | awk -F '[ms ]+' 'END { printf "%.0f\n", 60000 * ($1 + $3) + 1000 * ($2 + $4) }'
}

round=1
: >"$work/times"
while [ "$round" -le "$PROFILE_ROUNDS" ]; do
	plain=$(timed plain)
	insns=$(timed insns mem=off)
	memory=$(timed memory mem=on)
	echo "$plain $insns $memory" | tee -a "$work/times" |
		awk '{ printf "round '"$round"': without %d ms, instructions %.2f, memory %.2f times\n", $1, $2 / $1, $3 / $1 }'
	round=$((round + 1))
done

# median COLUMN: of the ratios to the plain run of the same round
median()
{
	awk -v c="$1" '{ print $c / $1 }' "$work/times" | sort -n |
		awk '{ v[NR] = $1 } END { printf "%.2f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
echo "a guest under the plugin takes, median of $PROFILE_ROUNDS pairs: $(median 2) times as long counting instructions, $(median 3) times counting memory"
