# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: part_stats=2 on a disk whose MBR has primary partitions that overlap, nest and hide each
# other.  No tool makes such a table, so it is written byte by byte.  The lowest number wins.
# kernels: patched

. "$(dirname "$0")/lib.sh"

# little_endian NUMBER: four bytes, as an argument of printf
little_endian()
{
	printf '\\%03o\\%03o\\%03o\\%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) \
		$(($1 >> 24 & 255))
}

# mbr NUMBER:START:SECTORS...: four entries, as a sector on standard output
mbr()
{
	head -c 446 /dev/zero
	for entry; do
		first=${entry#*:}
		# No boot flag, no cylinders, type 83, no cylinders.
		printf '\000\000\000\000\203\000\000\000'
		# shellcheck disable=SC2059 # made to be a format
		printf "$(little_endian "${first%:*}")$(little_endian "${first#*:}")"
	done
	printf '\125\252'
}

# table DESCRIPTION ENTRY...
table()
{
	what=$1
	shift
	mbr "$@" | dd of="$disk" bs=512 2>/dev/null
	must blockdev --rereadpt "$disk"
	borders "$what" "$disk" 131072 "$*"
}

disk=/dev/mbr
must null_disk mbr 64
must set_toggle part_stats "$MAPPED" "$disk"
table "one in the other" 1:60000:1000 2:50000:20000 3:40000:40000 4:1:131071
table "the one hides the other" 1:1:131071 2:50000:20000 3:60000:1000 4:1000:1
table "like steps" 1:40000:20000 2:30000:20000 3:20000:20000 4:10000:20000
table "like steps, the other way" 1:10000:20000 2:20000:20000 3:30000:20000 4:40000:20000
table "the same twice, and one cut in three" 1:20000:1000 2:40000:1000 3:10000:50000 4:10000:50000
must null_gone mbr
tap_done 5
