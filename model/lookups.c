// SPDX-License-Identifier: GPL-2.0
/*
 * Baselines and experiments. What each variant is for is said in variants.c, what came
 * of it in README.md. None is inlined into the loop that times it, as the map is not.
 */
#include <sys/rseq.h>

#include <linux/rcupdate.h>
#include "model/lookups.h"

/* The processor that runs this thread, for the price of a load. */
static inline unsigned int this_cpu(void)
{
	const struct rseq *rs = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);

	/* Not registered: glibc has been told so, or valgrind does not know it. */
	if (unlikely(!__rseq_size))
		return bound_to_cpu;
	return READ_ONCE(rs->cpu_id);
}

static inline bool part_holds(const struct block_device *part, sector_t sector)
{
	return part->bd_start_sect <= sector && sector < part->bd_start_sect + part->bd_nr_sectors;
}

/* For counting what all others have around them. */
struct block_device *lookup_nothing(struct gendisk *disk, sector_t sector)
{
	(void)disk;
	(void)sector;
	return NULL;
}

struct block_device *lookup_direct(const struct model_bio *bio)
{
	return bio->bdev;
}

struct block_device *lookup_linear(struct gendisk *disk, sector_t sector)
{
	struct part_tbl *tbl = rcu_dereference(disk->model[KEEP_LINEAR]);
	int i;

	for (i = 1; i < tbl->len; i++) {
		struct block_device *part = rcu_dereference(tbl->part[i]);

		if (part && part_holds(part, sector))
			return part;
	}
	return disk->part0;
}

struct block_device *lookup_one_hit(struct gendisk *disk, sector_t sector)
{
	struct part_tbl *tbl = rcu_dereference(disk->model[KEEP_ONE_HIT]);
	struct block_device *part = rcu_dereference(tbl->last);
	int i;

	if (part && part_holds(part, sector))
		return part;
	for (i = 1; i < tbl->len; i++) {
		part = rcu_dereference(tbl->part[i]);
		if (part && part_holds(part, sector)) {
			rcu_assign_pointer(tbl->last, part);
			return part;
		}
	}
	return disk->part0;
}

static inline bool ref_get(struct block_device *part)
{
	struct percpu_ref *ref = part_ref(part);

	if (unlikely(READ_ONCE(ref->dying)))
		return false;
	/* Threads are bound to processors here: nobody comes between load and store. */
	ref->count[this_cpu() * PERCPU_STRIDE]++;
	return true;
}

struct block_device *lookup_one_hit_ref(struct gendisk *disk, sector_t sector)
{
	struct part_tbl *tbl = rcu_dereference(disk->model[KEEP_ONE_HIT_REF]);
	struct block_device *part = rcu_dereference(tbl->last);
	int i;

	if (part && part_holds(part, sector) && ref_get(part))
		return part;
	for (i = 1; i < tbl->len; i++) {
		part = rcu_dereference(tbl->part[i]);
		if (part && part_holds(part, sector)) {
			if (!ref_get(part))
				break;
			rcu_assign_pointer(tbl->last, part);
			return part;
		}
	}
	ref_get(disk->part0);
	return disk->part0;
}

static inline const struct segment *seg_bisect(const struct segment *seg, unsigned int nr,
					       sector_t sector)
{
	while (nr > 1) {
		unsigned int half = nr / 2;

		if (seg[half].start <= sector)
			seg += half;
		nr -= half;
	}
	return seg;
}

struct block_device *lookup_bisect(struct gendisk *disk, sector_t sector)
{
	const struct bisect_tbl *tbl = rcu_dereference(disk->model[KEEP_BISECT]);

	return seg_bisect(tbl->seg, tbl->nr, sector)->part;
}

static inline const struct segment *bucket_first(const struct bucket_tbl *tbl, sector_t sector)
{
	sector_t bucket = sector >> tbl->shift;

	if (bucket >= NR_BUCKETS)
		bucket = NR_BUCKETS - 1;
	return &tbl->seg[tbl->first[bucket]];
}

struct block_device *lookup_bucket_scan(struct gendisk *disk, sector_t sector)
{
	const struct bucket_tbl *tbl = rcu_dereference(disk->model[KEEP_BUCKET]);
	const struct segment *seg = bucket_first(tbl, sector);

	while (seg[1].start <= sector)
		seg++;
	return seg->part;
}

struct block_device *lookup_bucket_1(struct gendisk *disk, sector_t sector)
{
	const struct bucket_tbl *tbl = rcu_dereference(disk->model[KEEP_BUCKET]);
	const struct segment *seg = bucket_first(tbl, sector);

	seg += seg[1].start <= sector;
	return seg->part;
}

struct block_device *lookup_bucket_2(struct gendisk *disk, sector_t sector)
{
	const struct bucket_tbl *tbl = rcu_dereference(disk->model[KEEP_BUCKET]);
	const struct segment *seg = bucket_first(tbl, sector);
	unsigned int behind = seg[1].start <= sector;

	behind += seg[2].start <= sector;
	return seg[behind].part;
}

struct block_device *lookup_bucket_3(struct gendisk *disk, sector_t sector)
{
	const struct bucket_tbl *tbl = rcu_dereference(disk->model[KEEP_BUCKET]);
	const struct segment *seg = bucket_first(tbl, sector);
	unsigned int behind = seg[1].start <= sector;

	behind += seg[2].start <= sector;
	behind += seg[3].start <= sector;
	return seg[behind].part;
}

struct block_device *lookup_bucket_mul(struct gendisk *disk, sector_t sector)
{
	const struct mul_tbl *tbl = rcu_dereference(disk->model[KEEP_MUL]);
	u64 bucket = (unsigned __int128)sector * tbl->factor >> 64;
	const struct segment *seg;

	if (unlikely(bucket >= tbl->nr))
		return disk->part0;
	seg = &tbl->seg[tbl->first[bucket]];
	seg += seg[1].start <= sector;
	return seg->part;
}

struct block_device *lookup_bucket_pair(struct gendisk *disk, sector_t sector)
{
	const struct pair_tbl *tbl = rcu_dereference(disk->model[KEEP_PAIR]);
	sector_t bucket = sector >> tbl->shift;
	const struct pair *pair;

	if (unlikely(bucket >= tbl->nr))
		return disk->part0;
	pair = &tbl->pair[bucket];
	return pair->part[pair->border <= sector];
}

struct block_device *lookup_bucket_zone(struct gendisk *disk, sector_t sector)
{
	const struct zone_tbl *tbl = rcu_dereference(disk->model[KEEP_ZONE]);
	unsigned int zone = sector >= tbl->split;
	u64 bucket = (sector >> tbl->shift[zone]) + tbl->add[zone];
	const struct segment *seg;

	if (unlikely(bucket >= tbl->nr))
		return disk->part0;
	seg = &tbl->seg[tbl->first[bucket]];
	seg += seg[1].start <= sector;
	return seg->part;
}

struct block_device *lookup_bucket_log(struct gendisk *disk, sector_t sector)
{
	const struct log_tbl *tbl = rcu_dereference(disk->model[KEEP_LOG]);
	unsigned int bucket = log_bucket(sector);
	const struct segment *seg;

	if (unlikely(bucket >= LOG_BUCKETS))
		return disk->part0;
	seg = &tbl->seg[tbl->first[bucket]];
	seg += seg[1].start <= sector;
	return seg->part;
}

struct block_device *lookup_bucket_tag(struct gendisk *disk, sector_t sector)
{
	unsigned long word = (unsigned long)rcu_dereference(disk->model[KEEP_TAG]);
	const struct tag_tbl *tbl = (const void *)(word & ~63UL);
	sector_t bucket = sector >> (word & 63);
	const struct segment *seg;

	if (unlikely(bucket >= 64))
		return disk->part0;
	seg = (const void *)tbl->seg + tbl->first[bucket] * sizeof(*seg);
	seg += seg[1].start <= sector;
	return seg->part;
}

/* 3 dependent steps to the line, 2 within. */
struct block_device *lookup_tree_bisect(struct gendisk *disk, sector_t sector)
{
	const struct tree_tbl *tbl = rcu_dereference(disk->model[KEEP_TREE]);
	const struct segment *seg;
	size_t line, at;

	line = (tbl->sep[3] <= sector) * 4UL;
	line += (tbl->sep[line + 1] <= sector) * 2UL;
	line += tbl->sep[line] <= sector;
	seg = &tbl->seg[4 * line];
	at = (seg[2].start <= sector) * 2UL;
	at += seg[at + 1].start <= sector;
	return seg[at].part;
}

/* 10 comparisons that depend on nothing. */
struct block_device *lookup_tree_count(struct gendisk *disk, sector_t sector)
{
	const struct tree_tbl *tbl = rcu_dereference(disk->model[KEEP_TREE]);
	const struct segment *seg;
	size_t line, at;

	line = tbl->sep[0] <= sector;
	line += tbl->sep[1] <= sector;
	line += tbl->sep[2] <= sector;
	line += tbl->sep[3] <= sector;
	line += tbl->sep[4] <= sector;
	line += tbl->sep[5] <= sector;
	line += tbl->sep[6] <= sector;
	seg = &tbl->seg[4 * line];
	at = seg[1].start <= sector;
	at += seg[2].start <= sector;
	at += seg[3].start <= sector;
	return seg[at].part;
}

struct block_device *lookup_hint_cpu(struct gendisk *disk, sector_t sector)
{
	struct hint *hint = disk->model[KEEP_HINT];
	const struct bisect_tbl *tbl = rcu_dereference(disk->model[KEEP_BISECT]);
	const struct segment *seg;

	hint += this_cpu();
	if (sector - hint->start < hint->nr)
		return hint->part;
	seg = seg_bisect(tbl->seg, tbl->nr, sector);
	hint->start = seg->start;
	hint->nr = (seg == &tbl->seg[tbl->nr - 1] ? 0 : seg[1].start) - seg->start;
	hint->part = seg->part;
	return seg->part;
}

/* As bucket_tag; the line of the segment is guessed and asked for while the byte comes. */
struct block_device *lookup_prefetch(struct gendisk *disk, sector_t sector)
{
	unsigned long word = (unsigned long)rcu_dereference(disk->model[KEEP_TAG]);
	const struct tag_tbl *tbl = (const void *)(word & ~63UL);
	sector_t bucket = sector >> (word & 63);
	const struct segment *seg;

	if (unlikely(bucket >= 64))
		return disk->part0;
	__builtin_prefetch((const void *)tbl->seg + bucket / 8 * 64);
	seg = (const void *)tbl->seg + tbl->first[bucket] * sizeof(*seg);
	seg += seg[1].start <= sector;
	return seg->part;
}
