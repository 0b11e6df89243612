# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: a count in flight that a switch leaves behind, an I/O that is counted at its start and not
# at its end, or the other way round; utilisation that stays at 100 % after that.
#
# iostats and part_stats of all disks are switched, with I/O to them and to their partitions.

storm_toggles()
{
	# Each switch waits for its queue to drain: it takes many at once to switch often.
	# shellcheck disable=SC2046,SC2086 # lists
	in_background toggles storm toggles -t "$DURATION" -s "$SEED" -j 24 \
		@/adapter $(real_disks $FIO_PARTS $FIO_WHOLE $FIO_SPARE)
	# shellcheck disable=SC2046,SC2086
	in_background toggles-exact storm toggles -t "$DURATION" -s "$SEED" -j 8 -f p \
		$(real_disks $FIO_EXACT)
	in_background toggles-io storm io -w -t "$DURATION" -s "$SEED" -j 2 @/adapter
}
