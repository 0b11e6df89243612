/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lookups of the model and the tables they read. lookups.c is compiled twice: as
 * it is, and with every access reported (those functions are named traced_...).
 */
#ifndef MODEL_LOOKUPS_H
#define MODEL_LOOKUPS_H

#include "model/model.h"

/* The CPU that this thread has been bound to; for want of something better. */
extern __thread unsigned int bound_to_cpu;

/* Which of gendisk.model[] is whose. */
enum {
	KEEP_LINEAR,
	KEEP_ONE_HIT,
	KEEP_ONE_HIT_REF,
	KEEP_BISECT,
	KEEP_BUCKET,
	KEEP_MUL,
	KEEP_PAIR,
	KEEP_ZONE,
	KEEP_LOG,
	KEEP_TAG,
	KEEP_TREE,
	KEEP_HINT,
};

struct bisect_tbl {
	unsigned int nr;
	struct segment seg[];
};

/* One byte a bucket: the segment that its first sector is in. */
#define NR_BUCKETS 56

struct bucket_tbl {
	u8 shift;
	u8 first[NR_BUCKETS];
	struct segment seg[] ____cacheline_aligned;
};

struct mul_tbl {
	u64 factor; /* buckets a sector, in units of 2^-64 */
	u8 nr;
	u8 first[40];
	struct segment seg[] ____cacheline_aligned;
};

/* Two ranges of the disk, each with its own size of bucket. */
struct zone_tbl {
	sector_t split;
	u64 add[2];
	u8 shift[2];
	u8 nr;
	u8 first[37];
	struct segment seg[] ____cacheline_aligned;
};

/* Buckets that grow with the sector: 16 to each power of two. */
#define LOG_BITS    4
#define LOG_LOWEST  11
#define LOG_BUCKETS 448

struct log_tbl {
	u8 first[LOG_BUCKETS];
	struct segment seg[];
};

/* The border in the bucket with the answers on both sides of it. */
struct pair {
	sector_t border;
	struct block_device *part[2];
	u64 pad;
};

struct pair_tbl {
	u8 shift;
	u16 nr;
	struct pair pair[] __aligned(32);
};

/* Pointer to it and bucket size in one word, as in the map. */
struct tag_tbl {
	u8 first[64];
	struct segment seg[];
};

/* 7 separators, then up to 8 lines of 4 segments. */
struct tree_tbl {
	sector_t sep[7];
	u64 pad;
	struct segment seg[];
};

/* What this CPU found on this disk last. */
struct hint {
	sector_t start;
	sector_t nr;
	struct block_device *part;
} ____cacheline_aligned;

/* Where a log-linear table has the bucket of @sector. */
static inline unsigned int log_bucket(sector_t sector)
{
	unsigned int top = 63 - __builtin_clzll(sector | 1ULL << LOG_LOWEST);

	return ((top - LOG_LOWEST) << LOG_BITS) + (sector >> (top - LOG_BITS));
}

/* X(name): a lookup by disk and sector. */
#define MODEL_LOOKUPS(X) \
	X(nothing)       \
	X(linear)        \
	X(one_hit)       \
	X(one_hit_ref)   \
	X(bisect)        \
	X(bucket_scan)   \
	X(bucket_1)      \
	X(bucket_2)      \
	X(bucket_3)      \
	X(bucket_mul)    \
	X(bucket_pair)   \
	X(bucket_zone)   \
	X(bucket_log)    \
	X(bucket_tag)    \
	X(tree_bisect)   \
	X(tree_count)    \
	X(hint_cpu)      \
	X(prefetch)

#define DECLARE_LOOKUP(name)                                                       \
	struct block_device *lookup_##name(struct gendisk *disk, sector_t sector); \
	struct block_device *traced_lookup_##name(struct gendisk *disk, sector_t sector);
MODEL_LOOKUPS(DECLARE_LOOKUP)
#undef DECLARE_LOOKUP

struct block_device *lookup_direct(const struct model_bio *bio);
struct block_device *traced_lookup_direct(const struct model_bio *bio);
struct block_device *traced_disk_map_sector_rcu(struct gendisk *disk, sector_t sector);

#endif
