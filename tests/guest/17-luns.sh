# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: each of the two SCSI hosts reports 30 LUNs, and each LUN has 15 partitions.  All the other
# tests rest on that.
# kernels: all

. "$(dirname "$0")/lib.sh"

for set in det real; do
	luns=$(sg_luns "$(sg_node "$(disk_path $set 0)")" | sed -n 's/.*which imp[a-z]* \([0-9]*\) lun.*/\1/p')
	is "$luns" 30 "$set: sg_luns reports 30 LUNs"
	is "$(all_disks $set | wc -l)" 30 "$set: 30 disks"
	is "$(all_parts $set | wc -l)" 450 "$set: 450 partitions"
done
tap_done 6
