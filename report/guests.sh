# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What the measurements share that become many guests (report/run.sh, plugin/profile.sh); to be sourced
# in the top directory. The caller sets me, the command that messages begin with, and KERNEL and B.

# The processes of guests that run; the caller's to keep.
pids=

die()
{
	echo "$me: $*" >&2
	exit 1
}

usage()
{
	echo "$me: $*" >&2
	exit 2
}

# number NAME VALUE LOWEST: VALUE, which the variable NAME holds, is a whole number, LOWEST or more
number()
{
	case $2 in
	'' | *[!0-9]* | 0?* | ??????????*) usage "$1='$2' is not a number; accepted: $3 and more" ;;
	esac
	[ "$2" -ge "$3" ] || usage "$1=$2 is too small; accepted: $3 and more"
}

# known_jobs NAME JOB...: there is at least one, and each has a file
known_jobs()
{
	list=$1
	shift
	[ $# -gt 0 ] || usage "$list names no job"
	for job; do
		[ -f "fio-jobs/$job.fio" ] || usage "$list: there is no job '$job'; accepted:" \
			"$(cd fio-jobs && echo *.fio | sed 's/\.fio//g')"
	done
}

# image FLAVOUR: the kernel to boot
image()
{
	echo "$B/kernel/$KERNEL/$1/obj/arch/x86/boot/bzImage"
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
