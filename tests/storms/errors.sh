# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: a request that is aborted, retried, put back or ends in time-out, and is then counted twice,
# or not at all, or stays in flight.
#
# scsi_debug answers every so many commands with an error, null_blk (where the kernel can inject
# faults) loses requests or puts them back.  The null_blk disk and, if nobody else uses them, the
# scsi_debug disks must have counted what was issued.

injected_opts='0x8 0x10 0x8000 0x10000 0x4 0x2'

storm_errors()
{
	dir=/sys/kernel/config/nullb/pserr
	mkdir -p $dir
	echo 64 >$dir/size
	# Completed by a timer, so that requests are in flight.
	echo 2 >$dir/irqmode
	echo 300000 >$dir/completion_nsec
	for kind in timeout requeue; do
		[ -d $dir/${kind}_inject ] || continue
		echo 2 >$dir/${kind}_inject/probability
		echo -1 >$dir/${kind}_inject/times
		echo 0 >$dir/${kind}_inject/verbose
	done
	echo 1 >$dir/power
	[ ! -d $dir/timeout_inject ] || echo 300 >/sys/block/pserr/queue/io_timeout
	for disk in $(all_disks det); do
		echo 1 >"/sys/block/$(kname "$disk")/device/timeout"
	done
	errors_before=$(errors_sums)
	in_background errors inject
	in_background errors-null storm io -w -W -t "$DURATION" -s "$SEED" -j 2 /dev/pserr
	in_background errors-io storm io -w -W -t "$DURATION" -s "$SEED" -j 3 @/adapter0
}

inject()
{
	changes=0
	end=$(($(cut -d . -f 1 /proc/uptime) + DURATION))
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
		for opts in $injected_opts; do
			adapter opts "$opts"
			# Time-outs cost a second each.
			case $opts in
			0x4) adapter every_nth 211 ;;
			*) adapter every_nth 13 ;;
			esac
			changes=$((changes + 1))
			sleep 0.5
		done
	done
	adapter every_nth 0
	adapter opts 0
	echo "changes=$changes"
}

# errors_sums: of null_blk and of all scsi_debug disks
errors_sums()
{
	for disk in /dev/pserr $(all_disks det); do
		stat_of "$disk" reads read_merges read_sectors writes write_merges write_sectors
	done | awk '
		NR > 1 { r += $1 + $2; rs += $3; w += $4 + $5; ws += $6 }
		NR == 1 { print $1 + $2, $3, $4 + $5, $6 }
		END { print r, rs, w, ws }' | tr '\n' ' '
}

# issued NAME: "READS READ_SECTORS WRITES WRITE_SECTORS" that `storm io' says it has issued
issued()
{
	tr ' ' '\n' <"/results/figures/$round.$1" | awk -F = '
		{ n[$1] = $2 }
		END { print n["reads"] + 0, n["read_sectors"] + 0, n["writes"] + 0, n["write_sectors"] + 0 }'
}

after_errors()
{
	at_rest 60
	echo "$errors_before $(errors_sums)" | awk '{
		print $9 - $1, $10 - $2, $11 - $3, $12 - $4
		print $13 - $5, $14 - $6, $15 - $7, $16 - $8
	}' >/tmp/errors
	is "$(sed -n 1p /tmp/errors)" "$(issued errors-null)" "$round: null_blk has counted each request once"
	if [ "$storms" = errors ]; then
		is "$(sed -n 2p /tmp/errors)" "$(issued errors-io)" \
			"$round: the scsi_debug disks have counted each request once"
	fi
	rmdir /sys/kernel/config/nullb/pserr
	# The default again: what comes next has requests that take longer than a second.
	echo 30 | tee /sys/class/scsi_device/*/device/timeout >/dev/null
}
