// SPDX-License-Identifier: GPL-2.0
/* The cache model against sequences worked out by hand, and the record of lines touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cache.h"

/* Lines to touch, one letter each, and what must come of it: h a hit, m a miss. */
static void check(uint64_t size, uint32_t ways, const char *lines, const char *want)
{
	struct cache c;
	char got[64];
	size_t i;

	assert_int_equal(cache_init(&c, size, ways), 0);
	for (i = 0; lines[i]; i++)
		got[i] = cache_touch(&c, (uint64_t)(lines[i] - 'a')) ? 'h' : 'm';
	got[i] = '\0';
	assert_string_equal(got, want);
	cache_free(&c);
}

static void one_line_hits_from_the_second_touch_on(void **state)
{
	(void)state;
	check(64, 1, "aaa", "mhh");
}

static void direct_mapped_lines_of_one_set_throw_each_other_out(void **state)
{
	(void)state;
	/* two sets: a and c share one, b has the other */
	check(128, 1, "abacab", "mmhmmh");
}

static void the_least_recently_used_way_goes(void **state)
{
	(void)state;
	/* one set of two: c throws out b, because a was used after it */
	check(128, 2, "abacab", "mmhmhm");
	/* one set of three */
	check(192, 3, "abcadbca", "mmmhmmmm");
	check(192, 3,
	      "abcbad"
	      "abd"
	      "c",
	      "mmmhhm"
	      "hhh"
	      "m");
}

static void a_loop_one_line_larger_than_the_cache_never_hits(void **state)
{
	(void)state;
	check(256, 4, "abcdeabcdeabcde", "mmmmmmmmmmmmmmm");
	check(256, 4, "abcdabcdabcd", "mmmmhhhhhhhh");
}

static void sets_do_not_disturb_each_other(void **state)
{
	(void)state;
	/* two sets of two: a c e in one, b d f in the other */
	check(256, 2, "abcdefbdaf",
	      "mmmmmm"
	      "mmmm");
	check(256, 2,
	      "acbdacbd"
	      "e"
	      "bd"
	      "ca",
	      "mmmmhhhh"
	      "m"
	      "hh"
	      "hm");
}

static void line_zero_is_a_line_like_any_other(void **state)
{
	struct cache c;

	(void)state;
	assert_int_equal(cache_init(&c, 128, 2), 0);
	assert_false(cache_touch(&c, 0));
	assert_true(cache_touch(&c, 0));
	assert_false(cache_touch(&c, (1ULL << 58) - 1));
	assert_true(cache_touch(&c, 0));
	cache_free(&c);
}

static void a_geometry_is_read(void **state)
{
	uint64_t size;
	uint32_t ways;

	(void)state;
	assert_int_equal(cache_parse("32K:8", &size, &ways), 0);
	assert_int_equal(size, 32768);
	assert_int_equal(ways, 8);
	assert_int_equal(cache_parse("1M:16", &size, &ways), 0);
	assert_int_equal(size, 1 << 20);
	assert_int_equal(cache_parse("48K:12", &size, &ways), 0);
	assert_int_equal(cache_parse("64:1", &size, &ways), 0);
	assert_int_equal(size, 64);
}

static void an_impossible_geometry_is_refused(void **state)
{
	static const char *const bad[] = {"",	   "32K",    "32K:",   ":8",	 "32K:0",
					  "0:8",   "32K:-8", "-32K:8", "32K:8 ", " 32K:8",
					  "32k:8", "33K:8",  "48K:8",  "32:1",	 "32K:8:1",
					  "x",	   "32KK:8", "1M:5"};
	uint32_t ways;
	uint64_t size;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_not_equal(cache_parse(bad[i], &size, &ways), 0);
}

static void a_line_is_new_once_and_new_again_in_each_io(void **state)
{
	struct lines l;

	(void)state;
	assert_int_equal(lines_init(&l), 0);
	assert_int_equal(lines_touch(&l, 0, 0, 0), LINES_NEW);
	assert_int_equal(lines_touch(&l, 0, 0, 0), LINES_AGAIN);
	assert_int_equal(lines_touch(&l, 0, 0, 1), LINES_NEW_IO);
	assert_int_equal(lines_touch(&l, 0, 0, 1), LINES_AGAIN);
	/* another function, another line */
	assert_int_equal(lines_touch(&l, 1, 0, 1), LINES_NEW);
	assert_int_equal(lines_touch(&l, 0, 1, 1), LINES_NEW);
	assert_int_equal(lines_touch(&l, LINES_FUNC_MAX - 1, (1ULL << 42) - 1, 1), LINES_NEW);
	assert_int_equal(l.used, 4);
	lines_free(&l);
}

static void nothing_is_forgotten_when_the_record_grows(void **state)
{
	const uint64_t nr = 300000;
	struct lines l;
	uint64_t i;

	(void)state;
	assert_int_equal(lines_init(&l), 0);
	for (i = 0; i < nr; i++)
		assert_int_equal(lines_touch(&l, i % 7, i, 1), LINES_NEW);
	for (i = 0; i < nr; i++)
		assert_int_equal(lines_touch(&l, i % 7, i, 1), LINES_AGAIN);
	for (i = 0; i < nr; i++)
		assert_int_equal(lines_touch(&l, i % 7, i, 2), LINES_NEW_IO);
	assert_int_equal(l.used, nr);
	lines_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_hits_from_the_second_touch_on),
		cmocka_unit_test(direct_mapped_lines_of_one_set_throw_each_other_out),
		cmocka_unit_test(the_least_recently_used_way_goes),
		cmocka_unit_test(a_loop_one_line_larger_than_the_cache_never_hits),
		cmocka_unit_test(sets_do_not_disturb_each_other),
		cmocka_unit_test(line_zero_is_a_line_like_any_other),
		cmocka_unit_test(a_geometry_is_read),
		cmocka_unit_test(an_impossible_geometry_is_refused),
		cmocka_unit_test(a_line_is_new_once_and_new_again_in_each_io),
		cmocka_unit_test(nothing_is_forgotten_when_the_record_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
