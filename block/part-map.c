// SPDX-License-Identifier: GPL-2.0
/*
 * Sector-to-partition map: which partition of a disk does a sector belong to?
 *
 * The partitions of a disk change a few times in its life and are asked for with
 * every I/O.  So each change builds a new table from disk->part_tbl and publishes
 * it by RCU; nobody ever writes to a table that can be seen.  A lookup takes no
 * lock and no reference and stores nothing, hence costs other CPUs nothing.
 *
 * Partitions may overlap (a Sun or BSD label has a slice for the whole disk, an
 * extended partition surrounds its logical ones); the lowest number wins.  That
 * is settled when the table is built: it cuts the disk into segments which do not
 * overlap, in the order of their sectors, each with the one answer for it.
 */
#include <linux/blkdev.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "part-map.h"

/* A segment reaches from @start to the @start of the next, the last one to the end. */
struct map_seg {
	sector_t		start;
	struct map_part		*part;
};

struct part_map {
	struct rcu_head		rcu;
	unsigned int		nr_segs;
	struct map_seg		seg[] __counted_by(nr_segs);
};

/* The answer without a table: slower, needs no memory. */
static struct map_part *part_map_walk(struct gendisk *disk, sector_t sector)
{
	unsigned long partno = 0;
	struct map_part *part;

	while ((part = map_part_next(disk, &partno))) {
		sector_t start = map_part_start(part);

		/* No sum of start and size here: it might wrap. */
		if (sector >= start &&
		    sector - start < map_part_nr_sectors(part))
			return part;
	}
	return map_part_whole(disk);
}

/**
 * disk_map_sector_rcu - find the partition that holds a sector
 * @disk: the disk
 * @sector: sector of 512 bytes, counted from the start of the disk; any value
 *
 * Context: Any, inside rcu_read_lock(), from before disk_map_sector_rcu() until
 * the answer has been used.  A caller that has entered the queue of @disk may
 * keep the answer until it leaves the queue: a partition goes only after the map
 * without it has been published and the queue has been drained.
 * Return: The lowest-numbered partition with start <= @sector < start + size; the
 * whole disk if there is none.  No reference is taken.
 */
struct map_part *disk_map_sector_rcu(struct gendisk *disk, sector_t sector)
{
	const struct part_map *map = rcu_dereference(disk->part_map);
	const struct map_seg *seg;
	unsigned int nr, half;

	if (unlikely(!map))
		return part_map_walk(disk, sector);

	seg = map->seg;
	for (nr = map->nr_segs; nr > 1; nr -= half) {
		half = nr / 2;
		if (seg[half].start <= sector)
			seg += half;
	}
	return seg->part;
}

/* The segment that holds @sector, among the @nr that cover all sectors. */
static unsigned int map_seg_find(const struct map_seg *seg, unsigned int nr,
				 sector_t sector)
{
	unsigned int first = 0;

	while (nr > 1) {
		unsigned int half = nr / 2;

		if (seg[first + half].start <= sector)
			first += half;
		nr -= half;
	}
	return first;
}

/*
 * Give the sectors from @start to @last to @part, whoever had them.  Adds at most
 * two segments; returns how many there are then.
 */
static unsigned int map_seg_paint(struct map_seg *seg, unsigned int nr,
				  sector_t start, sector_t last,
				  struct map_part *part)
{
	unsigned int first = map_seg_find(seg, nr, start);
	unsigned int end = map_seg_find(seg, nr, last);
	struct map_part *behind = seg[end].part;
	bool has_end = end + 1 < nr ? seg[end + 1].start - 1 > last :
				      last != (sector_t)-1;

	/* What is left of the first segment stays in front of us. */
	if (seg[first].start < start)
		first++;
	/* Ours, and what is left of the last one, in place of all in between. */
	memmove(&seg[first + 1 + has_end], &seg[end + 1],
		(nr - end - 1) * sizeof(*seg));
	nr = first + 1 + has_end + nr - end - 1;
	seg[first].start = start;
	seg[first].part = part;
	if (has_end) {
		seg[first + 1].start = last + 1;
		seg[first + 1].part = behind;
	}
	return nr;
}

static unsigned int map_nr_parts(struct gendisk *disk)
{
	unsigned long partno = 0;
	unsigned int nr = 0;

	while (map_part_next(disk, &partno))
		nr++;
	return nr;
}

/*
 * Lay the partitions over each other, the lowest number last, so that it is on
 * top.  @parts has room for @nr partitions, @seg for 2 * @nr + 1 segments.
 */
static unsigned int map_seg_build(struct gendisk *disk, struct map_part **parts,
				  unsigned int nr, struct map_seg *seg)
{
	unsigned int nr_segs = 1, i = 0;
	unsigned long partno = 0;
	struct map_part *part;

	while (i < nr && (part = map_part_next(disk, &partno)))
		parts[i++] = part;

	seg[0].start = 0;
	seg[0].part = map_part_whole(disk);
	while (i--) {
		sector_t start = map_part_start(parts[i]);
		sector_t size = map_part_nr_sectors(parts[i]);
		sector_t last = start + size - 1;

		if (!size)
			continue;
		/* A partition that claims to go on past the largest number. */
		if (last < start)
			last = (sector_t)-1;
		nr_segs = map_seg_paint(seg, nr_segs, start, last, parts[i]);
	}
	return nr_segs;
}

static struct part_map *part_map_build(struct gendisk *disk, unsigned int nr)
{
	struct part_map *map = NULL;
	struct map_part **parts;
	struct map_seg *seg;
	unsigned int nr_segs;

	parts = kmalloc_array(nr, sizeof(*parts), GFP_KERNEL | __GFP_NOWARN);
	seg = kmalloc_array(2 * nr + 1, sizeof(*seg), GFP_KERNEL | __GFP_NOWARN);
	if (parts && seg) {
		nr_segs = map_seg_build(disk, parts, nr, seg);
		map = kmalloc(struct_size(map, seg, nr_segs),
			      GFP_KERNEL | __GFP_NOWARN);
		if (map) {
			map->nr_segs = nr_segs;
			memcpy(map->seg, seg, nr_segs * sizeof(*seg));
		}
	}
	kfree(seg);
	kfree(parts);
	return map;
}

/**
 * part_map_update - make the map agree with the partitions of a disk
 * @disk: the disk
 *
 * To be called after partitions have been put into disk->part_tbl or taken out of
 * it, or have changed size; once for any number of changes.  When it returns, no
 * new lookup finds a partition that is no longer in the table.  Lookups that began
 * earlier may: before such a partition is freed, wait for a grace period and for
 * the I/O that entered the queue before.
 *
 * If there is no memory for a map, lookups do without (slower, the same answers),
 * and the next call tries again.  So the result may be ignored.
 *
 * Context: Process context, may sleep.  The lock that guards the partitions of
 * @disk is held.  Costs some 10 us for 255 partitions.
 * Return: 0, or -ENOMEM if there is no map now.
 */
int part_map_update(struct gendisk *disk)
{
	struct part_map *map = NULL, *old;
	unsigned int nr;

	map_part_assert_held(disk);

	nr = map_nr_parts(disk);
	if (nr)
		map = part_map_build(disk, nr);
	old = rcu_replace_pointer(disk->part_map, map, map_part_is_held(disk));
	if (old)
		kfree_rcu(old, rcu);
	return nr && !map ? -ENOMEM : 0;
}

/**
 * part_map_free - free the map of a disk that goes
 * @disk: the disk; no lookup can reach it any more
 *
 * Context: Any.
 */
void part_map_free(struct gendisk *disk)
{
	kfree(rcu_dereference_protected(disk->part_map, true));
	RCU_INIT_POINTER(disk->part_map, NULL);
}
