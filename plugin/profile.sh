#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# `make profile`: every instruction of the settings' kernels, by function, on the deterministic
# device. Started by make, which sets MAKE, KERNEL, B and RESULTS.
#
#	PROFILE_JOB		names of job files in fio-jobs/ (randread-450;
#				5.10: randread-450 one-partition oltp)
#	PROFILE_SETTINGS	what to compare, with stock if it is among them:
#				stock, patched, part_stats=0, part_stats=2, iostats=0, noacct,
#				with 5.10 scan, and no part_stats=2;
#				stock:iostats=0 is the setting iostats=0 on the stock kernel
#	PROFILE_IOS		I/Os of a run (20000)
#	PROFILE_SEED		seed of the job (2009)
#	PROFILE_GROUP		list of the functions that the tables are about (plugin/accounting.list;
#				plugin/lookup.list has those of the lookup only)
#	PROFILE_MEM		on: memory accesses, lines and caches too; off is faster (on)
#	PROFILE_L1, PROFILE_L2	the caches, size:ways (32K:8 and 1M:16)
#	PROFILE_LUNS		numbers of LUNs to show the accounting's working set for, on the first
#				kernel (1 30 300; 5.10: empty); empty: leave that out
#
# A boot measures all settings of one kernel, with the plan of `make run`; boots run side by side.
# Each job has a file profile-KERNEL-JOB.json; that of the first one is the latest profile.json, too.
set -eu

: "${MAKE:=make}" "${KERNEL:=6.12}" "${B:=build}" "${RESULTS:=$B/results}" "${V:=0}"
# 5.10 looks every request up by its sector: there is no 2, and it depends on the job what a lookup costs.
case $KERNEL in
5.10)
	: "${PROFILE_JOB:=randread-450 one-partition oltp}"
	: "${PROFILE_SETTINGS:=stock scan patched part_stats=0 iostats=0 noacct}"
	: "${PROFILE_LUNS=}"
	;;
*)
	: "${PROFILE_JOB:=randread-450}"
	: "${PROFILE_SETTINGS:=stock patched part_stats=0 part_stats=2 iostats=0 noacct}"
	;;
esac
: "${PROFILE_IOS:=20000}" "${PROFILE_SEED:=2009}" "${PROFILE_MEM:=on}"
: "${PROFILE_GROUP:=plugin/accounting.list}" "${PROFILE_L1:=32K:8}" "${PROFILE_L2:=1M:16}" "${PROFILE_LUNS=1 30 300}"
# I/Os of a base run: they must be there in every process, and cancel out.
base_ios=1000

work=$B/profile.d-$KERNEL
me="make profile"
. report/guests.sh

kernel_of()
{
	case $1 in
	stock | scan | patched | noacct) echo "$1" ;;
	stock:* | scan:* | patched:* | noacct:*) echo "${1%%:*}" ;;
	*) echo patched ;;
	esac
}

# --- what was asked for
# shellcheck disable=SC2086 # a list
known_jobs PROFILE_JOB $PROFILE_JOB
[ -f "$PROFILE_GROUP" ] || usage "PROFILE_GROUP=$PROFILE_GROUP: no such file"
number PROFILE_IOS "$PROFILE_IOS" $((2 * base_ios))
number PROFILE_SEED "$PROFILE_SEED" 0
case $PROFILE_MEM in
on | off) ;;
*) usage "PROFILE_MEM=$PROFILE_MEM: expected on or off" ;;
esac
kernels=
for s in $PROFILE_SETTINGS; do
	case ${s#*:} in
	stock | scan | patched | noacct | part_stats=0 | part_stats=2 | iostats=0) ;;
	*) usage "PROFILE_SETTINGS: $s is not known; there are stock, scan, patched, part_stats=0, part_stats=2, iostats=0, noacct" ;;
	esac
	case " $kernels " in
	*" $(kernel_of "$s") "*) ;;
	*) kernels="$kernels $(kernel_of "$s")" ;;
	esac
done
[ -n "$kernels" ] || usage "PROFILE_SETTINGS is empty"
for n in $PROFILE_LUNS; do
	number PROFILE_LUNS "$n" 1
done
[ "$PROFILE_MEM" = on ] || PROFILE_LUNS=

# --- boots
plugin_for()
{
	echo "$PWD/$B/blkprof.so,vmlinux=$PWD/$B/kernel/$KERNEL/$1/obj/vmlinux,agent=$PWD/$B/guest/agent,out=blkprof.json,mem=$PROFILE_MEM,rows=$PWD/plugin/rows.list,group=$(realpath "$PROFILE_GROUP"),l1=$PROFILE_L1,l2=$PROFILE_L2"
}

# boot KERNEL DIR: become a guest with the plan, under the plugin. That reads the debug information before
# the guest may speak, on a busy host for long.
boot()
{
	settings=
	for s in $PROFILE_SETTINGS; do
		[ "$(kernel_of "$s")" != "$1" ] || settings="$settings ${s#*:}"
	done
	mkdir -p "$2"
	cat >"$2/params.sh" <<END
part=deterministic
set=det
kernel=$1
settings='$settings'
jobs='$PROFILE_JOB'
round=1
passes=1
ios=$PROFILE_IOS
runtime=0
base_ios=$base_ios
seed=$PROFILE_SEED
END
	exec guest/run --kernel "$(image "$1")" --plan report/plan.sh --add "$2/params.sh" --out "$2" \
		--dev scsi_debug --icount --timeout 3600 --silence 600 --plugin "$(plugin_for "$1")"
}

# boot_luns KERNEL DIR LUNS: become a guest with so many LUNs
boot_luns()
{
	mkdir -p "$2"
	cat >"$2/params.sh" <<END
luns=$3
kernel=$1
job=randread-450
ios=$PROFILE_IOS
base_ios=$base_ios
seed=$PROFILE_SEED
END
	# As guest/run spreads its own.
	hosts=10
	[ $(($3 % hosts)) -eq 0 ] || hosts=1
	exec guest/run --kernel "$(image "$1")" --plan plugin/luns.sh --add "$2/params.sh" --out "$2" \
		--dev none --icount --timeout 3600 --silence 600 --plugin "$(plugin_for "$1")" --append \
		"scsi_debug.add_host=$hosts scsi_debug.max_luns=$(($3 / hosts)) scsi_debug.dev_size_mb=64 scsi_debug.delay=0 scsi_debug.host_max_queue=64"
}

# await: the oldest guest
await()
{
	wait "${pids%% *}" || die "a guest failed, so there is no table"
	case $pids in
	*" "*) pids=${pids#* } ;;
	*) pids= ;;
	esac
	running=$((running - 1))
}

# start COMMAND...: a guest beside us, as soon as a CPU is free for it: each of them uses one
slots=$(nproc)
running=0
start()
{
	while [ "$running" -ge "$slots" ]; do
		await
	done
	("$@") &
	pids="${pids:+$pids }$!"
	running=$((running + 1))
}
first=${kernels# }
first=${first%% *}
for k in $kernels; do
	"$MAKE" --no-print-directory kernel FLAVOUR="$k"
	[ -f "$(image "$k")" ] || die "$(image "$k") is missing after 'make kernel'"
done
"$MAKE" --no-print-directory guest plugin
rm -rf "$work"

dirs=
for k in $kernels; do
	start boot "$k" "$work/$k"
	dirs="$dirs $work/$k"
done
luns_dirs=
for n in $PROFILE_LUNS; do
	start boot_luns "$first" "$work/luns.$n" "$n"
	luns_dirs="$luns_dirs $work/luns.$n"
done
while [ "$running" -gt 0 ]; do
	await
done
# --- the table
mkdir -p "$RESULTS"
first=
{
	for job in $PROFILE_JOB; do
		[ -z "$first" ] || echo
		# shellcheck disable=SC2086 # a list
		"$B/profile" -j "$job" -o "$RESULTS/profile-$KERNEL-$job.json" $dirs
		: "${first:=$job}"
	done
	cp "$RESULTS/profile-$KERNEL-$first.json" "$work/profile.json"
	mv "$work/profile.json" "$RESULTS/profile.json"
	if [ -n "$luns_dirs" ]; then
		echo
		# shellcheck disable=SC2086
		"$B/profile" -l -o "$RESULTS/profile-luns.json" $luns_dirs
	fi
} >"$work/profile.txt"
cp "$work/profile.txt" "$RESULTS/profile-$KERNEL.txt"
mv "$work/profile.txt" "$RESULTS/profile.txt"
cat "$RESULTS/profile.txt"
echo
echo "make profile: all figures are in $RESULTS/profile.json, by job in $RESULTS/profile-$KERNEL-*.json${luns_dirs:+ and $RESULTS/profile-luns.json}"
