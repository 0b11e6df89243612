// SPDX-License-Identifier: GPL-2.0
/*
 * Disks and their partitions. What the kernel allocates with kmalloc() comes from the
 * stand-in for it; disks and partitions lie an odd number of cache lines apart, as they
 * do in the kernel's own caches for them, so that they do not all fall into one set.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/slab.h>
#include "block/part-map.h"
#include "model/model.h"

#define MiB ((u64)2048) /* in sectors */
#define GiB (1024 * MiB)
#define TiB (1024 * GiB)

/* splitmix64 */
u64 rng_next(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

u64 rng_below(struct rng *rng, u64 limit)
{
	return (u64)(((unsigned __int128)rng_next(rng) * limit) >> 64);
}

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "model: out of memory\n");
		exit(1);
	}
	return p;
}

static void *lines_alloc(size_t nr, size_t size, size_t *stride)
{
	*stride = ALIGN(size, 64);
	if (*stride / 64 % 2 == 0)
		*stride += 64;
	return need(standin_huge_alloc(nr * *stride));
}

static u64 part_size(const struct fleet_spec *spec, struct rng *rng, unsigned int d, unsigned int p,
		     u64 equal)
{
	switch (spec->layout) {
	case LAYOUT_MIXED:
		return p == 1 ? GiB / 2 : TiB / 2 + rng_below(rng, 7 * TiB / 2 / MiB) * MiB;
	case LAYOUT_TRACE:
		return spec->size[(size_t)d * spec->parts + p - 1];
	default:
		return equal;
	}
}

/* Partitions do not overlap here, and come in the order of their sectors. */
static void disk_segments(struct model_disk *disk)
{
	struct segment *seg = need(calloc(2 * disk->nr_parts + 1, sizeof(*seg)));
	unsigned int n = 0, p;
	sector_t at = 0;

	for (p = 1; p <= disk->nr_parts; p++) {
		struct block_device *part = disk->part[p];

		if (part->bd_start_sect > at)
			seg[n++] = (struct segment){at, disk->part[0]};
		seg[n++] = (struct segment){part->bd_start_sect, part};
		at = part->bd_start_sect + bdev_nr_sectors(part);
	}
	seg[n++] = (struct segment){at, disk->part[0]};
	disk->seg = seg;
	disk->nr_segs = n;
}

static void disk_make(struct model_disk *disk, const struct fleet_spec *spec, unsigned int d,
		      unsigned int nr_cpus, void *parts, size_t stride)
{
	struct rng rng = {spec->seed * 1000003 + d};
	/* Of no round size: where bucket borders fall must not be our choice. */
	u64 equal = MiB + rng_below(&rng, 64 * 1024) * MiB;
	struct gendisk *gd = disk->gd;
	sector_t at = MiB;
	unsigned int p;

	gd->private_data = disk;
	mutex_init(&gd->open_mutex);
	xa_init(&gd->part_tbl);
	disk->nr_parts = spec->parts;
	disk->part = need(calloc(spec->parts + 1, sizeof(*disk->part)));
	for (p = 0; p <= spec->parts; p++) {
		struct block_device *part = parts + p * stride;

		disk->part[p] = part;
		part->bd_disk = gd;
		part->bd_partno = p;
		part_ref(part)->count = need(aligned_alloc(64, 64 * nr_cpus));
		memset(part_ref(part)->count, 0, 64 * nr_cpus);
		if (p) {
			u64 size = part_size(spec, &rng, d, p, equal);

			part->bd_start_sect = at;
			bdev_set_nr_sectors(part, size);
			at += size + (spec->layout == LAYOUT_GAPS ? MiB : 0);
		}
		if (xa_insert(&gd->part_tbl, p, part, GFP_KERNEL))
			abort();
	}
	gd->part0 = disk->part[0];
	/* What a GPT leaves free for its copy. */
	bdev_set_nr_sectors(gd->part0, at + MiB);
	disk_segments(disk);
}

struct fleet *fleet_new(const struct fleet_spec *spec)
{
	struct fleet *fleet = need(calloc(1, sizeof(*fleet)));
	size_t disk_stride, part_stride;
	void *disks, *parts;
	unsigned int d;

	fleet->nr_disks = spec->disks;
	fleet->nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	fleet->disk = need(calloc(spec->disks, sizeof(*fleet->disk)));
	disks = lines_alloc(spec->disks, sizeof(struct gendisk), &disk_stride);
	parts = lines_alloc((size_t)spec->disks * (spec->parts + 1), sizeof(struct block_device),
			    &part_stride);
	for (d = 0; d < spec->disks; d++) {
		struct model_disk *disk = &fleet->disk[d];

		disk->gd = disks + d * disk_stride;
		disk_make(disk, spec, d, fleet->nr_cpus,
			  parts + (size_t)d * (spec->parts + 1) * part_stride, part_stride);
		mutex_lock(&disk->gd->open_mutex);
		if (part_map_update(disk->gd))
			need(NULL);
		mutex_unlock(&disk->gd->open_mutex);
	}
	return fleet;
}

void fleet_free(struct fleet *fleet)
{
	unsigned int d, p;

	for (d = 0; d < fleet->nr_disks; d++) {
		struct model_disk *disk = &fleet->disk[d];

		part_map_free(disk->gd);
		for (p = 0; p <= disk->nr_parts; p++)
			free(part_ref(disk->part[p])->count);
		free(disk->seg);
	}
	free(fleet->disk[0].part[0]);
	for (d = 0; d < fleet->nr_disks; d++)
		free(fleet->disk[d].part);
	free(fleet->disk[0].gd);
	free(fleet->disk);
	free(fleet);
}
