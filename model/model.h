/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reference model: disks and partitions in userspace, ways to look up the
 * partition of a sector, and streams of bios to ask them with.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdio.h>
#include <linux/blkdev.h>

/* A random number generator; one seed gives the same numbers everywhere. */
struct rng {
	u64 state;
};

u64 rng_next(struct rng *rng);
u64 rng_below(struct rng *rng, u64 limit);

/*
 * fleet.c: the disks
 */

/* How a disk is divided. */
enum layout {
	LAYOUT_EQUAL, /* partitions of one size, side by side */
	LAYOUT_MIXED, /* an EFI partition of 512 MiB, then 0.5 to 4 TiB each */
	LAYOUT_GAPS,  /* of one size, 1 MiB apart */
	LAYOUT_TRACE, /* as large as a trace needs them */
};

/* Sectors from @start up to the next segment's belong to @part: the answer for each. */
struct segment {
	sector_t start;
	struct block_device *part;
};

/* The partition table of a kernel that has the lookup: an array beside the disk. */
struct part_tbl {
	void *rcu[2]; /* only takes the place of what is there */
	int len;
	struct block_device *last; /* the cached partition */
	struct block_device *part[];
};

/*
 * A count of references with one counter a CPU, each in a cache line of its own. It lies
 * in the partition, but not in the line of its start and size.
 */
struct percpu_ref {
	long *count; /* [cpu * PERCPU_STRIDE] */
	bool dying;
};

#define PERCPU_STRIDE (64 / sizeof(long))

static inline struct percpu_ref *part_ref(struct block_device *part)
{
	return (struct percpu_ref *)(part->bd_rest + 512);
}

struct model_disk {
	struct gendisk *gd;
	unsigned int nr_parts;
	struct block_device **part; /* [1] to [nr_parts]; [0] is the whole disk */
	struct segment *seg;
	unsigned int nr_segs;
};

struct fleet {
	unsigned int nr_disks;
	unsigned int nr_cpus;
	struct model_disk *disk;
};

/* What a fleet is to look like. For LAYOUT_TRACE @size has a row of @parts a disk. */
struct fleet_spec {
	unsigned int disks;
	unsigned int parts;
	enum layout layout;
	const u64 *size;
	u64 seed;
};

struct fleet *fleet_new(const struct fleet_spec *spec);
void fleet_free(struct fleet *fleet);

/* Disk @d's model, from the gendisk that a lookup is given. */
static inline struct model_disk *gendisk_model(const struct gendisk *gd)
{
	return gd->private_data;
}

/*
 * stream.c: what is asked
 */

/* As much of a bio as a lookup reads, and the answer, which `direct` reads. */
struct model_bio {
	struct block_device *bdev; /* the partition that holds @sector, else the disk */
	struct gendisk *disk;
	sector_t sector;
	u64 pad; /* bios do not straddle lines */
};

enum pattern {
	PATTERN_UNIFORM,
	PATTERN_AFFINE,
	PATTERN_ZIPF,
	PATTERN_SEQUENTIAL,
	PATTERN_MIXED_SIZE,
	PATTERN_SHARED_DISK,
	PATTERN_OWN_DISK,
	PATTERN_REPLAY,
	NR_PATTERNS,
};

extern const char *const pattern_name[NR_PATTERNS];

struct trace;

/*
 * Fill in the @nr bios that thread @thread of @threads asks for. Only PATTERN_REPLAY
 * uses @trace. Always succeeds.
 */
void stream_fill(struct model_bio *bio, size_t nr, enum pattern pattern, struct fleet *fleet,
		 unsigned int thread, unsigned int threads, const struct trace *trace, u64 seed);

/*
 * variants.c: the ways to look it up
 */
struct variant {
	const char *name;
	const char *what; /* one line for --help */
	bool explored;	  /* not one of the six that --variant all means */
	/*
	 * Make what the lookup needs and hang it into each disk; false if it cannot cope with
	 * how one of them is divided. NULL: it needs nothing.
	 */
	bool (*attach)(struct fleet *fleet);
	/* Forget what lookups have left behind, so that a run can be repeated. */
	void (*reset)(struct fleet *fleet);
	/* True if the cache would answer this one; NULL: there is no cache. */
	bool (*would_hit)(const struct model_bio *bio);
	/* One lookup; the same, compiled so that each access is reported; @nr of them. */
	struct block_device *(*one)(const struct model_bio *bio);
	struct block_device *(*traced)(const struct model_bio *bio);
	uintptr_t (*loop)(const struct model_bio *bio, size_t nr);
};

extern const struct variant variants[];
extern const unsigned int nr_variants;

/*
 * touch.c: what a traced lookup touches
 */
#define TOUCH_MAX 512

struct touch {
	unsigned int nr_lines; /* distinct cache lines */
	uintptr_t line[TOUCH_MAX];
	bool is_disk[TOUCH_MAX];    /* it is the gendisk's */
	bool is_beyond[TOUCH_MAX];  /* neither the gendisk's nor the bio's */
	unsigned int lines_beyond;  /* of these, neither the gendisk's nor the bio's */
	unsigned int shared_stores; /* to memory that other CPUs read or write */
	unsigned int percpu_stores; /* to memory of this CPU alone */
};

/* Run @v's traced lookup of @bio, and tell what it touched. */
struct block_device *touch_lookup(const struct variant *v, const struct model_bio *bio,
				  const struct fleet *fleet, struct touch *touch);

/*
 * trace.c: recorded I/O
 */
struct trace_io {
	u32 disk;
	u32 part;   /* 0: the whole disk, @sector counts from its start */
	u64 sector; /* else from the start of the partition */
};

struct trace {
	size_t nr;
	struct trace_io *io;
	unsigned int nr_disks;
	unsigned int nr_parts; /* highest partition number in use, at least 1 */
	u64 *size;	       /* sectors that each [disk * nr_parts + part - 1] needs */
};

/*
 * Read a fio iolog (version 2 or 3) or the text output of blkparse; which of them is
 * told from its first line. @parts is how many partitions a disk is to have where the
 * trace knows only whole disks. Returns NULL after having said what is wrong, with
 * line number and what was expected, on stderr.
 */
struct trace *trace_read(const char *path, unsigned int parts);
struct trace *trace_parse(FILE *f, const char *name, unsigned int parts);
void trace_free(struct trace *trace);

#endif
