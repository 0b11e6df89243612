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
 * Therefore no branch depends on where in the table a sector comes to lie, and what
 * one lookup reads is in few cache lines that do not have to be read one after the
 * other.  The size of the table counts as well: it competes for the cache with all
 * else.  There are three forms:
 *
 * lines	For partitions of similar size.  The disk is cut into buckets of one size,
 *		a power of two, and each has a line with the segments that reach into
 *		it, four at most.  The size of the buckets comes with the pointer to the
 *		table (see MAP_SHIFT), so that the place of the line depends on nothing
 *		else.  Reads this line, and the first for the number of buckets.
 * slots	For partitions of different sizes, or with gaps between them, or many:
 *		a line for each bucket would take too much memory.  Buckets are smaller;
 *		a slot says where the segment of a bucket's first sector is, and this
 *		one or one of the two behind it is the answer.
 * tree		For all else.  Four segments share a line; a sorted array of the last
 *		sectors of those lines is bisected to find the right one.
 *
 * 15 partitions make at most 31 segments.  Up to MAP_FEW of them, a table takes less
 * than MAP_FEW_BYTES, and a lookup reads two lines of it; or three, where the slots or
 * the segments in question take more than one.
 */
#include <linux/bitops.h>
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
 * A table starts at a multiple of MAP_ALIGN.  The low bits of the pointer to it say which
 * form it has, and hold the binary logarithm of the size of its buckets.
 */
#define MAP_ALIGN	256UL
#define MAP_LINES	128UL
#define MAP_SLOTS	64UL
#define MAP_SHIFT	63UL

/* A segment reaches from behind the @last sector of the one before it to its own. */
struct map_seg {
	sector_t		last;
	struct map_part		*part;
} __aligned(16);

#define SEGS_PER_LINE	(MAP_LINE / sizeof(struct map_seg))
#define MAP_FEW		(8 * SEGS_PER_LINE)
#define MAP_FEW_BYTES	1024

/* So many segments of one size have lines for less than MAP_FEW_BYTES, wherever they lie. */
#define MAP_REGULAR	24

/* So many borders in a bucket that has a line, or a slot. */
#define LINE_REACH	3
#define SLOT_REACH	2

struct map_line {
	sector_t		last[LINE_REACH];
	unsigned long		nr;	/* of buckets; in the first line */
	struct map_part		*part[LINE_REACH + 1];
} __aligned(MAP_LINE);

/* @slot counts in bytes from the start of the table. */
struct map_slots {
	u16			nr;
	u16			slot[];
};

/* As many as fit a line together with their number; and enough for any layout to try. */
#define SLOTS_PER_LINE	(MAP_LINE / sizeof(u16))
#define SLOTS_FEW	(SLOTS_PER_LINE - 1)
#define SLOTS_MORE(segs) \
	(SLOTS_FEW + max_t(unsigned int, 3 * SLOTS_PER_LINE, ALIGN(2 * (segs), SLOTS_PER_LINE)))

/* The segments are @segs bytes from the start.  @nr lines of them, rounded up to 2^n. */
struct map_tree {
	u16			nr;
	u16			segs;
	sector_t		last[];
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

static noinline struct map_part *map_tree_find(const struct map_tree *tree, sector_t sector)
{
	unsigned int half, behind;
	const struct map_seg *seg;
	size_t line = 0;

	/* A masked sum where an if would do: this must not become a branch. */
	for (half = tree->nr / 2; half; half /= 2)
		line += half & -(size_t)(tree->last[line + half - 1] < sector);
	seg = (const void *)tree + tree->segs + line * MAP_LINE;
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
	const void *map = (const void *)(word & -MAP_ALIGN);
	sector_t bucket = sector >> (word & MAP_SHIFT);
	unsigned int behind;

	if (likely(word & MAP_LINES)) {
		const struct map_line *line = map;

		if (unlikely(bucket >= line->nr))
			return map_part_whole(disk);
		line += bucket;
		behind = line->last[0] < sector;
		behind += line->last[1] < sector;
		behind += line->last[2] < sector;
		return line->part[behind];
	}
	if (word & MAP_SLOTS) {
		const struct map_slots *slots = map;
		const struct map_seg *seg;

		if (unlikely(bucket >= slots->nr))
			return map_part_whole(disk);
		seg = map + slots->slot[bucket];
		behind = seg[0].last < sector;
		behind += seg[1].last < sector;
		return seg[behind].part;
	}
	if (unlikely(!map))
		return part_map_walk(disk, sector);
	return map_tree_find(map, sector);
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

/*
 * Give the sectors @start to @last to @part; makes at most two segments more.  The room
 * for them is in front of the array, for the lower numbers usually have the lower sectors
 * and are painted last: there is little to move then.
 */
static void layout_paint(struct map_layout *lo, sector_t start, sector_t last,
			 struct map_part *part)
{
	unsigned int first = layout_find(lo, start);
	unsigned int end = layout_find(lo, last);
	struct map_part *front = lo->seg[first].part;
	bool has_front = first ? lo->seg[first - 1].last + 1 < start : start > 0;
	bool has_behind = lo->seg[end].last > last;
	int more = has_front + has_behind - (int)(end - first);

	memmove(lo->seg - more, lo->seg, first * sizeof(*lo->seg));
	lo->seg -= more;
	lo->nr += more;

	/* The segment in which we end stays where it is, if any of it is left. */
	if (has_front) {
		lo->seg[first].last = start - 1;
		lo->seg[first].part = front;
		first++;
	}
	lo->seg[first].last = last;
	lo->seg[first].part = part;
}

/*
 * Lay the @nr partitions over each other, the lowest number last, so that it is on
 * top.  @parts is room for them, @seg for 2 * @nr + 1 segments.
 */
static void layout_build(struct map_layout *lo, struct gendisk *disk,
			 struct map_part **parts, unsigned int nr, struct map_seg *seg)
{
	unsigned long partno = 0;
	struct map_part *part;
	unsigned int i = 0;

	while (i < nr && (part = map_part_next(disk, &partno)))
		parts[i++] = part;

	lo->seg = &seg[2 * nr];
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

static void *map_alloc(size_t size)
{
	/*
	 * kmalloc() aligns what is a power of two to its size, and from 256 bytes on
	 * that is what it hands out.  If an allocator does otherwise: no table.
	 */
	void *map = kmalloc(max_t(size_t, size, 256), GFP_KERNEL | __GFP_NOWARN);

	if (!IS_ALIGNED((unsigned long)map, MAP_ALIGN)) {
		kfree(map);
		return NULL;
	}
	return map;
}

/* The first sector of the last segment is in the last bucket. */
static sector_t layout_end(const struct map_layout *lo)
{
	return lo->seg[lo->nr - 2].last + 1;
}

/*
 * Which segment does each of @nr buckets begin in?  False if one of them has more than
 * @reach borders.  A border at the first sector of a bucket is none that it has.
 */
static bool map_buckets(const struct map_layout *lo, unsigned int shift, unsigned int nr,
			unsigned int reach, u16 *first)
{
	unsigned int i, from = 0, to;

	for (i = 0; i < nr; i++) {
		sector_t start = (sector_t)i << shift;
		sector_t last = start + ((sector_t)1 << shift) - 1;

		while (lo->seg[from].last < start)
			from++;
		for (to = from; lo->seg[to].last < last; to++)
			if (to - from == reach)
				return false;
		first[i] = from;
	}
	return true;
}

/*
 * Are there few segments, and those between the first and the last border of similar
 * size?  Disks that are alike shall get tables of the same form, rather than each the
 * best: a processor that meets now one form and now the other predicts it wrongly.
 */
static bool layout_is_regular(const struct map_layout *lo)
{
	sector_t least = (sector_t)-1, most = 0;
	unsigned int i;

	if (lo->nr > MAP_REGULAR)
		return false;
	for (i = 1; i + 1 < lo->nr; i++) {
		sector_t size = lo->seg[i].last - lo->seg[i - 1].last;

		least = min(least, size);
		most = max(most, size);
	}
	return most / 2 <= least;
}

/* The largest buckets that will do, hence the fewest lines. */
static unsigned long map_build_lines(const struct map_layout *lo, u16 *first)
{
	sector_t end = layout_end(lo);
	unsigned int shift = min(fls64(end), 63) + 1;
	struct map_line *line;
	unsigned int nr, i, j;

	if (!layout_is_regular(lo))
		return 0;
	do {
		if (!shift--)
			return 0;
		nr = min_t(sector_t, end >> shift, U8_MAX) + 1;
		if (nr * sizeof(*line) >= MAP_FEW_BYTES)
			return 0;
	} while (!map_buckets(lo, shift, nr, LINE_REACH, first));

	line = map_alloc(nr * sizeof(*line));
	if (!line)
		return 0;
	for (i = 0; i < nr; i++) {
		line[i].nr = nr;
		for (j = 0; j < LINE_REACH; j++)
			line[i].last[j] = layout_seg(lo, first[i] + j).last;
		for (j = 0; j <= LINE_REACH; j++)
			line[i].part[j] = layout_seg(lo, first[i] + j).part;
	}
	return (unsigned long)line + MAP_LINES + shift;
}

/*
 * The smallest buckets of which there are no more than @nr.  Few segments are laid out so
 * that those which a slot is good for are in one line: the lines overlap, and begin @step
 * segments after one another.
 */
static unsigned long map_build_slots(const struct map_layout *lo, unsigned int nr, u16 *first)
{
	unsigned int step = lo->nr <= MAP_FEW ? SEGS_PER_LINE - SLOT_REACH : 0;
	unsigned int nr_segs = lo->nr + SLOT_REACH;
	unsigned int shift = 0, segs, at, i;
	sector_t end = layout_end(lo);
	struct map_slots *slots;
	struct map_seg *seg;

	while (end >> shift >= nr)
		shift++;
	nr = (end >> shift) + 1;
	if (!map_buckets(lo, shift, nr, SLOT_REACH, first))
		return 0;

	segs = ALIGN(sizeof(*slots) + nr * sizeof(*slots->slot), MAP_LINE);
	if (step) {
		unsigned int nr_lines = (lo->nr - 1) / step + 1;

		if (segs + nr_lines * MAP_LINE < MAP_FEW_BYTES)
			nr_segs = nr_lines * SEGS_PER_LINE;
		else if (segs == MAP_LINE)
			step = 0;
		else
			return 0;
	}
	slots = map_alloc(segs + nr_segs * sizeof(*seg));
	if (!slots)
		return 0;
	slots->nr = nr;
	for (i = 0; i < nr; i++) {
		at = step ? first[i] / step * SEGS_PER_LINE + first[i] % step : first[i];
		slots->slot[i] = segs + at * sizeof(*seg);
	}
	seg = (void *)slots + segs;
	for (i = 0; i < nr_segs; i++)
		seg[i] = layout_seg(lo, step ? i / SEGS_PER_LINE * step + i % SEGS_PER_LINE : i);
	return (unsigned long)slots + MAP_SLOTS + shift;
}

static unsigned long map_build_tree(const struct map_layout *lo)
{
	unsigned int nr_lines = DIV_ROUND_UP(lo->nr, SEGS_PER_LINE);
	unsigned int nr = roundup_pow_of_two(nr_lines);
	struct map_tree *tree;
	struct map_seg *seg;
	unsigned int segs, i;

	segs = ALIGN(sizeof(*tree) + (nr - 1) * sizeof(*tree->last), MAP_LINE);
	tree = map_alloc(segs + nr_lines * MAP_LINE);
	if (!tree)
		return 0;
	tree->nr = nr;
	tree->segs = segs;
	for (i = 0; i < nr - 1; i++)
		tree->last[i] = layout_seg(lo, (i + 1) * SEGS_PER_LINE - 1).last;
	seg = (void *)tree + segs;
	for (i = 0; i < nr_lines * SEGS_PER_LINE; i++)
		seg[i] = layout_seg(lo, i);
	return (unsigned long)tree;
}

/* Returns what goes into disk->part_map; 0 if there is no memory. */
static unsigned long map_build(const struct map_layout *lo, struct map_part *whole,
			       u16 *first)
{
	unsigned long word = 0;

	BUILD_BUG_ON(sizeof(struct map_seg) * SEGS_PER_LINE != MAP_LINE);
	BUILD_BUG_ON(sizeof(struct map_line) != MAP_LINE);
	/* A partition makes two segments and up to six slots, and a slot counts in bytes. */
	BUILD_BUG_ON(DISK_MAX_PARTS * (2 * sizeof(struct map_seg) + 6 * sizeof(u16)) +
		     4 * MAP_LINE > U16_MAX);

	/* Sectors beyond the buckets belong to no partition. */
	if (lo->nr > 1 && lo->seg[lo->nr - 1].part == whole) {
		word = map_build_lines(lo, first);
		if (!word)
			word = map_build_slots(lo, SLOTS_FEW, first);
		if (!word)
			word = map_build_slots(lo, SLOTS_MORE(lo->nr), first);
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
	struct map_seg *seg;
	u16 *first;

	parts = kmalloc_array(nr, sizeof(*parts), gfp);
	seg = kmalloc_array(2 * nr + 1, sizeof(*seg), gfp);
	first = kmalloc_array(SLOTS_MORE(2 * nr + 1), sizeof(*first), gfp);
	if (parts && seg && first) {
		layout_build(&lo, disk, parts, nr, seg);
		word = map_build(&lo, map_part_whole(disk), first);
	}
	kfree(first);
	kfree(seg);
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
	map_free_rcu((void *)(old & -MAP_ALIGN));
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
	kfree((void *)(word & -MAP_ALIGN));
}
