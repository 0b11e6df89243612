# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: iostats answers everything that is written to it as on the stock kernel, and shows then what
# it shows there.
# kernels: all

. "$(dirname "$0")/lib.sh"

newline='
'
for set in det real; do
	disk=$(disk_path $set 25)
	file=$(toggle_path iostats "$disk")
	for value in 0 1; do
		answer $value "$file"
		is "$answer" ok "$set: $value is taken"
		is "$(cat "$file"; echo .)" "$value$newline." "$set: shows $value and a newline"
	done
	for old in 0 1; do
		for value in "$newline" 3 -1 abc '1 1' 0x1x 1x 99999999999999999999 '2 ' ' 2' 0x1 \
			-0 10 2 00 01 +1 +0 256 4294967295 4294967296 18446744073709551615 \
			18446744073709551616 1.0 "1${newline}1" "${newline}1"; do
			echo $old >"$file"
			answer "$value" "$file"
			shows "$file"
			fact "$set, '$(printf '%s' "$value" | tr '\n' ' ')' at $old" "$answer, then $shows"
		done
	done
	echo 1 >"$file"
	is "$(grep -c "^$set" "$FACTS")" 52 "$set: all answers are kept for comparison"
done
tap_done 10
