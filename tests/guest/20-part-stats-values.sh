# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats takes 0, 1 and 2 (5.10: 0 and 1).  Everything else is refused with EINVAL and
# changes nothing.  It shows a number and a newline.
#
# An empty string is written as a newline: a write of nothing at all never gets as far as the driver.
# kernels: patched

. "$(dirname "$0")/lib.sh"

newline='
'
for set in det real; do
	file=$(toggle_path part_stats "$(disk_path $set 24)")
	for value in $VALUES; do
		answer "$value" "$file"
		is "$answer" ok "$set: $value is taken"
		is "$(cat "$file"; echo .)" "$value$newline." "$set: shows $value and a newline"
		answer "$value$newline" "$file"
		is "$answer" ok "$set: $value with a newline is taken"
	done
	for old in $VALUES; do
		echo "$old" >"$file"
		# Where it is not taken, 2 is one of them.
		set -- "$newline"
		[ "$MAPPED" = 2 ] || set -- 2 "$@"
		for value in "$@" 3 -1 abc '1 1' 0x1x 1x 99999999999999999999 '2 ' ' 2' 0x1 -0 \
			10 256 4294967296 4294967297 18446744073709551616 1.0 1,2 true \
			"1${newline}1" "${newline}1"; do
			answer "$value" "$file"
			shows "$file"
			is "$answer, then $shows" "Invalid argument, then $old" \
				"$set: at $old '$(printf '%s' "$value" | tr '\n' ' ')' is refused"
		done
	done
	echo 1 >"$file"
done
tap_done $((2 * NR_VALUES * (3 + 22 + BY_SECTOR)))
