// SPDX-License-Identifier: GPL-2.0
/*
 * The map's answers, one behaviour a case (design rule "right answer"), what it does
 * without memory, and the promises about cost that can be checked without a clock.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/kernel.h>
#include "tests/unit/table.h"

#define MiB ((u64)2048) /* in sectors */
#define GiB (1024 * MiB)
#define TiB (1024 * GiB)

static struct test_disk *td;

static int disk_setup(void **state)
{
	(void)state;
	td = test_disk_new();
	return 0;
}

static int disk_teardown(void **state)
{
	(void)state;
	test_disk_free(td);
	rcu_barrier();
	memset(&standin_slab, 0, sizeof(standin_slab));
	return 0;
}

#define expect(sector, partno) assert_int_equal(test_disk_lookup(td, sector), partno)

/* Both the answers given in a case and those of the oracle hold, with and without a map. */
static void use_table(const struct table *t)
{
	u64 bad;

	assert_int_equal(test_disk_apply(td, t), 0);
	if (!table_holds(td, t, &bad))
		fail_msg("sector %" PRIu64 ": %u expected, %u found", bad, oracle(t, bad),
			 test_disk_lookup(td, bad));
}

/* The case's own lookups once more, without a map. */
static void use_no_map(const struct table *t)
{
	u64 bad;

	part_map_free(&td->disk);
	assert_null(td->disk.part_map);
	if (!table_holds(td, t, &bad))
		fail_msg("without a map, sector %" PRIu64 ": %u expected, %u found", bad,
			 oracle(t, bad), test_disk_lookup(td, bad));
}

static void no_partitions(void **state)
{
	struct table t = {0};

	(void)state;
	use_table(&t);
	assert_null(td->disk.part_map);
	expect(0, 0);
	expect(12345, 0);
	expect(UINT64_MAX, 0);
}

static void one_partition_with_gaps_around(void **state)
{
	struct table t = {1, {{1, 2048, 1000}}};

	(void)state;
	use_table(&t);
	expect(0, 0);
	expect(2047, 0);
	expect(2048, 1);
	expect(3047, 1);
	expect(3048, 0);
	use_no_map(&t);
}

static void partition_from_sector_0(void **state)
{
	struct table t = {1, {{1, 0, 10}}};

	(void)state;
	use_table(&t);
	expect(0, 1);
	expect(9, 1);
	expect(10, 0);
	use_no_map(&t);
}

static void one_sector(void **state)
{
	struct table t = {3, {{1, 5, 1}, {2, 6, 1}, {3, 8, 1}}};

	(void)state;
	use_table(&t);
	expect(4, 0);
	expect(5, 1);
	expect(6, 2);
	expect(7, 0);
	expect(8, 3);
	expect(9, 0);
	use_no_map(&t);
}

static void equal_neighbours(void **state)
{
	struct table t = {.nr = 15};
	unsigned int i;

	(void)state;
	for (i = 0; i < t.nr; i++)
		t.row[i] = (struct row){i + 1, MiB + i * GiB, GiB};
	use_table(&t);
	for (i = 0; i < t.nr; i++) {
		expect(MiB + i * GiB - 1, i);
		expect(MiB + i * GiB, i + 1);
		expect(MiB + (i + 1) * GiB - 1, i + 1);
	}
	expect(MiB + t.nr * GiB, 0);
	use_no_map(&t);
}

static void gap_before_each(void **state)
{
	struct table t = {.nr = 15};
	unsigned int i;

	(void)state;
	for (i = 0; i < t.nr; i++)
		t.row[i] = (struct row){i + 1, MiB + i * GiB, GiB - MiB};
	use_table(&t);
	for (i = 0; i < t.nr; i++) {
		expect(MiB + i * GiB - 1, 0);
		expect(MiB + i * GiB, i + 1);
		expect(i * GiB + GiB - 1, i + 1);
		expect(i * GiB + GiB, 0);
	}
	use_no_map(&t);
}

static void numbers_not_in_order_of_sectors(void **state)
{
	struct table t = {3, {{7, 0, 100}, {2, 200, 100}, {5, 100, 100}}};

	(void)state;
	use_table(&t);
	expect(99, 7);
	expect(100, 5);
	expect(200, 2);
	use_no_map(&t);
}

static void overlap_lowest_number_wins(void **state)
{
	struct table t = {2, {{1, 100, 100}, {2, 150, 100}}};
	struct table u = {2, {{2, 100, 100}, {1, 150, 100}}};

	(void)state;
	use_table(&t);
	expect(149, 1);
	expect(199, 1);
	expect(200, 2);
	expect(249, 2);
	use_no_map(&t);

	use_table(&u);
	expect(149, 2);
	expect(150, 1);
	expect(249, 1);
	use_no_map(&u);
}

static void same_sectors_twice(void **state)
{
	struct table t = {2, {{9, 100, 100}, {4, 100, 100}}};

	(void)state;
	use_table(&t);
	expect(99, 0);
	expect(100, 4);
	expect(199, 4);
	expect(200, 0);
	use_no_map(&t);
}

/* Number 3 of a Sun label, c of a BSD label: the disk itself, as a partition. */
static void whole_disk_slice(void **state)
{
	struct table t = {
		5, {{1, 0, 1000}, {2, 1000, 500}, {3, 0, 10000}, {4, 2000, 100}, {8, 1500, 100}}};

	(void)state;
	use_table(&t);
	expect(0, 1);
	expect(1000, 2);
	expect(1500, 3);
	expect(1599, 3);
	expect(2000, 3);
	expect(9999, 3);
	expect(10000, 0);
	use_no_map(&t);
}

static void whole_disk_slice_numbered_last(void **state)
{
	struct table t = {3, {{16, 0, 10000}, {1, 100, 100}, {2, 300, 100}}};

	(void)state;
	use_table(&t);
	expect(0, 16);
	expect(100, 1);
	expect(200, 16);
	expect(300, 2);
	expect(400, 16);
	expect(10000, 0);
	use_no_map(&t);
}

/* As the kernel shows an MBR: the extended one is 4 (of 2 sectors), logical ones from 5. */
static void extended_partition_of_two_sectors(void **state)
{
	struct table t = {4, {{1, 2048, 1000}, {4, 4096, 2}, {5, 6144, 1000}, {6, 8192, 1000}}};

	(void)state;
	use_table(&t);
	expect(4096, 4);
	expect(4097, 4);
	expect(4098, 0);
	expect(6144, 5);
	expect(8192, 6);
	use_no_map(&t);
}

static void extended_partition_around_logical_ones(void **state)
{
	struct table t = {3, {{4, 4096, 10000}, {5, 6144, 1000}, {6, 8192, 1000}}};

	(void)state;
	use_table(&t);
	expect(4095, 0);
	expect(6144, 4);
	expect(8192, 4);
	expect(14095, 4);
	expect(14096, 0);
	use_no_map(&t);
}

static void nested_small_in_large(void **state)
{
	struct table t = {3, {{3, 0, 1000}, {2, 100, 800}, {1, 400, 100}}};

	(void)state;
	use_table(&t);
	expect(99, 3);
	expect(100, 2);
	expect(399, 2);
	expect(400, 1);
	expect(499, 1);
	expect(500, 2);
	expect(900, 3);
	use_no_map(&t);
}

static void zero_length(void **state)
{
	struct table t = {3, {{1, 100, 0}, {2, 100, 50}, {3, 150, 0}}};
	struct table u = {1, {{1, 100, 0}}};

	(void)state;
	use_table(&t);
	expect(99, 0);
	expect(100, 2);
	expect(149, 2);
	expect(150, 0);
	use_no_map(&t);

	use_table(&u);
	expect(99, 0);
	expect(100, 0);
	use_no_map(&u);
}

static void one_mib_beside_20_tib(void **state)
{
	struct table t = {3, {{1, MiB, MiB}, {2, 2 * MiB, 20 * TiB}, {3, 2 * MiB + 20 * TiB, MiB}}};

	(void)state;
	use_table(&t);
	expect(MiB - 1, 0);
	expect(MiB, 1);
	expect(2 * MiB - 1, 1);
	expect(2 * MiB, 2);
	expect(2 * MiB + 20 * TiB - 1, 2);
	expect(2 * MiB + 20 * TiB, 3);
	expect(3 * MiB + 20 * TiB - 1, 3);
	expect(3 * MiB + 20 * TiB, 0);
	use_no_map(&t);
}

static void efi_boot_swap_root_and_data(void **state)
{
	const u64 size[] = {GiB / 2, GiB, 16 * GiB, 64 * GiB, 2 * TiB, 4 * TiB, TiB};
	struct table t = {.nr = ARRAY_SIZE(size)};
	u64 at = MiB;
	unsigned int i;

	(void)state;
	for (i = 0; i < t.nr; i++) {
		t.row[i] = (struct row){i + 1, at, size[i]};
		at += size[i];
	}
	use_table(&t);
	for (i = 0; i < t.nr; i++)
		expect(t.row[i].start, i + 1);
	expect(at, 0);
	use_no_map(&t);
}

static void borders_at_2_to_the_32(void **state)
{
	const u64 edge = 1ULL << 32;
	struct table t = {2, {{1, edge - 10, 10}, {2, edge, 10}}};

	(void)state;
	use_table(&t);
	expect(edge - 11, 0);
	expect(edge - 1, 1);
	expect(edge, 2);
	expect(10, 0);
	use_no_map(&t);
}

static void borders_at_2_to_the_63(void **state)
{
	const u64 edge = 1ULL << 63;
	struct table t = {2, {{1, edge - 10, 10}, {2, edge, 10}}};

	(void)state;
	use_table(&t);
	expect(edge - 11, 0);
	expect(edge - 1, 1);
	expect(edge, 2);
	expect(edge + 10, 0);
	expect(0, 0);
	use_no_map(&t);
}

static void end_beyond_64_bits(void **state)
{
	struct table t = {2, {{1, UINT64_MAX - 10, 100}, {2, 5, UINT64_MAX}}};

	(void)state;
	use_table(&t);
	expect(4, 0);
	expect(5, 2);
	expect(UINT64_MAX - 11, 2);
	expect(UINT64_MAX - 10, 1);
	expect(UINT64_MAX, 1);
	use_no_map(&t);
}

/* What precedes the first partition is as far from it, modulo 2^64, as a disk is long. */
static void only_partition_at_the_largest_sectors(void **state)
{
	struct table t = {1, {{1, 18446744073708568653ULL, 977340}}};

	(void)state;
	use_table(&t);
	expect(0, 0);
	expect(t.row[0].start, 1);
	use_no_map(&t);
}

/* The table of buckets ends at the last border, the partition does not. */
static void partition_to_the_largest_sector(void **state)
{
	struct table t = {2, {{1, 2048, 1000}, {2, 4096, UINT64_MAX}}};

	(void)state;
	use_table(&t);
	expect(4095, 0);
	expect(4096, 2);
	expect(1ULL << 63, 2);
	expect(UINT64_MAX, 2);
	use_no_map(&t);
}

static void all_sectors_in_one_partition(void **state)
{
	struct table t = {1, {{1, 0, UINT64_MAX}}};

	(void)state;
	use_table(&t);
	expect(0, 1);
	expect(UINT64_MAX - 1, 1);
	expect(UINT64_MAX, 0);
	use_no_map(&t);
}

static void fill_255(struct table *t, u64 size, u64 gap)
{
	unsigned int i;

	t->nr = TABLE_MAX;
	for (i = 0; i < t->nr; i++)
		t->row[i] = (struct row){i + 1, MiB + i * (size + gap), size};
}

static void partitions_255(void **state)
{
	struct table t;
	unsigned int i;

	(void)state;
	fill_255(&t, GiB, 0);
	use_table(&t);
	for (i = 0; i < t.nr; i++)
		expect(MiB + i * GiB + 77, i + 1);
	use_no_map(&t);
}

static void partitions_255_with_gaps(void **state)
{
	struct table t;
	unsigned int i;

	(void)state;
	fill_255(&t, GiB, MiB);
	use_table(&t);
	for (i = 0; i < t.nr; i++) {
		expect(t.row[i].start - 1, 0);
		expect(t.row[i].start + GiB - 1, i + 1);
	}
	use_no_map(&t);
}

/* Neighbours in two bunches at both ends of a large disk: no bucket size fits. */
static void bunches_at_both_ends(void **state)
{
	struct table t = {.nr = 15};
	unsigned int i;

	(void)state;
	for (i = 0; i < t.nr; i++)
		t.row[i] = (struct row){i + 1, (i < 7 ? MiB : 20 * TiB) + i * MiB, MiB};
	use_table(&t);
	for (i = 0; i < t.nr; i++)
		expect(t.row[i].start, i + 1);
	use_no_map(&t);
}

/* Sizes double from one to the next: each is as large as all before it. */
static void sizes_doubling(void **state)
{
	struct table t = {.nr = 40};
	unsigned int i;

	(void)state;
	for (i = 0; i < t.nr; i++)
		t.row[i] = (struct row){i + 1, 1ULL << i, 1ULL << i};
	use_table(&t);
	expect(0, 0);
	for (i = 0; i < t.nr; i++)
		expect(t.row[i].start, i + 1);
	expect(1ULL << 40, 0);
	use_no_map(&t);
}

static void update_shows_add_resize_and_delete(void **state)
{
	struct table t = {1, {{1, 100, 100}}};

	(void)state;
	use_table(&t);
	expect(250, 0);

	t.nr = 2;
	t.row[1] = (struct row){2, 200, 100};
	use_table(&t);
	expect(250, 2);

	t.row[1].nr_sectors = 40;
	use_table(&t);
	expect(239, 2);
	expect(240, 0);

	t.row[0] = t.row[1];
	t.nr = 1;
	use_table(&t);
	expect(150, 0);
	expect(239, 2);
}

static void nothing_is_left_after_free(void **state)
{
	long before = standin_slab_in_use();
	struct table t;
	unsigned int i;

	(void)state;
	fill_255(&t, 100, 1);
	for (i = 0; i < 20; i++) {
		t.nr = 1 + i * 10;
		use_table(&t);
	}
	t.nr = 0;
	use_table(&t);
	rcu_barrier();
	assert_int_equal(standin_slab_in_use(), before);
	t.nr = 3;
	use_table(&t);
	part_map_free(&td->disk);
	rcu_barrier();
	assert_int_equal(standin_slab_in_use(), before);
}

/* Let each allocation of an update fail in turn: the answers stay right, nothing leaks. */
static void memory_runs_out(void **state)
{
	struct table old = {2, {{1, 100, 100}, {2, 200, 100}}};
	struct table new = {2, {{1, 150, 100}, {3, 250, 100}}};
	unsigned int at, failed = 0;
	u64 bad;

	(void)state;
	for (at = 1; at < 10; at++) {
		long before;
		int ret;

		standin_slab.fail_at = 0;
		use_table(&old);
		rcu_barrier();
		before = standin_slab_in_use();

		standin_slab.fail_at = at;
		ret = test_disk_apply(td, &new);
		if (standin_slab.fail_at) { /* an update makes fewer allocations than that */
			standin_slab.fail_at = 0;
			break;
		}
		assert_true(table_holds(td, &new, &bad));
		expect(120, 0);
		expect(260, 3);
		rcu_barrier();
		if (ret) {
			assert_int_equal(ret, -ENOMEM);
			assert_null(td->disk.part_map);
			assert_int_equal(standin_slab_in_use(), before - 1);
			failed++;
		} else {
			assert_int_equal(standin_slab_in_use(), before);
		}
	}
	assert_in_range(failed, 2, 9);
	use_table(&new);
	assert_non_null(td->disk.part_map);
}

/* Bytes asked for by the largest block of an update; the map itself, not its scratch. */
static size_t map_bytes(const struct table *t)
{
	use_table(t);
	return standin_slab.last;
}

static void memory_per_disk(void **state)
{
	struct table t = {.nr = 15};
	unsigned int i;

	(void)state;
	for (i = 0; i < 15; i++)
		t.row[i] = (struct row){i + 1, MiB + i * GiB, GiB - MiB};
	assert_in_range(map_bytes(&t), 1, 1023);
	for (i = 0; i < 15; i++)
		t.row[i] = (struct row){i + 1, (i < 7 ? MiB : 20 * TiB) + 2 * i * MiB, MiB};
	assert_in_range(map_bytes(&t), 1, 1023);
	fill_255(&t, GiB, MiB);
	assert_in_range(map_bytes(&t), 1, 12 * 1024 - 1);
	fill_255(&t, 1, 1);
	t.row[254].start = 20 * TiB;
	assert_in_range(map_bytes(&t), 1, 12 * 1024 - 1);
}

#define map_test(f) cmocka_unit_test_setup_teardown(f, disk_setup, disk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		map_test(no_partitions),
		map_test(one_partition_with_gaps_around),
		map_test(partition_from_sector_0),
		map_test(one_sector),
		map_test(equal_neighbours),
		map_test(gap_before_each),
		map_test(numbers_not_in_order_of_sectors),
		map_test(overlap_lowest_number_wins),
		map_test(same_sectors_twice),
		map_test(whole_disk_slice),
		map_test(whole_disk_slice_numbered_last),
		map_test(extended_partition_of_two_sectors),
		map_test(extended_partition_around_logical_ones),
		map_test(nested_small_in_large),
		map_test(zero_length),
		map_test(one_mib_beside_20_tib),
		map_test(efi_boot_swap_root_and_data),
		map_test(borders_at_2_to_the_32),
		map_test(borders_at_2_to_the_63),
		map_test(end_beyond_64_bits),
		map_test(only_partition_at_the_largest_sectors),
		map_test(all_sectors_in_one_partition),
		map_test(partition_to_the_largest_sector),
		map_test(partitions_255),
		map_test(partitions_255_with_gaps),
		map_test(bunches_at_both_ends),
		map_test(sizes_doubling),
		map_test(update_shows_add_resize_and_delete),
		map_test(nothing_is_left_after_free),
		map_test(memory_runs_out),
		map_test(memory_per_disk),
	};

	rcu_register_thread();
	return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
