# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: pass-through I/O counts the same for all values of part_stats: nowhere, since it has no
# sector that the kernel knows of.  18-pass-through holds the defaults against the stock kernel.
# kernels: patched

. "$(dirname "$0")/lib.sh"

passed()
{
	counted "$set, part_stats=$value: $1"
}

for set in det real; do
	for value in 0 2; do
		must set_toggle part_stats $value "$(disk_path $set 23)"
		pass_through $set 23 2
	done
	must set_toggle part_stats 1 "$(disk_path $set 23)"
done
tap_done 44
