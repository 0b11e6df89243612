// SPDX-License-Identifier: GPL-2.0
/*
 * Guards design rule "right answer" by force: random tables of many shapes, asked for
 * every border, the sectors beside it, and 0, 2^32, 2^63; against the oracle.
 *
 * TABLES=n (default 1000000) and SEED=n (default 1) in the environment.
 * A failing table is shrunk, then printed as C.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/table.h"

static u64 number_from_env(const char *name, u64 dflt)
{
	const char *s = getenv(name);
	char *end;
	u64 n;

	if (!s || !*s)
		return dflt;
	n = strtoull(s, &end, 0);
	if (*end || !n) {
		fprintf(stderr, "%s=%s: a number above 0 is wanted\n", name, s);
		exit(2);
	}
	return n;
}

static void random_tables(void **state)
{
	u64 nr = number_from_env("TABLES", 1000000);
	u64 seed = number_from_env("SEED", 1);
	struct test_disk *td = test_disk_new();
	struct rng rng = {seed};
	u64 form[4] = {0};
	struct table t;
	u64 i, bad;

	(void)state;
	for (i = 0; i < nr; i++) {
		unsigned long word;

		table_random(&rng, &t);
		part_map_free(&td->disk);
		assert_int_equal(test_disk_apply(td, &t), 0);
		word = (unsigned long)td->disk.part_map;
		form[word & 128 ? 0 : word & 64 ? 1 : word ? 2 : 3]++;
		if (table_holds(td, &t, &bad))
			continue;
		fprintf(stderr, "table %" PRIu64 " of SEED=%" PRIu64 " fails; shrunk:\n", i, seed);
		table_shrink(td, &t, &bad);
		table_print(stderr, &t);
		fail_msg("sector %" PRIu64 " is in partition %u, the map says %u", bad,
			 oracle(&t, bad), test_disk_lookup(td, bad));
	}
	printf("%" PRIu64 " tables: %" PRIu64 " lines, %" PRIu64 " slots, %" PRIu64
	       " tree, %" PRIu64 " without\n",
	       nr, form[0], form[1], form[2], form[3]);
	/* A generator that makes one form only would prove little. */
	if (nr >= 10000) {
		assert_true(form[0] > nr / 20);
		assert_true(form[1] > nr / 20);
		assert_true(form[2] > nr / 20);
	}
	test_disk_free(td);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_tables),
	};

	rcu_register_thread();
	return cmocka_run_group_tests_name("map, random tables", tests, NULL, NULL);
}
