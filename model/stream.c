// SPDX-License-Identifier: GPL-2.0
/*
 * Streams of bios: who asks for what, in which order. They are laid out beforehand, so
 * that making them is not part of what is measured, and long enough that no branch
 * predictor learns them by heart.
 */
#include <math.h>
#include <stdlib.h>

#include "model/model.h"

const char *const pattern_name[NR_PATTERNS] = {
	[PATTERN_UNIFORM] = "uniform",
	[PATTERN_AFFINE] = "affine",
	[PATTERN_ZIPF] = "zipf",
	[PATTERN_SEQUENTIAL] = "sequential",
	[PATTERN_MIXED_SIZE] = "mixed-size",
	[PATTERN_SHARED_DISK] = "shared-disk",
	[PATTERN_OWN_DISK] = "own-disk",
	[PATTERN_REPLAY] = "replay",
};

#define ZIPF_EXPONENT 0.99

/* A disk's stream of its own for PATTERN_SEQUENTIAL: 128 KiB a time. */
#define CHUNK ((sector_t)256)

static void bio_set(struct model_bio *bio, struct model_disk *disk, unsigned int partno,
		    sector_t offset)
{
	struct block_device *part = disk->part[partno];

	bio->bdev = part;
	bio->disk = disk->gd;
	bio->sector = part->bd_start_sect + offset;
}

static void bio_random(struct model_bio *bio, struct model_disk *disk, unsigned int partno,
		       struct rng *rng)
{
	bio_set(bio, disk, partno, rng_below(rng, bdev_nr_sectors(disk->part[partno])));
}

static struct block_device *segment_part(const struct model_disk *disk, sector_t sector)
{
	unsigned int i;

	for (i = disk->nr_segs; i-- > 1;)
		if (disk->seg[i].start <= sector)
			break;
	return disk->seg[i].part;
}

/*
 * The partitions of all disks in one random order, the first asked for most often. The
 * order comes from @seed alone: all threads prefer the same ones.
 */
struct zipf {
	size_t nr;
	double *sum; /* of the weights up to and with this one */
	u32 *which;
};

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "model: out of memory\n");
		exit(1);
	}
	return p;
}

static void zipf_init(struct zipf *z, size_t nr, u64 seed)
{
	struct rng rng = {seed};
	double sum = 0;
	size_t i;

	z->nr = nr;
	z->sum = need(calloc(nr, sizeof(*z->sum)));
	z->which = need(calloc(nr, sizeof(*z->which)));
	for (i = 0; i < nr; i++) {
		size_t j = rng_below(&rng, i + 1);

		sum += 1 / pow(i + 1, ZIPF_EXPONENT);
		z->sum[i] = sum;
		z->which[i] = z->which[j];
		z->which[j] = i;
	}
}

static u32 zipf_next(const struct zipf *z, struct rng *rng)
{
	double at = rng_next(rng) * 0x1p-64 * z->sum[z->nr - 1];
	size_t low = 0, high = z->nr - 1;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (z->sum[mid] <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return z->which[low];
}

static void fill_zipf(struct model_bio *bio, size_t nr, struct fleet *fleet, struct rng *rng,
		      u64 seed)
{
	unsigned int parts = fleet->disk[0].nr_parts;
	struct zipf z;
	size_t i;

	zipf_init(&z, (size_t)fleet->nr_disks * parts, seed);
	for (i = 0; i < nr; i++) {
		u32 n = zipf_next(&z, rng);

		bio_random(&bio[i], &fleet->disk[n / parts], 1 + n % parts, rng);
	}
	free(z.sum);
	free(z.which);
}

static void fill_sequential(struct model_bio *bio, size_t nr, struct fleet *fleet, struct rng *rng)
{
	sector_t *at = need(calloc(fleet->nr_disks, sizeof(*at)));
	unsigned int d;
	size_t i;

	for (d = 0; d < fleet->nr_disks; d++)
		at[d] = rng_below(rng, bdev_nr_sectors(fleet->disk[d].part[0]));
	for (i = 0; i < nr; i++) {
		struct model_disk *disk = &fleet->disk[i % fleet->nr_disks];

		d = i % fleet->nr_disks;
		bio[i].disk = disk->gd;
		bio[i].sector = at[d];
		bio[i].bdev = segment_part(disk, at[d]);
		at[d] += CHUNK;
		if (at[d] >= bdev_nr_sectors(disk->part[0]))
			at[d] = 0;
	}
	free(at);
}

/* The threads share the trace out among them, and begin it anew when it ends. */
static void fill_replay(struct model_bio *bio, size_t nr, struct fleet *fleet,
			const struct trace *trace, unsigned int thread, unsigned int threads)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct trace_io *io = &trace->io[(i * threads + thread) % trace->nr];
		struct model_disk *disk = &fleet->disk[io->disk];

		bio_set(&bio[i], disk, io->part, io->sector);
		if (!io->part)
			bio[i].bdev = segment_part(disk, io->sector);
	}
}

void stream_fill(struct model_bio *bio, size_t nr, enum pattern pattern, struct fleet *fleet,
		 unsigned int thread, unsigned int threads, const struct trace *trace, u64 seed)
{
	struct rng rng = {seed + 0x1000 * (thread + 1)};
	size_t i;

	switch (pattern) {
	case PATTERN_ZIPF:
		fill_zipf(bio, nr, fleet, &rng, seed);
		return;
	case PATTERN_SEQUENTIAL:
		fill_sequential(bio, nr, fleet, &rng);
		return;
	case PATTERN_REPLAY:
		fill_replay(bio, nr, fleet, trace, thread, threads);
		return;
	default:
		break;
	}
	for (i = 0; i < nr; i++) {
		unsigned int d = rng_below(&rng, fleet->nr_disks);
		unsigned int parts = fleet->disk[d].nr_parts;

		if (pattern == PATTERN_SHARED_DISK)
			bio_random(&bio[i], &fleet->disk[0], 1 + thread % parts, &rng);
		else if (pattern == PATTERN_OWN_DISK)
			bio_random(&bio[i], &fleet->disk[thread % fleet->nr_disks],
				   1 + thread % parts, &rng);
		else if (pattern == PATTERN_AFFINE)
			bio_random(&bio[i], &fleet->disk[d], 1 + d % parts, &rng);
		else
			bio_random(&bio[i], &fleet->disk[d], 1 + rng_below(&rng, parts), &rng);
	}
}
