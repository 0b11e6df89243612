// SPDX-License-Identifier: GPL-2.0
/*
 * Readers against a writer that replaces the table 100,000 times (REPLACE=n in the
 * environment changes that): every answer is right for the table of then or the one
 * published next, and no reader ever touches freed memory (the sanitizer looks).
 *
 * The writer rotates through a fixed set of tables with the same partitions, whose
 * right answers are known beforehand. A reader takes the writer's count before and
 * after its lookup; the answer must be that of one of the tables published between.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <linux/kernel.h>
#include "tests/unit/table.h"

#define NR_TABLES  8
#define NR_READERS 2
#define NR_SECTORS 512

static struct {
	struct table table[NR_TABLES];
	u64 sector[NR_SECTORS];
	u8 answer[NR_TABLES][NR_SECTORS];
	struct test_disk *td;
	u64 seq; /* tables published so far, and one more while one is being published */
	bool stop;
	bool failed;
} storm;

struct reader {
	pthread_t thread;
	u64 seed;
	u64 lookups;
	u64 changed; /* lookups during which the table was replaced */
};

static bool answer_holds(unsigned int sector, unsigned int partno, u64 from, u64 to)
{
	u64 i;

	for (i = from; i <= to && i < from + NR_TABLES; i++)
		if (storm.answer[i % NR_TABLES][sector] == partno)
			return true;
	return false;
}

static void *reader_main(void *arg)
{
	struct reader *r = arg;
	struct rng rng = {r->seed};

	rcu_register_thread();
	while (!__atomic_load_n(&storm.stop, __ATOMIC_RELAXED)) {
		unsigned int i = rng_below(&rng, NR_SECTORS);
		unsigned int partno;
		u64 from, to;

		/* The table of from - 1 may still be the one seen: from counts early. */
		from = __atomic_load_n(&storm.seq, __ATOMIC_SEQ_CST);
		partno = test_disk_lookup(storm.td, storm.sector[i]);
		to = __atomic_load_n(&storm.seq, __ATOMIC_SEQ_CST);
		if (!answer_holds(i, partno, from ? from - 1 : 0, to)) {
			fprintf(stderr,
				"sector %" PRIu64 ": %u is right in none of the tables %" PRIu64
				" to %" PRIu64 "\n",
				storm.sector[i], partno, from, to);
			__atomic_store_n(&storm.failed, true, __ATOMIC_RELAXED);
			break;
		}
		/* Two cores for three threads: let the writer have its turn. */
		if (++r->lookups % 64 == 0)
			sched_yield();
		r->changed += to != from;
	}
	rcu_unregister_thread();
	return NULL;
}

/* Half of them at random, half in rows: all forms of the map replace each other. */
static void make_tables(void)
{
	struct rng rng = {4711};
	unsigned int i, j;

	for (i = 0; i < NR_TABLES; i++) {
		struct table *t = &storm.table[i];
		u64 at = 64;

		if (i % 2) {
			table_random(&rng, t);
			t->nr = min(t->nr, 40U);
		} else {
			t->nr = i == 4 ? TABLE_MAX : 15;
			for (j = 0; j < t->nr; j++) {
				t->row[j] = (struct row){j + 1, at, 1000 + 100 * i};
				at += t->row[j].nr_sectors + (i == 6);
			}
		}
	}
	for (j = 0; j < NR_SECTORS; j++) {
		const struct table *t = &storm.table[rng_below(&rng, NR_TABLES)];
		const struct row *row = &t->row[rng_below(&rng, t->nr)];

		storm.sector[j] =
			row->start + rng_below(&rng, 2) * row->nr_sectors + rng_below(&rng, 3) - 1;
	}
	for (i = 0; i < NR_TABLES; i++)
		for (j = 0; j < NR_SECTORS; j++)
			storm.answer[i][j] = oracle(&storm.table[i], storm.sector[j]);
}

static void readers_against_writer(void **state)
{
	const char *s = getenv("REPLACE");
	u64 nr = s && *s ? strtoull(s, NULL, 0) : 100000;
	struct reader reader[NR_READERS] = {0};
	u64 lookups = 0, changed = 0;
	unsigned int i;
	u64 n;

	(void)state;
	make_tables();
	storm.td = test_disk_new();
	assert_int_equal(test_disk_apply(storm.td, &storm.table[0]), 0);
	for (i = 0; i < NR_READERS; i++) {
		reader[i].seed = i + 1;
		assert_int_equal(pthread_create(&reader[i].thread, NULL, reader_main, &reader[i]),
				 0);
	}
	for (n = 1; n <= nr && !__atomic_load_n(&storm.failed, __ATOMIC_RELAXED); n++) {
		__atomic_store_n(&storm.seq, n, __ATOMIC_SEQ_CST);
		if (test_disk_apply(storm.td, &storm.table[n % NR_TABLES]))
			fail_msg("no memory at replacement %" PRIu64, n);
		/* Old maps must not pile up faster than they are freed. */
		if (n % 1024 == 0)
			rcu_barrier();
	}
	__atomic_store_n(&storm.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < NR_READERS; i++) {
		pthread_join(reader[i].thread, NULL);
		lookups += reader[i].lookups;
		changed += reader[i].changed;
	}
	test_disk_free(storm.td);
	rcu_barrier();
	assert_false(storm.failed);
	assert_int_equal(standin_slab_in_use(), 0);
	printf("%" PRIu64 " replacements, %" PRIu64 " lookups, %" PRIu64 " during one\n", n - 1,
	       lookups, changed);
	/* Had nobody read, nothing would be shown. */
	assert_true(lookups > 1000);
}

/*
 * The same without chance: a reader that has seen a map stays inside its section while
 * that map is replaced many times, then reads it.
 */
static struct {
	struct test_disk *td;
	pthread_barrier_t seen, replaced;
	u8 byte;
} slow;

static void *slow_reader(void *arg)
{
	const u8 *map;

	(void)arg;
	rcu_register_thread();
	rcu_read_lock();
	map = (const u8 *)((unsigned long)rcu_dereference(slow.td->disk.part_map) & ~255UL);
	slow.byte = map[0];
	pthread_barrier_wait(&slow.seen);
	pthread_barrier_wait(&slow.replaced);
	/* The sanitizer looks whether it is still there. */
	if (READ_ONCE(map[0]) != slow.byte)
		slow.byte = ~map[0];
	rcu_read_unlock();
	rcu_unregister_thread();
	return NULL;
}

static void map_outlives_its_reader(void **state)
{
	struct table t = {2, {{1, 100, 100}, {2, 200, 100}}};
	pthread_t thread;
	unsigned int i;
	u8 byte;

	(void)state;
	slow.td = test_disk_new();
	assert_int_equal(test_disk_apply(slow.td, &t), 0);
	pthread_barrier_init(&slow.seen, NULL, 2);
	pthread_barrier_init(&slow.replaced, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, slow_reader, NULL), 0);
	pthread_barrier_wait(&slow.seen);
	byte = slow.byte;
	for (i = 0; i < 100; i++) {
		t.row[1].nr_sectors++;
		assert_int_equal(test_disk_apply(slow.td, &t), 0);
	}
	pthread_barrier_wait(&slow.replaced);
	pthread_join(thread, NULL);
	assert_int_equal(slow.byte, byte);
	test_disk_free(slow.td);
	rcu_barrier();
	assert_int_equal(standin_slab_in_use(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_outlives_its_reader),
		cmocka_unit_test(readers_against_writer),
	};

	rcu_register_thread();
	return cmocka_run_group_tests_name("map, readers and a writer", tests, NULL, NULL);
}
