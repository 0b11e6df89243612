# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: at the defaults the counters of one fixed job are, field by field, those of the stock kernel.
# Reads and writes of 2 to 16 KiB, mixed, at random and in sequence, eight in flight, on partitions and
# on the whole disk; fio says what it has issued, and the counters add up to that.
# kernels: all

. "$(dirname "$0")/lib.sh"

# job SET NAME DIRECTION FILES OPTION...: run it; sets $issued to the counters that it should move
job()
{
	set=$1 name=$2 direction=$3 files=$4
	shift 4
	must fio --name="$name" --filename="$files" --rw="$direction" --ioengine=libaio --direct=1 \
		--iodepth=8 --rwmixread=60 --randseed=20090107 --randrepeat=1 \
		--allrandrepeat=1 --file_service_type=random --norandommap --output-format=json \
		--output=/tmp/fio.json "$@"
	# Of the one job: read, write, trim, in this order.
	# shellcheck disable=SC2046 # numbers
	set -- $(sed -n 's/.*"\(total_ios\|io_bytes\)" : \([0-9]*\).*/\2/p' /tmp/fio.json)
	reads=$2 read_sectors=$(($1 / 512)) writes=$4 write_sectors=$(($3 / 512))
	[ "$set" ] && [ "$reads" -gt 100 ] && [ "$writes" -gt 100 ]
}

# total: what has been issued to the disk, merged or not
total()
{
	stat_of "$disk" reads read_merges read_sectors writes write_merges write_sectors |
		awk '{ print $1 + $2, $3, $4 + $5, $6 }'
}

# sums DESCRIPTION: ok if total has grown from $was by what fio has issued
sums()
{
	what=$1
	# shellcheck disable=SC2086 # numbers
	set -- $was
	is "$(total)" "$(($1 + reads)) $(($2 + read_sectors)) $(($3 + writes)) $(($4 + write_sectors))" \
		"$what"
}

for set in det real; do
	disk=$(disk_path $set 20)
	parts=
	for n in 2 3 7 11 15; do
		parts="$parts $(part_path $set 20 $n)"
	done
	# shellcheck disable=SC2086 # a list
	names=$(echo $parts | tr ' ' ':')
	for direction in randrw rw; do
		begin
		was=$(total)
		try "$set, $direction on partitions" job $set parts $direction "$names" \
			--bsrange=2k-16k --number_ios=600 --io_size=100g
		# shellcheck disable=SC2086
		delta "$set, $direction on partitions" "$disk" $parts
		fact "$set, $direction on partitions: issued" \
			"$reads $read_sectors $writes $write_sectors"
		sums "$set, $direction on partitions: the disk has what fio has issued"

		begin
		was=$(total)
		# Neither the first sectors of the disk nor the last ones: the label is there.
		try "$set, $direction on the disk" job $set disk $direction "$disk" --offset=1m \
			--size=62m --bsrange=2k-16k --number_ios=600 --io_size=100g
		# shellcheck disable=SC2086
		delta "$set, $direction on the disk" "$disk" $parts
		fact "$set, $direction on the disk: issued" \
			"$reads $read_sectors $writes $write_sectors"
		sums "$set, $direction on the disk: the disk has what fio has issued"
	done
done
tap_done 16
