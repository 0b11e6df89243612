# SPDX-License-Identifier: GPL-2.0
# What the interactive shell of `make guest-shell` begins with.
# shellcheck shell=sh
. /lib/partstats.sh
PS1='guest# '
cat <<'END'

Disks are below /dev/ps (SET/lunNN, SET/lunNNpPP), toggles in /sys/block/*/queue/iostats and
part_stats, jobs in /fio-jobs.  Functions of /lib/partstats.sh are loaded: all_disks, set_toggle,
setting, stat_of, at_rest, ...  `exit` ends the guest; Ctrl-a x ends QEMU.

END
