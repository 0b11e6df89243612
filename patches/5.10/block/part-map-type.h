/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the sector-to-partition map needs to know of the kernel's own types: the
 * only file of the map that differs between kernels.  This one is for 5.10, where
 * a partition is a struct hd_struct and gendisk.part_tbl an array of them.
 */
#ifndef BLOCK_PART_MAP_TYPE_H
#define BLOCK_PART_MAP_TYPE_H

#include <linux/genhd.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>

#include "blk.h"

/* The type of a partition, and of the whole disk. */
#define map_part hd_struct

static inline struct map_part *map_part_whole(struct gendisk *disk)
{
	return &disk->part0;
}

static inline sector_t map_part_start(struct map_part *part)
{
	return part->start_sect;
}

static inline sector_t map_part_nr_sectors(struct map_part *part)
{
	return part_nr_sects_read(part);
}

/*
 * The partition with the lowest number above *@partno, which becomes its number.
 * One that is to go is marked first and no longer belongs to the map, although it
 * still is in part_tbl: so that many can leave the map at once.
 */
static inline struct map_part *map_part_next(struct gendisk *disk,
					     unsigned long *partno)
{
	struct disk_part_tbl *ptbl;
	struct map_part *part = NULL;

	rcu_read_lock();
	ptbl = rcu_dereference(disk->part_tbl);
	while (!part && ++*partno < ptbl->len) {
		part = rcu_dereference(ptbl->part[*partno]);
		if (part && READ_ONCE(part->unmapped))
			part = NULL;
	}
	rcu_read_unlock();
	return part;
}

/* What keeps updates of the map apart. */
static inline void map_part_assert_held(struct gendisk *disk)
{
	lockdep_assert_held(&disk->part_map_mutex);
}

static inline bool map_part_is_held(struct gendisk *disk)
{
	/* Without lockdep, this is the only form there is. */
	return lockdep_is_held_type(&disk->part_map_mutex, -1);
}

/* Free @map, if any, after a grace period.  Process context, may sleep. */
static inline void map_free_rcu(void *map)
{
	kvfree_rcu_mightsleep(map);
}

#endif /* BLOCK_PART_MAP_TYPE_H */
