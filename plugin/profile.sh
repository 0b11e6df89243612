#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# `make profile`: every instruction of the settings' kernels, by function, on the deterministic
# device. Started by make, which sets MAKE, KERNEL, B and RESULTS.
#
#	PROFILE_JOB		name of a job file in fio-jobs/ (randread-450)
#	PROFILE_SETTINGS	what to compare, with stock if it is among them:
#				stock, patched, part_stats=0, part_stats=2, iostats=0, noacct;
#				stock:iostats=0 is the setting iostats=0 on the stock kernel
#	PROFILE_IOS		I/Os of a run (20000)
#	PROFILE_SEED		seed of the job (2009)
#	PROFILE_MEM		on: memory accesses, lines and caches too; off is faster (on)
#	PROFILE_L1, PROFILE_L2	the caches, size:ways (32K:8 and 1M:16)
#
# A boot measures all settings of one kernel, with the plan of `make run`; boots run side by side.
set -eu

: "${MAKE:=make}" "${KERNEL:=6.12}" "${B:=build}" "${RESULTS:=$B/results}" "${V:=0}"
: "${PROFILE_JOB:=randread-450}"
: "${PROFILE_SETTINGS:=stock patched part_stats=0 part_stats=2 iostats=0 noacct}"
: "${PROFILE_IOS:=20000}" "${PROFILE_SEED:=2009}" "${PROFILE_MEM:=on}"
: "${PROFILE_L1:=32K:8}" "${PROFILE_L2:=1M:16}"
# I/Os of a base run: they must be there in every process, and cancel out.
base_ios=1000

work=$B/profile.d
pids=

usage()
{
	echo "make profile: $*" >&2
	exit 2
}

die()
{
	echo "make profile: $*" >&2
	exit 1
}

# Guests of ours must not outlive us.
stop()
{
	trap - EXIT INT TERM HUP
	for pid in $pids; do
		kill "$pid" 2>/dev/null || :
	done
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || wait $pids 2>/dev/null || :
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

kernel_of()
{
	case $1 in
	stock | patched | noacct) echo "$1" ;;
	stock:* | patched:* | noacct:*) echo "${1%%:*}" ;;
	*) echo patched ;;
	esac
}

# number NAME VALUE LOWEST
number()
{
	case $2 in
	'' | *[!0-9]* | ??????????*) usage "$1=$2: expected a whole number from $3 on" ;;
	esac
	[ "$2" -ge "$3" ] || usage "$1=$2: expected a whole number from $3 on"
}

# --- what was asked for
[ -f "fio-jobs/$PROFILE_JOB.fio" ] ||
	usage "PROFILE_JOB=$PROFILE_JOB: no such job; there are:$(cd fio-jobs && printf ' %s' *.fio | sed 's/\.fio//g')"
number PROFILE_IOS "$PROFILE_IOS" $((2 * base_ios))
number PROFILE_SEED "$PROFILE_SEED" 0
case $PROFILE_MEM in
on | off) ;;
*) usage "PROFILE_MEM=$PROFILE_MEM: expected on or off" ;;
esac
kernels=
for s in $PROFILE_SETTINGS; do
	case ${s#*:} in
	stock | patched | noacct | part_stats=0 | part_stats=2 | iostats=0) ;;
	*) usage "PROFILE_SETTINGS: $s is not known; there are stock, patched, part_stats=0, part_stats=2, iostats=0, noacct" ;;
	esac
	case " $kernels " in
	*" $(kernel_of "$s") "*) ;;
	*) kernels="$kernels $(kernel_of "$s")" ;;
	esac
done
[ -n "$kernels" ] || usage "PROFILE_SETTINGS is empty"

# --- boots
image()
{
	echo "$B/kernel/$KERNEL/$1/obj/arch/x86/boot/bzImage"
}

# boot KERNEL DIR: one guest with the plan, under the plugin
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
	plugin=$PWD/$B/blkprof.so,vmlinux=$PWD/$B/kernel/$KERNEL/$1/obj/vmlinux
	plugin=$plugin,agent=$PWD/$B/guest/agent,out=blkprof.json,mem=$PROFILE_MEM
	plugin=$plugin,rows=$PWD/plugin/rows.list,group=$PWD/plugin/accounting.list
	plugin=$plugin,l1=$PROFILE_L1,l2=$PROFILE_L2
	guest/run --kernel "$(image "$1")" --plan report/plan.sh --add "$2/params.sh" --out "$2" \
		--dev scsi_debug --icount --timeout 1800 --plugin "$plugin"
}

for k in $kernels; do
	"$MAKE" --no-print-directory kernel FLAVOUR="$k"
	[ -f "$(image "$k")" ] || die "$(image "$k") is missing after 'make kernel'"
done
"$MAKE" --no-print-directory guest plugin
rm -rf "$work"

# At most as many guests as CPUs, each of them uses one.
slots=$(nproc)
for k in $kernels; do
	while set -- $pids && [ $# -ge "$slots" ]; do
		wait "$1" || die "a guest failed"
		shift
		pids=$*
	done
	boot "$k" "$work/$k" &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || die "a guest failed"
done
pids=

# --- the table
mkdir -p "$RESULTS"
dirs=
for k in $kernels; do
	dirs="$dirs $work/$k"
done
# shellcheck disable=SC2086 # a list
"$B/profile" -o "$RESULTS/profile.json" $dirs >"$work/profile.txt"
mv "$work/profile.txt" "$RESULTS/profile.txt"
cat "$RESULTS/profile.txt"
echo
echo "make profile: all figures are in $RESULTS/profile.json"
