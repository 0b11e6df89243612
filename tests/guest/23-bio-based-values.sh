# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: on bio-based queues (dm, md, zram) iostats and part_stats are 1 at first, part_stats takes 0
# and 1, and refuses 2, like anything else, with EINVAL and keeps what it was.
# kernels: patched

. "$(dirname "$0")/lib.sh"

must linear_up t23 "$(part_path det 27 1)" 4096
linear=$(dm_node t23)
must mirror_up 23 "$(part_path det 27 2)" "$(part_path det 27 3)" 2048
for disk in "$linear" /dev/md23 /dev/zram0; do
	file=$(toggle_path part_stats "$disk")
	name=$(kname "$disk")
	is "$(get_toggle iostats "$disk")" 1 "$name: iostats is 1"
	is "$(cat "$file")" 1 "$name: part_stats is 1"
	answer 2 "$file"
	is "$answer" 'Invalid argument' "$name: at 1 2 is refused"
	is "$(cat "$file")" 1 "$name: and 1 is kept"
	answer 0 "$file"
	is "$answer" ok "$name: 0 is taken"
	is "$(cat "$file")" 0 "$name: and shown"
	for value in 2 3 -1 abc 1x; do
		answer $value "$file"
		is "$answer, $(cat "$file")" 'Invalid argument, 0' "$name: at 0 $value is refused"
	done
	answer 1 "$file"
	is "$answer" ok "$name: 1 is taken"
	is "$(cat "$file")" 1 "$name: and shown"
done
must dm_down t23
must mirror_down 23
tap_done 39
