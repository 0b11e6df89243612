// SPDX-License-Identifier: GPL-2.0
/* Attribution on sample.c, whose inlining is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attrib.h"

static const char *sample, *stripped, *pie;
static struct attrib *a;

static int setup(void **state)
{
	char err[256];

	(void)state;
	a = attrib_open(sample, NULL, err, sizeof(err));
	if (!a)
		fprintf(stderr, "%s\n", err);
	return a ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	attrib_close(a);
	return 0;
}

static uint64_t at(const char *label)
{
	uint64_t start, size;

	assert_int_equal(attrib_address(a, label, &start, &size), 0);
	return start;
}

static const char *name(enum attrib_view view, uint64_t pc)
{
	uint32_t id = attrib_lookup(a, view, pc);

	return id == ATTRIB_NONE ? "-" : attrib_func(a, view, id)->name;
}

/* Label in the program, whose source it is, whose symbol it is. */
static void an_instruction_belongs_to_the_innermost_inlined_function(void **state)
{
	static const char *const want[][3] = {
		{"twice_first", "twice", "twice"},
		{"branch_first", "branch", "twice"},
		{"leaf_first", "leaf", "twice"},
		{"leaf_last", "leaf", "twice"},
		{"branch_last", "branch", "twice"},
		{"twice_last", "twice", "twice"},
		{"ps_mark_end", "ps_mark_end", "ps_mark_end"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_string_equal(name(ATTRIB_INLINE, at(want[i][0])), want[i][1]);
		assert_string_equal(name(ATTRIB_SYMBOL, at(want[i][0])), want[i][2]);
	}
}

static void a_range_ends_before_its_end_address(void **state)
{
	(void)state;
	assert_string_equal(name(ATTRIB_INLINE, at("leaf_first") - 1), "branch");
	assert_string_equal(name(ATTRIB_INLINE, at("branch_last") - 1), "leaf");
}

static void every_copy_of_an_inlined_function_is_one_function(void **state)
{
	uint32_t i, seen = 0;

	(void)state;
	for (i = 0; i < attrib_count(a, ATTRIB_INLINE); i++)
		seen += !strcmp(attrib_func(a, ATTRIB_INLINE, i)->name, "leaf");
	assert_int_equal(seen, 1);
}

static void a_function_is_named_with_its_source_file(void **state)
{
	uint32_t id = attrib_lookup(a, ATTRIB_INLINE, at("leaf_first"));

	(void)state;
	assert_string_equal(attrib_func(a, ATTRIB_INLINE, id)->file, "plugin/sample.c");
}

static void assembly_goes_by_its_symbol_in_both_views(void **state)
{
	uint64_t start, size;

	(void)state;
	assert_int_equal(attrib_address(a, "spin", &start, &size), 0);
	assert_string_equal(name(ATTRIB_INLINE, start), "spin");
	assert_string_equal(name(ATTRIB_SYMBOL, start), "spin");
	assert_string_equal(name(ATTRIB_INLINE, start + size - 1), "spin");
}

static void addresses_outside_of_the_program_belong_to_nobody(void **state)
{
	static const uint64_t pcs[] = {0, 1, 0x1000, 0xffffffff81000000, UINT64_MAX};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pcs) / sizeof(*pcs); i++) {
		assert_string_equal(name(ATTRIB_INLINE, pcs[i]), "-");
		assert_string_equal(name(ATTRIB_SYMBOL, pcs[i]), "-");
	}
}

static void code_is_read_from_the_file(void **state)
{
	uint8_t buf[2];

	(void)state;
	/* nop; then the first byte of mov $imm32, %ecx */
	assert_int_equal(attrib_bytes(a, at("branch_first"), buf, sizeof(buf)), 0);
	assert_int_equal(buf[0], 0x90);
	assert_int_equal(buf[1], 0xb9);
	assert_int_not_equal(attrib_bytes(a, 0x1000, buf, sizeof(buf)), 0);
}

static void an_unknown_symbol_is_not_found(void **state)
{
	uint64_t start, size;

	(void)state;
	assert_int_not_equal(attrib_address(a, "no_such_function", &start, &size), 0);
}

/* File, and a word that the message must hold. */
static void a_file_that_will_not_do_is_refused_with_the_reason(void **state)
{
	const char *const want[][2] = {
		{"/nonexistent", "No such file"},
		{"plugin/sample.c", "not an ELF file"},
		{stripped, "symbol table"},
		{pie, "fixed addresses"},
	};
	char err[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_null(attrib_open(want[i][0], NULL, err, sizeof(err)));
		assert_non_null(strstr(err, want[i][0]));
		assert_non_null(strstr(err, want[i][1]));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_belongs_to_the_innermost_inlined_function),
		cmocka_unit_test(a_range_ends_before_its_end_address),
		cmocka_unit_test(every_copy_of_an_inlined_function_is_one_function),
		cmocka_unit_test(a_function_is_named_with_its_source_file),
		cmocka_unit_test(assembly_goes_by_its_symbol_in_both_views),
		cmocka_unit_test(addresses_outside_of_the_program_belong_to_nobody),
		cmocka_unit_test(code_is_read_from_the_file),
		cmocka_unit_test(an_unknown_symbol_is_not_found),
		cmocka_unit_test(a_file_that_will_not_do_is_refused_with_the_reason),
	};

	if (argc != 4) {
		fprintf(stderr, "usage: %s SAMPLE STRIPPED PIE\n", argv[0]);
		return 2;
	}
	sample = argv[1];
	stripped = argv[2];
	pie = argv[3];
	return cmocka_run_group_tests(tests, setup, teardown);
}
