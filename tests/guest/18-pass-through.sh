# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: at the defaults pass-through I/O counts exactly as on the stock kernel.
# kernels: all

. "$(dirname "$0")/lib.sh"

passed()
{
	delta "$1" "$disk" "$part"
	ok "$set: $1"
}

for set in det real; do
	pass_through $set 22 2
done
tap_done 22
