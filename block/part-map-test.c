// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the sector-to-partition map: what it answers, and its life from the
 * first partition to the last.
 */
#include <kunit/test.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "part-map.h"

#define MAX_PARTS	255
#define MAX_CASE_PARTS	16
#define MAX_CASE_ASKS	12

#define MIB		((sector_t)2048)
#define GIB		(1024 * MIB)
#define TIB		(1024 * GIB)
#define LAST		(~(sector_t)0)

/* A disk of its own for each case: none of it is known to the rest of the kernel. */
struct map_test {
	struct gendisk		*disk;
	struct block_device	*part;	/* [0] is the whole disk */
};

struct map_row {
	unsigned int		partno;
	sector_t		start;
	sector_t		nr_sectors;
};

struct map_ask {
	sector_t		sector;
	unsigned int		partno;
};

struct map_case {
	const char		*name;
	struct map_row		row[MAX_CASE_PARTS];
	struct map_ask		ask[MAX_CASE_ASKS];
};

/* Rows end with partition 0, asks with sector 0, unless it is the first that is asked for. */
static const struct map_case map_cases[] = {
	{
		.name = "one partition with gaps around",
		.row = { { 1, 2048, 1000 } },
		.ask = { { 2047, 0 }, { 2048, 1 }, { 3047, 1 }, { 3048, 0 }, { LAST, 0 } },
	}, {
		.name = "partition from sector 0",
		.row = { { 1, 0, 10 }, { 2, 10, 1 } },
		.ask = { { 0, 1 }, { 9, 1 }, { 10, 2 }, { 11, 0 } },
	}, {
		.name = "zero length",
		.row = { { 1, 100, 0 }, { 2, 100, 50 }, { 3, 150, 0 } },
		.ask = { { 99, 0 }, { 100, 2 }, { 149, 2 }, { 150, 0 } },
	}, {
		.name = "lowest number wins",
		.row = { { 2, 100, 100 }, { 1, 150, 100 }, { 3, 50, 500 } },
		.ask = { { 99, 3 }, { 149, 2 }, { 150, 1 }, { 249, 1 }, { 250, 3 }, { 550, 0 } },
	}, {
		.name = "whole-disk slice of a Sun label",
		.row = { { 1, 0, 1000 }, { 2, 1000, 500 }, { 3, 0, 10000 }, { 8, 1500, 100 } },
		.ask = { { 999, 1 }, { 1000, 2 }, { 1500, 3 }, { 9999, 3 }, { 10000, 0 } },
	}, {
		.name = "whole-disk slice numbered last",
		.row = { { 1, 100, 100 }, { 2, 300, 100 }, { 16, 0, 10000 } },
		.ask = { { 99, 16 }, { 100, 1 }, { 200, 16 }, { 300, 2 }, { 400, 16 } },
	}, {
		.name = "extended partition around logical ones",
		.row = { { 4, 4096, 10000 }, { 5, 6144, 1000 }, { 6, 8192, 1000 } },
		.ask = { { 4095, 0 }, { 6144, 4 }, { 14095, 4 }, { 14096, 0 } },
	}, {
		.name = "extended partition of two sectors",
		.row = { { 1, 2048, 1000 }, { 4, 4096, 2 }, { 5, 6144, 1000 } },
		.ask = { { 4096, 4 }, { 4097, 4 }, { 4098, 0 }, { 6144, 5 } },
	}, {
		.name = "1 MiB beside 20 TiB",
		.row = { { 1, MIB, MIB }, { 2, 2 * MIB, 20 * TIB },
			 { 3, 20 * TIB + 2 * MIB, MIB } },
		.ask = { { MIB - 1, 0 }, { MIB, 1 }, { 2 * MIB - 1, 1 }, { 2 * MIB, 2 },
			 { 20 * TIB + 2 * MIB - 1, 2 }, { 20 * TIB + 2 * MIB, 3 },
			 { 20 * TIB + 3 * MIB, 0 } },
	}, {
		.name = "two bunches far apart",
		.row = { { 1, 10, 1 }, { 2, 11, 1 }, { 3, 12, 1 }, { 4, 13, 1 }, { 5, 14, 1 },
			 { 6, TIB, 1 }, { 7, TIB + 1, 1 }, { 8, TIB + 2, 1 }, { 9, TIB + 4, 1 } },
		.ask = { { 9, 0 }, { 10, 1 }, { 12, 3 }, { 14, 5 }, { 15, 0 }, { TIB, 6 },
			 { TIB + 2, 8 }, { TIB + 3, 0 }, { TIB + 4, 9 }, { TIB + 5, 0 } },
	}, {
		.name = "borders at 2^32",
		.row = { { 1, (1ULL << 32) - 10, 10 }, { 2, 1ULL << 32, 10 } },
		.ask = { { (1ULL << 32) - 1, 1 }, { 1ULL << 32, 2 }, { 10, 0 } },
	}, {
		.name = "borders at 2^63",
		.row = { { 1, (1ULL << 63) - 10, 10 }, { 2, 1ULL << 63, 10 } },
		.ask = { { (1ULL << 63) - 1, 1 }, { 1ULL << 63, 2 }, { 10, 0 } },
	}, {
		.name = "end beyond 64 bits",
		.row = { { 1, LAST - 10, 100 }, { 2, 4096, LAST } },
		.ask = { { 4095, 0 }, { 4096, 2 }, { 1ULL << 63, 2 }, { LAST - 10, 1 },
			 { LAST, 1 } },
	},
};

KUNIT_ARRAY_PARAM_DESC(map, map_cases, name);

static unsigned int map_lookup(struct map_test *mt, sector_t sector)
{
	struct block_device *part;

	rcu_read_lock();
	part = disk_map_sector_rcu(mt->disk, sector);
	rcu_read_unlock();
	return part - mt->part;
}

static void map_add(struct kunit *test, unsigned int partno, sector_t start,
		    sector_t nr_sectors)
{
	struct map_test *mt = test->priv;
	struct block_device *part = &mt->part[partno];

	part->bd_start_sect = start;
	part->bd_nr_sectors = nr_sectors;
	KUNIT_ASSERT_EQ(test, 0, xa_insert(&mt->disk->part_tbl, partno, part, GFP_KERNEL));
	xa_set_mark(&mt->disk->part_tbl, partno, PART_MAPPED);
}

static void map_update(struct kunit *test)
{
	struct map_test *mt = test->priv;

	mutex_lock(&mt->disk->open_mutex);
	KUNIT_EXPECT_EQ(test, 0, part_map_update(mt->disk));
	mutex_unlock(&mt->disk->open_mutex);
}

/* What the lookup must say, by asking each partition in turn. */
static unsigned int map_oracle(struct map_test *mt, sector_t sector)
{
	unsigned int i;

	for (i = 1; i <= MAX_PARTS; i++) {
		struct block_device *part = xa_load(&mt->disk->part_tbl, i);

		if (part && sector >= part->bd_start_sect &&
		    sector - part->bd_start_sect < part->bd_nr_sectors)
			return i;
	}
	return 0;
}

static void map_check_borders(struct kunit *test)
{
	struct map_test *mt = test->priv;
	struct block_device *part;
	unsigned long i;

	xa_for_each_start(&mt->disk->part_tbl, i, part, 1) {
		sector_t border[] = { part->bd_start_sect,
				      part->bd_start_sect + part->bd_nr_sectors };
		int b, d;

		for (b = 0; b < ARRAY_SIZE(border); b++)
			for (d = -1; d <= 1; d++)
				KUNIT_EXPECT_EQ_MSG(test, map_lookup(mt, border[b] + d),
						    map_oracle(mt, border[b] + d),
						    "sector %llu", border[b] + d);
	}
}

static void map_answers(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	struct map_test *mt = test->priv;
	unsigned int i;

	for (i = 0; i < MAX_CASE_PARTS && c->row[i].partno; i++)
		map_add(test, c->row[i].partno, c->row[i].start, c->row[i].nr_sectors);

	/* Without a map first: the partitions themselves are walked. */
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(mt->disk->part_map));
	map_check_borders(test);
	map_update(test);
	KUNIT_EXPECT_NOT_NULL(test, rcu_access_pointer(mt->disk->part_map));
	map_check_borders(test);

	for (i = 0; i < MAX_CASE_ASKS && (!i || c->ask[i].sector); i++)
		KUNIT_EXPECT_EQ_MSG(test, map_lookup(mt, c->ask[i].sector), c->ask[i].partno,
				    "sector %llu", c->ask[i].sector);
}

static void map_no_partitions(struct kunit *test)
{
	struct map_test *mt = test->priv;

	map_update(test);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(mt->disk->part_map));
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 0), 0);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, LAST), 0);
}

/* From one partition to 255, side by side, then with gaps: each form of the table. */
static void map_many(struct kunit *test)
{
	struct map_test *mt = test->priv;
	unsigned int i;

	for (i = 1; i <= MAX_PARTS; i++) {
		map_add(test, i, MIB + (i - 1) * GIB, GIB);
		if (i % 15 && i != MAX_PARTS)
			continue;
		map_update(test);
		map_check_borders(test);
	}
	for (i = 1; i <= MAX_PARTS; i++)
		mt->part[i].bd_nr_sectors -= i;
	map_update(test);
	map_check_borders(test);
}

static void map_life(struct kunit *test)
{
	struct map_test *mt = test->priv;
	struct part_map *first;

	map_add(test, 1, 100, 100);
	map_update(test);
	first = rcu_access_pointer(mt->disk->part_map);
	KUNIT_EXPECT_NOT_NULL(test, first);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 250), 0);

	/* One comes: nothing is seen of it before the update. */
	map_add(test, 2, 200, 100);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 250), 0);
	map_update(test);
	KUNIT_EXPECT_PTR_NE(test, rcu_access_pointer(mt->disk->part_map), first);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 250), 2);

	/* Its size changes. */
	mt->part[2].bd_nr_sectors = 40;
	map_update(test);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 239), 2);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 240), 0);

	/* One goes. */
	xa_erase(&mt->disk->part_tbl, 1);
	map_update(test);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 150), 0);
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 239), 2);

	/* All go, and so does the map. */
	xa_erase(&mt->disk->part_tbl, 2);
	map_update(test);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(mt->disk->part_map));
	KUNIT_EXPECT_EQ(test, map_lookup(mt, 239), 0);

	/* A map that is there when the disk goes; twice does no harm. */
	map_add(test, 3, 100, 100);
	map_update(test);
	part_map_free(mt->disk);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(mt->disk->part_map));
	part_map_free(mt->disk);
}

static int map_test_init(struct kunit *test)
{
	struct map_test *mt = kunit_kzalloc(test, sizeof(*mt), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, mt);
	mt->disk = kunit_kzalloc(test, sizeof(*mt->disk), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mt->disk);
	mt->part = kunit_kcalloc(test, MAX_PARTS + 1, sizeof(*mt->part), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mt->part);
	mutex_init(&mt->disk->open_mutex);
	xa_init(&mt->disk->part_tbl);
	mt->disk->part0 = &mt->part[0];
	for (i = 0; i <= MAX_PARTS; i++)
		mt->part[i].bd_disk = mt->disk;
	KUNIT_ASSERT_EQ(test, 0, xa_insert(&mt->disk->part_tbl, 0, mt->disk->part0, GFP_KERNEL));
	test->priv = mt;
	return 0;
}

static void map_test_exit(struct kunit *test)
{
	struct map_test *mt = test->priv;

	if (!mt)
		return;
	part_map_free(mt->disk);
	xa_destroy(&mt->disk->part_tbl);
	mutex_destroy(&mt->disk->open_mutex);
}

static struct kunit_case map_test_cases[] = {
	KUNIT_CASE_PARAM(map_answers, map_gen_params),
	KUNIT_CASE(map_no_partitions),
	KUNIT_CASE(map_many),
	KUNIT_CASE(map_life),
	{}
};

static struct kunit_suite map_test_suite = {
	.name = "part-map",
	.init = map_test_init,
	.exit = map_test_exit,
	.test_cases = map_test_cases,
};

kunit_test_suite(map_test_suite);
