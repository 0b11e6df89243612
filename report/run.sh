#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# `make run`: from the sources to the table. Started by make, which sets MAKE, KERNEL, ACCEL, B
# and RESULTS.
#
# Two parts. The deterministic one depends on nothing but the guest, so its boots run side by
# side. The real path takes turns: each round boots every kernel once, because the host
# is not the same from one minute to the next.
set -eu

: "${MAKE:=make}" "${KERNEL:=6.12}" "${ACCEL:=tcg}" "${B:=build}" "${RESULTS:=$B/results}" "${V:=0}"

# What is measured. Counts, not times, where the digits have to repeat.
case $KERNEL in
5.10) : "${RUN_JOBS=oltp randread-450 one-partition}" ;;
*) : "${RUN_JOBS=oltp randread-450 one-partition whole-disk sequential}" ;;
esac
: "${RUN_SEED=2009}"
: "${RUN_IOS=40000}"		# deterministic: I/Os of a run
: "${RUN_BASE_IOS=1000}"	# deterministic: I/Os of a base run, per process
: "${RUN_COUNT=yes}"		# deterministic: count instructions in user mode by the QEMU plugin;
				# no: us% and sys% by the tick, which is far off
: "${RUN_ROUNDS=3}"		# real path: rounds of boots; 0 leaves this part out
: "${RUN_PASSES=1}"		# real path: measurements of everything in each boot
: "${RUN_TIME=500ms}"		# real path: length of a run

# 5.10 looks every request up by its sector: there is no part_stats=2, and what stock's lookup is
# compared with is a plain scan, too.
case $KERNEL in
5.10)
	kernels='stock scan patched noacct'
	patched_settings='patched part_stats=0 iostats=0'
	;;
*)
	kernels='stock patched noacct'
	patched_settings='patched part_stats=0 part_stats=2 iostats=0'
	;;
esac
reversed=
for k in $kernels; do
	reversed="$k $reversed"
done

work=$B/run-$KERNEL
case $B in
/*) build=$B ;;
*) build=$PWD/$B ;;
esac
step=0
me="make run"
. report/guests.sh

step()
{
	step=$((step + 1))
	echo "[$step/$steps] $*"
}

number RUN_SEED "$RUN_SEED" 0
number RUN_BASE_IOS "$RUN_BASE_IOS" 10
# Shared by several processes, a run must still be longer than a base run.
number RUN_IOS "$RUN_IOS" $((4 * RUN_BASE_IOS))
number RUN_ROUNDS "$RUN_ROUNDS" 0
number RUN_PASSES "$RUN_PASSES" 1
case ${RUN_TIME%ms} in
'' | 0* | *[!0-9]*) usage "RUN_TIME='$RUN_TIME' is not a time; accepted: seconds, or milliseconds as 500ms" ;;
esac
case $RUN_COUNT in
yes | no) ;;
*) usage "RUN_COUNT='$RUN_COUNT' is not known; accepted: yes, no" ;;
esac
# shellcheck disable=SC2086 # a list
known_jobs RUN_JOBS $RUN_JOBS
n=$(echo "$RUN_JOBS" | wc -w)
steps=$((5 + RUN_ROUNDS))

settings_of()
{
	case $1 in
	patched) echo "$patched_settings" ;;
	*) echo "$1" ;;
	esac
}
settings=$(for k in $kernels; do settings_of "$k"; done | wc -w)

# boot PART KERNEL ROUND OPTION...: become a guest with the plan, results in $work/PART/KERNEL.ROUND
boot()
{
	dir=$work/$1/$2.$3
	mkdir -p "$dir"
	case $1 in
	deterministic) set_=det passes=1 ios=$RUN_IOS time=0 base=$RUN_BASE_IOS ;;
	real_path) set_=real passes=$RUN_PASSES ios=0 time=$RUN_TIME base=1 ;;
	esac
	cat >"$dir/params.sh" <<END
part=$1
set=$set_
kernel=$2
settings='$(settings_of "$2")'
jobs='$RUN_JOBS'
round=$3
passes=$passes
ios=$ios
runtime=$time
base_ios=$base
warm_ios=$((2 * RUN_BASE_IOS))
seed=$RUN_SEED
END
	image=$(image "$2")
	if [ "$1" = deterministic ] && [ "$RUN_COUNT" = yes ]; then
		plugin=$build/blkprof.so,vmlinux=$build/kernel/$KERNEL/$2/obj/vmlinux
		plugin=$plugin,agent=$build/guest/agent,mem=off,out=blkprof.json
	else
		plugin=
	fi
	shift 3
	# Nothing is printed while the plugin reads the kernel's debug information.
	[ -z "$plugin" ] || set -- "$@" --plugin "$plugin" --silence 300
	exec guest/run --kernel "$image" --plan report/plan.sh --add "$dir/params.sh" \
		--out "$dir" --timeout 1800 "$@"
}

# start PART KERNEL ROUND OPTION...: a guest beside us. Its process is the launcher's own, so that
# a signal reaches it, and the wait for it can be interrupted.
start()
{
	(boot "$@") &
	started=$!
	pids="$pids $started"
}

# await PID: wait for a guest; a run that failed ends everything, there is no table without it
await()
{
	wait "$1" || die "a run failed, so there is no table"
	left=
	for pid in $pids; do
		[ "$pid" = "$1" ] || left="$left $pid"
	done
	pids=$left
}

# text FILE: a line of text as the inside of a JSON string. Neither this directory nor the
# launcher's scratch directory is of interest.
text()
{
	[ -e "$1" ] || return 0
	sed -e "s|$build/|build/|g" -e "s|$PWD/||g" -e 's|tmp\.[A-Za-z0-9]*/||g' -e 's/\\/\\\\/g' -e 's/"/\\"/g' "$1" | tr -d '\n'
}

host_json()
{
	cat <<END
{"kernel":"$KERNEL","accel":"$ACCEL",
"qemu":"$(qemu-system-x86_64 --version | sed -n '1s/.*version //p')",
"fio":"$(fio --version)",
"qemu_commands":{"deterministic":"$(text "$work/deterministic/stock.1/cmdline")",
"real_path":"$(text "$work/real_path/stock.1/cmdline")"}}
END
}

# With -s, make does not tell what needed no work.
submake()
{
	if [ "$V" = 1 ]; then
		"$MAKE" --no-print-directory "$@"
	else
		"$MAKE" --no-print-directory -s "$@"
	fi
}

begin=$(date +%s)

step "packages"
submake deps

step "kernels: $kernels"
submake kernel

step "guest: initramfs, disk images; plugin, report"
[ "$RUN_COUNT" != yes ] || plugin=plugin
# shellcheck disable=SC2086 # it may be empty
submake guest "$B/report" ${plugin-}
for k in $kernels; do
	[ -f "$(image "$k")" ] || die "$(image "$k") is missing after 'make kernel'"
done
rm -rf "$work"

step "deterministic: $n jobs x $settings settings of $RUN_IOS I/Os, patched beside the other kernels"
start deterministic patched 1 --dev scsi_debug --icount
patched=$started
for k in $kernels; do
	[ "$k" != patched ] || continue
	start deterministic "$k" 1 --dev scsi_debug --icount
	await "$started"
done
await "$patched"
for k in $kernels; do
	[ "$RUN_COUNT" != yes ] || mv "$work/deterministic/$k.1/blkprof.json" "$work/deterministic/$k.1/results/"
done

round=1
while [ $round -le "$RUN_ROUNDS" ]; do
	step "real path, round $round of $RUN_ROUNDS: $n jobs x $settings settings, $RUN_PASSES x $RUN_TIME"
	# Turn and turn about: a host that slows down must not favour the same kernel every time.
	order=$kernels
	[ $((round % 2)) -eq 1 ] || order=$reversed
	for k in $order; do
		start real_path "$k" "$round" --dev virtio --smp 2 --accel "$ACCEL"
		await "$started"
	done
	round=$((round + 1))
done

step "report"
mkdir -p "$RESULTS"
host_json >"$work/host.json"
# The latest has a fixed name; that of the other kernel is kept beside it.
"$B/report" run -o "$RESULTS/run-$KERNEL.json" -m "$work/host.json" "$work"/*/*/results
"$B/report" table "$RESULTS/run-$KERNEL.json" | tee "$RESULTS/run-$KERNEL.txt"
for suffix in json txt; do
	cp "$RESULTS/run-$KERNEL.$suffix" "$RESULTS/run.$suffix.tmp"
	mv "$RESULTS/run.$suffix.tmp" "$RESULTS/run.$suffix"
done
echo
echo "make run: done in $(($(date +%s) - begin)) s; figures in $RESULTS/run.json (run-$KERNEL.json)"
