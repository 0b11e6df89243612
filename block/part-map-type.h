/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the sector-to-partition map needs to know of the kernel's own types: the
 * only file here that differs between kernels.  This one is for kernels in which
 * a partition is a struct block_device and gendisk.part_tbl is an xarray.
 */
#ifndef BLOCK_PART_MAP_TYPE_H
#define BLOCK_PART_MAP_TYPE_H

#include <linux/blkdev.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

/* The type of a partition, and of the whole disk. */
#define map_part block_device

static inline struct map_part *map_part_whole(struct gendisk *disk)
{
	return disk->part0;
}

static inline sector_t map_part_start(struct map_part *part)
{
	return part->bd_start_sect;
}

static inline sector_t map_part_nr_sectors(struct map_part *part)
{
	return bdev_nr_sectors(part);
}

/*
 * The entries of part_tbl that the map is made of.  A partition loses the mark, and
 * the map is updated, before it goes: so that many can leave the map at once.
 */
#define PART_MAPPED	XA_MARK_1

/* The partition with the lowest number above *@partno, which becomes its number. */
static inline struct map_part *map_part_next(struct gendisk *disk,
					     unsigned long *partno)
{
	return xa_find_after(&disk->part_tbl, partno, ULONG_MAX, PART_MAPPED);
}

/* What keeps partitions from coming, going and changing size. */
static inline void map_part_assert_held(struct gendisk *disk)
{
	lockdep_assert_held(&disk->open_mutex);
}

static inline bool map_part_is_held(struct gendisk *disk)
{
	return lockdep_is_held(&disk->open_mutex);
}

/* Free @map, if any, after a grace period.  Process context, may sleep. */
static inline void map_free_rcu(void *map)
{
	kvfree_rcu_mightsleep(map);
}

#endif /* BLOCK_PART_MAP_TYPE_H */
