/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Partition tables for the tests, and the oracle: what a lookup must answer, said in
 * the plainest way there is.
 */
#ifndef TESTS_UNIT_TABLE_H
#define TESTS_UNIT_TABLE_H

#include <stdio.h>
#include <linux/blkdev.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "block/part-map.h"

#define TABLE_MAX 255

struct row {
	unsigned int partno; /* 1 to 255, no two the same */
	u64 start;
	u64 nr_sectors;
};

struct table {
	unsigned int nr;
	struct row row[TABLE_MAX];
};

/* A disk with all the partitions it could have, so that none need be allocated. */
struct test_disk {
	struct gendisk disk;
	struct block_device part[DISK_MAX_PARTS]; /* [0] is the whole disk */
};

struct test_disk *test_disk_new(void);
void test_disk_free(struct test_disk *td);

/* Make the disk's partitions those of @t; the map is left alone. The lock is held. */
void test_disk_set(struct test_disk *td, const struct table *t);

/* test_disk_set(), then the map; what part_map_update() returned. */
int test_disk_apply(struct test_disk *td, const struct table *t);

/* The number of the partition that the lookup finds; 0 for the whole disk. */
unsigned int test_disk_lookup(struct test_disk *td, u64 sector);

/* The number that it has to find, from the table alone. */
unsigned int oracle(const struct table *t, u64 sector);

/*
 * Ask for each border, the sectors beside it and some fixed ones. Returns true if all
 * is right; else the first sector with a wrong answer is in *@bad.
 */
bool table_holds(struct test_disk *td, const struct table *t, u64 *bad);

/*
 * Make a failing table as small and plain as it can be while it still fails for some
 * sector, which is put into *@bad.
 */
void table_shrink(struct test_disk *td, struct table *t, u64 *bad);

/* As C, to be pasted into a named case. */
void table_print(FILE *f, const struct table *t);

/* Random numbers: the same seed gives the same ones everywhere. */
struct rng {
	u64 state;
};

u64 rng_next(struct rng *rng);
u64 rng_below(struct rng *rng, u64 limit);

/* A table of any of the shapes that have been thought of; see table.c. */
void table_random(struct rng *rng, struct table *t);

#endif
