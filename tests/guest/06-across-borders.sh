# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2, I/O of the whole disk that begins in one partition and ends in another one or
# in a gap counts, with all its sectors, where it begins, and nowhere else.  I/O that is too large for
# one request is several of them, and each counts where it begins.
# kernels: patched

. "$(dirname "$0")/lib.sh"

for set in det real; do
	disk=$(disk_path $set 12)
	must set_toggle part_stats "$MAPPED" "$disk"

	for n in 1 14; do
		border=$(part_start $((n + 1)))
		moves=reads=1,read_sectors=64,writes=1,write_sectors=64
		begin
		must issue "$disk" read:$((border - 1))+64 write:$((border - 63))+64
		counted "$set: from $n into $((n + 1))" "$disk:$moves" \
			"$(part_path $set 12 $n):$moves"
	done

	border=$(part_start 6)
	begin
	must issue "$disk" read:$((border - 10))+20 write:$((border - 1))+20
	counted "$set: from a gap into 6" "$disk:reads=1,read_sectors=20,writes=1,write_sectors=20"

	border=$(($(part_start 5) + PART_SECTORS))
	begin
	must issue "$disk" read:$((border - 10))+20 write:$((border - 1))+20
	moves=reads=1,read_sectors=20,writes=1,write_sectors=20
	counted "$set: from 5 into a gap" "$disk:$moves" "$(part_path $set 12 5):$moves"

	limit=/sys/block/$(kname "$disk")/queue/max_sectors_kb
	was=$(cat "$limit")
	echo 64 >"$limit"
	border=$(part_start 8)
	begin
	must issue "$disk" read:$((border - 384))+1024
	counted "$set: from 7 into 8, too large for one request: 3 of 128 sectors begin in 7, 5 in 8" \
		"$disk:reads=8,read_sectors=1024" \
		"$(part_path $set 12 7):reads=3,read_sectors=384" \
		"$(part_path $set 12 8):reads=5,read_sectors=640"
	echo "$was" >"$limit"
	must set_toggle part_stats 1 "$disk"
done
tap_done 10
