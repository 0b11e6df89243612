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
 *
 * What a lookup costs is cache misses and mispredicted branches, not arithmetic.
 * Therefore no form of the table has a branch that depends on the sector, and all
 * keep what one lookup reads in few cache lines.  The first form that the disk's
 * layout allows is taken:
 *
 * plain	The disk is cut into at most 64 buckets of equal size, a power of
 *		two.  One byte a bucket names the segment that its first sector is
 *		in.  No bucket holds more than one border, so that this segment or
 *		the next is the answer.  The size of the buckets comes with the
 *		pointer to the table (see MAP_SHIFT), so nothing needs reading to
 *		find the byte: two cache lines a lookup, one for the byte and one
 *		for the two segments.
 * wide		More buckets, counted from the first border rather than from sector
 *		0, each with up to two borders: for a small partition or two before
 *		the big ones, for gaps between partitions, and for many partitions.
 *		At most three lines where there are no more than MAP_FEW segments,
 *		else four.
 * tree		Anything else.  Four segments share a line; a sorted array of the
 *		last sectors of those lines is bisected to find the right one.  Up
 *		to MAP_FEW segments that array fits one line: two lines a lookup.
 *
 * 15 partitions make at most 31 segments, which is within MAP_FEW.
 */
#include <linux/blkdev.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "part-map.h"

/* The layouts below count in lines of this size, whatever the machine has. */
#define MAP_LINE	64

/*
 * A table starts at a multiple of MAP_LINE.  The low bits of the pointer to it hold
 * the binary logarithm of the bucket size of a plain table, and 0 for the others.
 */
#define MAP_SHIFT	(MAP_LINE - 1UL)

/* A segment reaches from behind the @last sector of the one before it to its own. */
struct map_seg {
	sector_t		last;
	struct map_part		*part;
} __aligned(16);

#define SEGS_PER_LINE	(MAP_LINE / sizeof(struct map_seg))
#define MAP_FEW		(8 * SEGS_PER_LINE)

struct map_plain {
	u8			slot[MAP_LINE];
	struct map_seg		seg[];
};

/* What wide and tree tables begin with; @segs is where the segments are, in bytes. */
struct map_head {
	u8			is_tree;
	u8			shift;
	u16			nr;
	u16			stride;
	u16			segs;
};

struct map_wide {
	struct map_head		head;
	sector_t		base;
	u8			slot[];
};

#define WIDE_SLOTS	(MAP_LINE - sizeof(struct map_wide))

struct map_tree {
	struct map_head		head;
	sector_t		last[];
};

/* Only the pointer to it has this type. */
struct part_map {
	union {
		struct map_plain	plain;
		struct map_wide		wide;
		struct map_tree		tree;
	};
};

/* The answer without a table: slower, needs no memory. */
static noinline struct map_part *part_map_walk(struct gendisk *disk, sector_t sector)
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

static const struct map_seg *map_segs(const struct map_head *head, size_t offset)
{
	return (const void *)head + head->segs + offset;
}

static struct map_part *map_wide_find(struct gendisk *disk, sector_t sector,
				      const struct map_wide *map)
{
	/* Below the base this wraps to a number beyond the table; see map_build_wide(). */
	sector_t bucket = (sector - map->base) >> map->head.shift;
	const struct map_seg *seg;
	unsigned int behind;

	if (unlikely(bucket >= map->head.nr))
		return map_part_whole(disk);
	seg = map_segs(&map->head, (size_t)map->slot[bucket] * map->head.stride);
	behind = seg[0].last < sector;
	behind += seg[1].last < sector;
	return seg[behind].part;
}

static struct map_part *map_tree_find(sector_t sector, const struct map_tree *map)
{
	const struct map_seg *seg;
	unsigned int half, behind;
	size_t line = 0;

	/* A masked sum where an if would do: this must not become a branch. */
	for (half = map->head.nr / 2; half; half /= 2)
		line += half & -(size_t)(map->last[line + half - 1] < sector);
	seg = map_segs(&map->head, line * MAP_LINE);
	behind = seg[0].last < sector;
	behind += seg[1].last < sector;
	behind += seg[2].last < sector;
	return seg[behind].part;
}

/**
 * disk_map_sector_rcu - find the partition that holds a sector
 * @disk: the disk
 * @sector: sector of 512 bytes, counted from the start of the disk; any value
 *
 * No reference is taken.  A caller that has entered the queue of @disk may keep the
 * answer until it leaves the queue, others until rcu_read_unlock(): a partition goes
 * only after a map without it has been published and the queue has been drained.
 *
 * Context: Any, inside rcu_read_lock().
 * Return: The lowest-numbered partition with start <= @sector < start + size; the
 * whole disk if there is none.
 */
struct map_part *disk_map_sector_rcu(struct gendisk *disk, sector_t sector)
{
	unsigned long word = (unsigned long)rcu_dereference(disk->part_map);
	const struct part_map *map = (const void *)(word & ~MAP_SHIFT);

	if (likely(word & MAP_SHIFT)) {
		sector_t bucket = sector >> (word & MAP_SHIFT);
		const struct map_seg *seg;

		if (unlikely(bucket >= ARRAY_SIZE(map->plain.slot)))
			return map_part_whole(disk);
		/* Counted in bytes because gcc makes less of seg[slot] here. */
		seg = (const void *)map->plain.seg +
		      map->plain.slot[bucket] * sizeof(*seg);
		seg += seg->last < sector;
		return seg->part;
	}
	if (unlikely(!map))
		return part_map_walk(disk, sector);
	if (map->wide.head.is_tree)
		return map_tree_find(sector, &map->tree);
	return map_wide_find(disk, sector, &map->wide);
}

/*
 * Building a table.  The segments of a disk are first laid out in one array:
 */
struct map_layout {
	struct map_seg		*seg;
	unsigned int		nr;
};

/* The segment that holds @sector; the last one reaches to the largest number. */
static unsigned int layout_find(const struct map_layout *lo, sector_t sector)
{
	unsigned int first = 0, nr = lo->nr;

	while (nr > 1) {
		unsigned int half = nr / 2;

		if (lo->seg[first + half - 1].last < sector)
			first += half;
		nr -= half;
	}
	return first;
}

/* Give the sectors @start to @last to @part; makes at most two segments more. */
static void layout_paint(struct map_layout *lo, sector_t start, sector_t last,
			 struct map_part *part)
{
	unsigned int first = layout_find(lo, start);
	unsigned int end = layout_find(lo, last);
	struct map_seg behind = lo->seg[end];
	bool has_front = first ? lo->seg[first - 1].last + 1 < start : start > 0;
	bool has_behind = behind.last > last;
	unsigned int ours = first + has_front;

	memmove(&lo->seg[ours + 1 + has_behind], &lo->seg[end + 1],
		(lo->nr - end - 1) * sizeof(*lo->seg));
	lo->nr += has_front + has_behind - (end - first);

	if (has_front)
		lo->seg[first].last = start - 1;
	lo->seg[ours].last = last;
	lo->seg[ours].part = part;
	if (has_behind)
		lo->seg[ours + 1] = behind;
}

/*
 * Lay the @nr partitions over each other, the lowest number last, so that it is on
 * top.  @parts is room for them, @lo has room for 2 * @nr + 1 segments.
 */
static void layout_build(struct map_layout *lo, struct gendisk *disk,
			 struct map_part **parts, unsigned int nr)
{
	unsigned long partno = 0;
	struct map_part *part;
	unsigned int i = 0;

	while (i < nr && (part = map_part_next(disk, &partno)))
		parts[i++] = part;

	lo->nr = 1;
	lo->seg[0].last = (sector_t)-1;
	lo->seg[0].part = map_part_whole(disk);
	while (i--) {
		sector_t start = map_part_start(parts[i]);
		sector_t size = map_part_nr_sectors(parts[i]);
		sector_t last = start + size - 1;

		if (!size)
			continue;
		/* A partition that claims to go on past the largest number. */
		if (last < start)
			last = (sector_t)-1;
		layout_paint(lo, start, last, parts[i]);
	}
}

/* Segment @i, or the last one again for those who read past it. */
static struct map_seg layout_seg(const struct map_layout *lo, unsigned int i)
{
	return lo->seg[min(i, lo->nr - 1)];
}

/* The smallest power of two, as exponent, of which @nr or fewer cover @last. */
static unsigned int map_shift(sector_t last, unsigned int nr)
{
	unsigned int shift = 1;

	while (last >> shift >= nr)
		shift++;
	return shift;
}

/*
 * For each of @nr buckets of 1 << @shift sectors, from @base on, the segment of its
 * first sector, rounded down to a multiple of @step, goes to @first, in steps.
 * False if that does not fit a byte, or if the bucket reaches into more than @reach
 * segments after it.
 */
static bool map_buckets(const struct map_layout *lo, sector_t base,
			unsigned int shift, unsigned int nr, unsigned int step,
			unsigned int reach, u8 *first)
{
	unsigned int i, seg = 0;

	for (i = 0; i < nr; i++) {
		sector_t start = base + ((sector_t)i << shift);
		sector_t last = start + ((sector_t)1 << shift) - 1;
		unsigned int from, to;

		/* The last bucket may go on past the largest number. */
		if (last < start)
			last = (sector_t)-1;
		while (lo->seg[seg].last < start)
			seg++;
		from = seg / step;
		for (to = seg; lo->seg[to].last < last; to++)
			if (to - from * step >= reach)
				return false;
		if (from > U8_MAX)
			return false;
		first[i] = from;
	}
	return true;
}

static void *map_alloc(size_t size)
{
	/*
	 * kmalloc() aligns what is a power of two to its size, and from 256 bytes on
	 * that is what it hands out.  If an allocator does otherwise: no table.
	 */
	void *map = kmalloc(max_t(size_t, size, 256), GFP_KERNEL | __GFP_NOWARN);

	if (!IS_ALIGNED((unsigned long)map, MAP_LINE)) {
		kfree(map);
		return NULL;
	}
	return map;
}

static unsigned long map_build_plain(const struct map_layout *lo)
{
	/* The lines overlap by a segment: each and the next one in a line. */
	const unsigned int step = SEGS_PER_LINE - 1;
	unsigned int nr_lines = (lo->nr - 1) / step + 1;
	struct map_plain *map;
	unsigned int shift, i;

	map = map_alloc(sizeof(*map) + nr_lines * MAP_LINE);
	if (!map)
		return 0;
	shift = map_shift(lo->seg[lo->nr - 2].last + 1, ARRAY_SIZE(map->slot));
	if (!map_buckets(lo, 0, shift, ARRAY_SIZE(map->slot), 1, 1, map->slot)) {
		kfree(map);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(map->slot); i++)
		map->slot[i] += map->slot[i] / step;
	for (i = 0; i < nr_lines * SEGS_PER_LINE; i++)
		map->seg[i] = layout_seg(lo, i - i / SEGS_PER_LINE);
	return (unsigned long)map + shift;
}

static unsigned long map_build_wide(const struct map_layout *lo, struct map_part *whole)
{
	const unsigned int reach = 2;
	unsigned int step = lo->nr <= U8_MAX + 1 ? 1 : 2;
	sector_t base = lo->seg[0].part == whole ? lo->seg[0].last + 1 : 0;
	sector_t end = lo->seg[lo->nr - 2].last + 1;
	unsigned int nr = WIDE_SLOTS;
	unsigned int shift, i;
	struct map_wide *map;
	struct map_seg *seg;

	if (lo->nr > MAP_FEW)
		nr += ALIGN(2 * lo->nr, MAP_LINE);
	shift = map_shift(end - base, nr);
	map = map_alloc(sizeof(*map) + nr + (lo->nr + reach) * sizeof(*seg));
	if (!map)
		return 0;
	map->base = base;
	map->head.is_tree = false;
	map->head.shift = shift;
	map->head.nr = ((end - base) >> shift) + 1;
	map->head.stride = step * sizeof(*seg);
	map->head.segs = sizeof(*map) + nr;
	/* The sectors before the base wrap to -base and more: that must be outside. */
	if ((base && -base >> shift < map->head.nr) ||
	    !map_buckets(lo, base, shift, map->head.nr, step, reach, map->slot)) {
		kfree(map);
		return 0;
	}
	seg = (void *)map + map->head.segs;
	for (i = 0; i < lo->nr + reach; i++)
		seg[i] = layout_seg(lo, i);
	return (unsigned long)map;
}

static unsigned long map_build_tree(const struct map_layout *lo)
{
	unsigned int nr_lines = DIV_ROUND_UP(lo->nr, SEGS_PER_LINE);
	unsigned int nr = roundup_pow_of_two(nr_lines);
	struct map_tree *map;
	struct map_seg *seg;
	unsigned int segs, i;

	segs = ALIGN(sizeof(*map) + (nr - 1) * sizeof(*map->last), MAP_LINE);
	map = map_alloc(segs + nr_lines * MAP_LINE);
	if (!map)
		return 0;
	map->head.is_tree = true;
	map->head.nr = nr;
	map->head.segs = segs;
	for (i = 0; i < nr - 1; i++)
		map->last[i] = layout_seg(lo, (i + 1) * SEGS_PER_LINE - 1).last;
	seg = (void *)map + segs;
	for (i = 0; i < nr_lines * SEGS_PER_LINE; i++)
		seg[i] = layout_seg(lo, i);
	return (unsigned long)map;
}

/* Returns what goes into disk->part_map; 0 if there is no memory. */
static unsigned long map_build(const struct map_layout *lo, struct map_part *whole)
{
	unsigned long word = 0;

	BUILD_BUG_ON(sizeof(struct map_head) != sizeof(sector_t));
	BUILD_BUG_ON(sizeof(struct map_seg) * SEGS_PER_LINE != MAP_LINE);

	/* Sectors beyond the buckets belong to no partition. */
	if (lo->nr > 1 && lo->seg[lo->nr - 1].part == whole) {
		word = map_build_plain(lo);
		if (!word)
			word = map_build_wide(lo, whole);
	}
	if (!word)
		word = map_build_tree(lo);
	return word;
}

static unsigned int map_nr_parts(struct gendisk *disk)
{
	unsigned long partno = 0;
	unsigned int nr = 0;

	while (map_part_next(disk, &partno))
		nr++;
	return nr;
}

static unsigned long part_map_build(struct gendisk *disk, unsigned int nr)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOWARN;
	struct map_part **parts;
	unsigned long word = 0;
	struct map_layout lo;

	parts = kmalloc_array(nr, sizeof(*parts), gfp);
	lo.seg = kmalloc_array(2 * nr + 1, sizeof(*lo.seg), gfp);
	if (parts && lo.seg) {
		layout_build(&lo, disk, parts, nr);
		word = map_build(&lo, map_part_whole(disk));
	}
	kfree(lo.seg);
	kfree(parts);
	return word;
}

/**
 * part_map_update - make the map agree with the partitions of a disk
 * @disk: the disk
 *
 * To be called after partitions have been put into disk->part_tbl or taken out of
 * it, or have changed size; once for any number of changes.  When it returns, no
 * new lookup finds a partition that is no longer in the table.  Lookups that began
 * earlier may: before such a partition is freed, wait for the I/O that entered the
 * queue before.
 *
 * If there is no memory for a map, lookups do without (slower, the same answers),
 * and the next call tries again.  So the result may be ignored.
 *
 * Context: Process context, may sleep.  The lock that guards the partitions of
 * @disk is held.  Takes tens of microseconds for 255 partitions.
 * Return: 0, or -ENOMEM if there is no map now.
 */
int part_map_update(struct gendisk *disk)
{
	unsigned int nr = map_nr_parts(disk);
	unsigned long new = 0, old;

	map_part_assert_held(disk);

	if (nr)
		new = part_map_build(disk, nr);
	old = (unsigned long)rcu_replace_pointer(disk->part_map,
						 (struct part_map *)new,
						 map_part_is_held(disk));
	map_free_rcu((void *)(old & ~MAP_SHIFT));
	return nr && !new ? -ENOMEM : 0;
}

/**
 * part_map_free - free the map of a disk that goes
 * @disk: the disk; no lookup can reach it any more
 *
 * Context: Any.
 */
void part_map_free(struct gendisk *disk)
{
	unsigned long word = (unsigned long)rcu_dereference_protected(disk->part_map, true);

	RCU_INIT_POINTER(disk->part_map, NULL);
	kfree((void *)(word & ~MAP_SHIFT));
}
