// SPDX-License-Identifier: GPL-2.0
/*
 * What each lookup needs to have built, and the loops that time them.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "block/part-map.h"
#include "model/lookups.h"

__thread unsigned int bound_to_cpu;

/* Rows of these are read past their end by a segment or more. */
#define SPARE 4

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "model: out of memory\n");
		exit(1);
	}
	return p;
}

static void copy_segments(struct segment *to, const struct model_disk *disk, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		to[i] = i < disk->nr_segs ? disk->seg[i]
					  : (struct segment){~(sector_t)0, disk->part[0]};
}

static sector_t last_border(const struct model_disk *disk)
{
	return disk->seg[disk->nr_segs - 1].start;
}

/* Cut into pieces of 1 << shift sectors, which are the fewest below @nr? */
static unsigned int shift_for(sector_t last, unsigned int nr)
{
	unsigned int shift = 0;

	while (last >> shift >= nr)
		shift++;
	return shift;
}

/*
 * The tables of all disks are built the same way. @bucket_of says which bucket a sector
 * is in; it never falls as the sector rises. For each bucket, the segment of what comes
 * before all borders in it goes to @first. False if one holds more than @borders.
 */
typedef u64 bucket_fn(const void *tbl, sector_t sector);

static bool fill_first(const struct model_disk *disk, const void *tbl, bucket_fn *bucket_of,
		       unsigned int nr, unsigned int borders, u8 *first)
{
	unsigned int i, seg = 0;

	for (i = 0; i < nr; i++) {
		unsigned int to;

		while (seg + 1 < disk->nr_segs && bucket_of(tbl, disk->seg[seg + 1].start) < i)
			seg++;
		to = seg;
		while (to + 1 < disk->nr_segs && bucket_of(tbl, disk->seg[to + 1].start) <= i)
			to++;
		if (to - seg > borders || seg > U8_MAX)
			return false;
		first[i] = seg;
	}
	return true;
}

static bool attach_part_tbl(struct fleet *fleet, int keep)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		size_t size = sizeof(struct part_tbl) + (disk->nr_parts + 1) * sizeof(void *);
		struct part_tbl *tbl = need(kzalloc(size, GFP_KERNEL));

		tbl->len = disk->nr_parts + 1;
		memcpy(tbl->part, disk->part, tbl->len * sizeof(void *));
		disk->gd->model[keep] = tbl;
	}
	return true;
}

static bool attach_linear(struct fleet *fleet)
{
	return attach_part_tbl(fleet, KEEP_LINEAR);
}

static bool attach_one_hit(struct fleet *fleet)
{
	return attach_part_tbl(fleet, KEEP_ONE_HIT);
}

static bool attach_one_hit_ref(struct fleet *fleet)
{
	return attach_part_tbl(fleet, KEEP_ONE_HIT_REF);
}

static bool attach_bisect(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct bisect_tbl *tbl;

		if (disk->gd->model[KEEP_BISECT])
			continue;
		tbl = need(kzalloc(sizeof(*tbl) + disk->nr_segs * sizeof(tbl->seg[0]), GFP_KERNEL));
		tbl->nr = disk->nr_segs;
		copy_segments(tbl->seg, disk, tbl->nr);
		disk->gd->model[KEEP_BISECT] = tbl;
	}
	return true;
}

static u64 bucket_of_bucket(const void *tbl, sector_t sector)
{
	return sector >> ((const struct bucket_tbl *)tbl)->shift;
}

static bool attach_bucket(struct fleet *fleet, unsigned int borders)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct bucket_tbl *tbl = disk->gd->model[KEEP_BUCKET];

		if (!tbl) {
			tbl = need(kzalloc(sizeof(*tbl) +
						   (disk->nr_segs + SPARE) * sizeof(tbl->seg[0]),
					   GFP_KERNEL));
			disk->gd->model[KEEP_BUCKET] = tbl;
		}
		tbl->shift = shift_for(last_border(disk), NR_BUCKETS);
		copy_segments(tbl->seg, disk, disk->nr_segs + SPARE);
		if (!fill_first(disk, tbl, bucket_of_bucket, NR_BUCKETS, borders, tbl->first))
			return false;
	}
	return true;
}

static bool attach_bucket_scan(struct fleet *fleet)
{
	return attach_bucket(fleet, UINT_MAX);
}

static bool attach_bucket_1(struct fleet *fleet)
{
	return attach_bucket(fleet, 1);
}

static bool attach_bucket_2(struct fleet *fleet)
{
	return attach_bucket(fleet, 2);
}

static bool attach_bucket_3(struct fleet *fleet)
{
	return attach_bucket(fleet, 3);
}

static u64 bucket_of_mul(const void *arg, sector_t sector)
{
	const struct mul_tbl *tbl = arg;

	return (unsigned __int128)sector * tbl->factor >> 64;
}

static bool attach_mul(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct mul_tbl *tbl = need(kzalloc(
			sizeof(*tbl) + (disk->nr_segs + SPARE) * sizeof(tbl->seg[0]), GFP_KERNEL));

		disk->gd->model[KEEP_MUL] = tbl;
		tbl->nr = ARRAY_SIZE(tbl->first);
		tbl->factor = ((unsigned __int128)tbl->nr << 64) / (last_border(disk) + 1);
		copy_segments(tbl->seg, disk, disk->nr_segs + SPARE);
		if (!fill_first(disk, tbl, bucket_of_mul, tbl->nr, 1, tbl->first))
			return false;
	}
	return true;
}

static u64 bucket_of_pair(const void *tbl, sector_t sector)
{
	return sector >> ((const struct pair_tbl *)tbl)->shift;
}

static bool attach_pair(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		unsigned int shift = shift_for(last_border(disk), disk->nr_segs <= 32 ? 64 : 1024);
		unsigned int nr = (last_border(disk) >> shift) + 1, i;
		u8 *first = need(calloc(nr, 1));
		struct pair_tbl *tbl =
			need(kzalloc(sizeof(*tbl) + nr * sizeof(tbl->pair[0]), GFP_KERNEL));
		struct segment *seg = need(calloc(disk->nr_segs + 1, sizeof(*seg)));
		bool fits;

		disk->gd->model[KEEP_PAIR] = tbl;
		tbl->shift = shift;
		tbl->nr = nr;
		copy_segments(seg, disk, disk->nr_segs + 1);
		fits = fill_first(disk, tbl, bucket_of_pair, nr, 1, first);
		for (i = 0; fits && i < nr; i++)
			tbl->pair[i] = (struct pair){seg[first[i] + 1].start,
						     {seg[first[i]].part, seg[first[i] + 1].part},
						     0};
		free(first);
		free(seg);
		if (!fits)
			return false;
	}
	return true;
}

static u64 bucket_of_zone(const void *arg, sector_t sector)
{
	const struct zone_tbl *tbl = arg;
	unsigned int zone = sector >= tbl->split;

	return (sector >> tbl->shift[zone]) + tbl->add[zone];
}

/* Try every border as the place to split, and every share of the buckets before it. */
static bool zone_search(const struct model_disk *disk, struct zone_tbl *tbl)
{
	unsigned int s, share;

	for (s = 1; s < disk->nr_segs; s++) {
		sector_t split = disk->seg[s].start;

		for (share = 2; share < ARRAY_SIZE(tbl->first) - 2; share++) {
			unsigned int left = ARRAY_SIZE(tbl->first) - share;
			unsigned int shift = 0;

			tbl->split = split;
			tbl->shift[0] = shift_for(split - 1, share);
			while ((last_border(disk) >> shift) - (split >> shift) >= left)
				shift++;
			tbl->shift[1] = shift;
			tbl->add[0] = 0;
			/* May be negative: the sum is not. */
			tbl->add[1] = share - (split >> shift);
			tbl->nr = share + (last_border(disk) >> shift) - (split >> shift) + 1;
			if (fill_first(disk, tbl, bucket_of_zone, tbl->nr, 1, tbl->first))
				return true;
		}
	}
	return false;
}

static bool attach_zone(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct zone_tbl *tbl = need(kzalloc(
			sizeof(*tbl) + (disk->nr_segs + SPARE) * sizeof(tbl->seg[0]), GFP_KERNEL));

		disk->gd->model[KEEP_ZONE] = tbl;
		copy_segments(tbl->seg, disk, disk->nr_segs + SPARE);
		if (!zone_search(disk, tbl))
			return false;
	}
	return true;
}

static u64 bucket_of_log(const void *tbl, sector_t sector)
{
	(void)tbl;
	return log_bucket(sector);
}

static bool attach_log(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct log_tbl *tbl = need(kzalloc(
			sizeof(*tbl) + (disk->nr_segs + SPARE) * sizeof(tbl->seg[0]), GFP_KERNEL));

		disk->gd->model[KEEP_LOG] = tbl;
		copy_segments(tbl->seg, disk, disk->nr_segs + SPARE);
		if (log_bucket(last_border(disk)) >= LOG_BUCKETS ||
		    !fill_first(disk, tbl, bucket_of_log, LOG_BUCKETS, 1, tbl->first))
			return false;
	}
	return true;
}

static u64 bucket_of_tag(const void *tbl, sector_t sector)
{
	return sector >> *(const unsigned int *)tbl;
}

static bool attach_tag(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		unsigned int shift = shift_for(last_border(disk), 64);
		size_t size =
			sizeof(struct tag_tbl) + (disk->nr_segs + SPARE) * sizeof(struct segment);
		struct tag_tbl *tbl;

		if (disk->gd->model[KEEP_TAG])
			continue;
		tbl = need(kzalloc(max(size, (size_t)256), GFP_KERNEL));
		disk->gd->model[KEEP_TAG] = (void *)tbl + shift;
		copy_segments(tbl->seg, disk, disk->nr_segs + SPARE);
		if (!fill_first(disk, &shift, bucket_of_tag, 64, 1, tbl->first))
			return false;
	}
	return true;
}

static bool attach_tree(struct fleet *fleet)
{
	struct model_disk *disk;
	unsigned int i;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct tree_tbl *tbl;

		if (disk->nr_segs > 32)
			return false;
		if (disk->gd->model[KEEP_TREE])
			continue;
		tbl = need(kzalloc(sizeof(*tbl) + 32 * sizeof(tbl->seg[0]), GFP_KERNEL));
		disk->gd->model[KEEP_TREE] = tbl;
		copy_segments(tbl->seg, disk, 32);
		for (i = 0; i < 7; i++)
			tbl->sep[i] = tbl->seg[4 * i + 4].start;
	}
	return true;
}

static bool attach_hint(struct fleet *fleet)
{
	struct model_disk *disk;

	attach_bisect(fleet);
	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		size_t size = fleet->nr_cpus * sizeof(struct hint);

		disk->gd->model[KEEP_HINT] = need(aligned_alloc(64, size));
		memset(disk->gd->model[KEEP_HINT], 0, size);
	}
	return true;
}

static void reset_one_hit(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct part_tbl *tbl = disk->gd->model[KEEP_ONE_HIT];

		tbl->last = NULL;
	}
}

static void reset_one_hit_ref(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++) {
		struct part_tbl *tbl = disk->gd->model[KEEP_ONE_HIT_REF];

		tbl->last = NULL;
	}
}

static void reset_hint(struct fleet *fleet)
{
	struct model_disk *disk;

	for (disk = fleet->disk; disk < fleet->disk + fleet->nr_disks; disk++)
		memset(disk->gd->model[KEEP_HINT], 0, fleet->nr_cpus * sizeof(struct hint));
}

static bool would_hit(const struct model_bio *bio, int keep)
{
	const struct part_tbl *tbl = bio->disk->model[keep];

	return tbl->last && tbl->last == bio->bdev;
}

static bool one_hit_would(const struct model_bio *bio)
{
	return would_hit(bio, KEEP_ONE_HIT);
}

static bool one_hit_ref_would(const struct model_bio *bio)
{
	return would_hit(bio, KEEP_ONE_HIT_REF);
}

static bool hint_would(const struct model_bio *bio)
{
	const struct hint *hint = bio->disk->model[KEEP_HINT];

	hint += sched_getcpu();
	return bio->sector - hint->start < hint->nr;
}

/*
 * The answers are added up: that depends on each of them, and stores nothing. The loop is
 * the same for all; the lookup is called, not inlined, as from another file of the kernel.
 */
#define DEFINE_VARIANT(name, call)                                             \
	static struct block_device *one_##name(const struct model_bio *bio)    \
	{                                                                      \
		return call;                                                   \
	}                                                                      \
	static struct block_device *traced_##name(const struct model_bio *bio) \
	{                                                                      \
		return traced_##call;                                          \
	}                                                                      \
	static uintptr_t loop_##name(const struct model_bio *bio, size_t nr)   \
	{                                                                      \
		const struct model_bio *end = bio + nr;                        \
		uintptr_t sum = 0;                                             \
                                                                               \
		for (; bio < end; bio++)                                       \
			sum += (uintptr_t)call;                                \
		return sum;                                                    \
	}

#define DEFINE_LOOKUP(name) DEFINE_VARIANT(name, lookup_##name(bio->disk, bio->sector))
MODEL_LOOKUPS(DEFINE_LOOKUP)
DEFINE_VARIANT(direct, lookup_direct(bio))
DEFINE_VARIANT(map, disk_map_sector_rcu(bio->disk, bio->sector))

static uintptr_t loop_inline(const struct model_bio *bio, size_t nr)
{
	const struct model_bio *end = bio + nr;
	uintptr_t sum = 0;

	for (; bio < end; bio++) {
		sum += (uintptr_t)READ_ONCE(bio->bdev);
		/* One by one: not several in a vector. */
		barrier();
	}
	return sum;
}

#define FUNCTIONS(f) .one = one_##f, .traced = traced_##f, .loop = loop_##f

const struct variant variants[] = {
	{"linear", "plain scan of the partitions, in the order of their numbers",
	 .attach = attach_linear, FUNCTIONS(linear)},
	{"one-hit", "the scan behind one cached partition a disk, as in 2009",
	 .attach = attach_one_hit, .reset = reset_one_hit, .would_hit = one_hit_would,
	 FUNCTIONS(one_hit)},
	{"one-hit-ref", "the same, and a per-CPU reference taken a lookup, as in 5.10",
	 .attach = attach_one_hit_ref, .reset = reset_one_hit_ref, .would_hit = one_hit_ref_would,
	 FUNCTIONS(one_hit_ref)},
	{"bisect", "bisection of the segments of the disk", .attach = attach_bisect,
	 FUNCTIONS(bisect)},
	{"map", "block/part-map.c", FUNCTIONS(map)},
	{"direct", "a bio that carries its partition, as in 6.12: the floor", FUNCTIONS(direct)},

	{"nothing", "a call that looks up nothing", true, FUNCTIONS(nothing)},
	{"direct-inline", "direct, without the call", true, .one = one_direct,
	 .traced = traced_direct, .loop = loop_inline},
	{"bucket-scan", "bucket index, then a scan to the segment", true,
	 .attach = attach_bucket_scan, FUNCTIONS(bucket_scan)},
	{"bucket-1", "bucket index, at most 1 border a bucket", true, .attach = attach_bucket_1,
	 FUNCTIONS(bucket_1)},
	{"bucket-2", "bucket index, at most 2 borders a bucket", true, .attach = attach_bucket_2,
	 FUNCTIONS(bucket_2)},
	{"bucket-3", "bucket index, at most 3 borders a bucket", true, .attach = attach_bucket_3,
	 FUNCTIONS(bucket_3)},
	{"bucket-mul", "buckets of any size, by multiplication", true, .attach = attach_mul,
	 FUNCTIONS(bucket_mul)},
	{"bucket-pair", "border and both answers in the bucket itself", true, .attach = attach_pair,
	 FUNCTIONS(bucket_pair)},
	{"bucket-zone", "two ranges with a bucket size of their own", true, .attach = attach_zone,
	 FUNCTIONS(bucket_zone)},
	{"bucket-log", "buckets that grow with the sector", true, .attach = attach_log,
	 FUNCTIONS(bucket_log)},
	{"bucket-tag", "bucket-1 with the bucket size in the pointer", true, .attach = attach_tag,
	 FUNCTIONS(bucket_tag)},
	{"tree-bisect", "a line of separators and a line of segments, bisected", true,
	 .attach = attach_tree, FUNCTIONS(tree_bisect)},
	{"tree-count", "the same lines, all compared at once", true, .attach = attach_tree,
	 FUNCTIONS(tree_count)},
	{"hint-cpu", "what this CPU found last, then bisection", true, .attach = attach_hint,
	 .reset = reset_hint, .would_hit = hint_would, FUNCTIONS(hint_cpu)},
	{"prefetch", "bucket-tag that asks early for a line it guesses", true, .attach = attach_tag,
	 FUNCTIONS(prefetch)},
};

const unsigned int nr_variants = ARRAY_SIZE(variants);
