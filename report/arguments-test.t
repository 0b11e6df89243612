#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# `make run` and `make profile`: a setting that makes no sense is refused with exit status 2 and a message
# that names it, before anything is built or booted.
set -u

cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

# A make that tells if it is called.
printf '#!/bin/sh\ntouch "%s/made"\n' "$tap_tmp" >"$tap_tmp/make"
chmod +x "$tap_tmp/make"

refused()
{
	words=$1
	shift
	env MAKE="$tap_tmp/make" B="$tap_tmp/build" "$@" >"$tap_tmp/said" 2>&1
	status=$?
	cat "$tap_tmp/said"
	[ $status -eq 2 ] && [ ! -e "$tap_tmp/made" ] && [ ! -e "$tap_tmp/build" ] &&
		grep -qF -- "$words" "$tap_tmp/said"
}

# refuses SCRIPT SETTING WORDS
refuses()
{
	check "$1: $2 is refused" refused "$3" "$2" "$1"
}

refuses report/run.sh RUN_SEED=x "RUN_SEED='x' is not a number; accepted: 0 and more"
refuses report/run.sh RUN_SEED=007 "RUN_SEED='007' is not a number"
refuses report/run.sh RUN_IOS=5 'RUN_IOS=5 is too small; accepted: 4000 and more'
refuses report/run.sh RUN_ROUNDS= "RUN_ROUNDS='' is not a number"
refuses report/run.sh RUN_JOBS= 'RUN_JOBS names no job'
refuses report/run.sh RUN_JOBS='oltp none' "RUN_JOBS: there is no job 'none'; accepted: oltp"
refuses report/run.sh RUN_TIME=0 "RUN_TIME='0' is not a time"
refuses report/run.sh RUN_COUNT=maybe "RUN_COUNT='maybe' is not known; accepted: yes, no"
refuses plugin/profile.sh PROFILE_IOS=5 'PROFILE_IOS=5 is too small; accepted: 2000 and more'
refuses plugin/profile.sh PROFILE_SEED=-1 "PROFILE_SEED='-1' is not a number"
refuses plugin/profile.sh PROFILE_JOB=none "PROFILE_JOB: there is no job 'none'"
refuses plugin/profile.sh PROFILE_MEM=maybe 'PROFILE_MEM=maybe: expected on or off'
refuses plugin/profile.sh PROFILE_SETTINGS=none 'PROFILE_SETTINGS: none is not known'
refuses plugin/profile.sh PROFILE_LUNS=0 'PROFILE_LUNS=0 is too small; accepted: 1 and more'
refuses plugin/profile.sh PROFILE_GROUP=none 'PROFILE_GROUP=none: no such file'

done_testing
