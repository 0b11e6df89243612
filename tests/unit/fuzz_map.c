// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer target: bytes become a partition table, which is built and held against the
 * oracle. Each partition is a number, two exponents and two mantissas, so that the
 * fuzzer gets at large sectors and at borders that coincide by changing single bytes.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include "tests/unit/table.h"

#define ROW_BYTES 7

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static struct test_disk *td;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	rcu_register_thread();
	td = test_disk_new();
	return 0;
}

/* 16 bits of mantissa, shifted by up to 63; with the top bit of the exponent, minus one. */
static u64 number(const u8 *p)
{
	u64 n = (u64)(p[0] | p[1] << 8) << (p[2] & 63);

	return p[2] & 128 ? n - 1 : n;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	bool used[DISK_MAX_PARTS] = {false};
	static struct table t;
	u64 bad;

	for (t.nr = 0; size >= ROW_BYTES && t.nr < TABLE_MAX;
	     data += ROW_BYTES, size -= ROW_BYTES) {
		if (!data[0] || used[data[0]])
			continue;
		used[data[0]] = true;
		t.row[t.nr++] = (struct row){data[0], number(data + 1), number(data + 4)};
	}
	part_map_free(&td->disk);
	if (test_disk_apply(td, &t))
		abort();
	if (!table_holds(td, &t, &bad)) {
		table_shrink(td, &t, &bad);
		table_print(stderr, &t);
		fprintf(stderr, "sector %llu: %u expected, %u found\n", (unsigned long long)bad,
			oracle(&t, bad), test_disk_lookup(td, bad));
		abort();
	}
	return 0;
}
