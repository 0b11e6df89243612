// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include "tests/unit/table.h"

struct test_disk *test_disk_new(void)
{
	struct test_disk *td = aligned_alloc(64, ALIGN(sizeof(*td), 64));
	unsigned int i;

	if (!td)
		abort();
	memset(td, 0, sizeof(*td));
	mutex_init(&td->disk.open_mutex);
	xa_init(&td->disk.part_tbl);
	for (i = 0; i < DISK_MAX_PARTS; i++) {
		td->part[i].bd_disk = &td->disk;
		td->part[i].bd_partno = i;
	}
	td->disk.part0 = &td->part[0];
	xa_insert(&td->disk.part_tbl, 0, &td->part[0], GFP_KERNEL);
	return td;
}

void test_disk_free(struct test_disk *td)
{
	part_map_free(&td->disk);
	mutex_destroy(&td->disk.open_mutex);
	free(td);
}

void test_disk_set(struct test_disk *td, const struct table *t)
{
	unsigned long i = 0;

	while (xa_find_after(&td->disk.part_tbl, &i, ULONG_MAX, XA_PRESENT))
		xa_erase(&td->disk.part_tbl, i);
	td->disk.part_tbl.end = 1;
	for (i = 0; i < t->nr; i++) {
		struct block_device *part = &td->part[t->row[i].partno];

		part->bd_start_sect = t->row[i].start;
		bdev_set_nr_sectors(part, t->row[i].nr_sectors);
		if (xa_insert(&td->disk.part_tbl, t->row[i].partno, part, GFP_KERNEL)) {
			fprintf(stderr, "table: partition %u twice\n", t->row[i].partno);
			abort();
		}
	}
}

int test_disk_apply(struct test_disk *td, const struct table *t)
{
	int ret;

	mutex_lock(&td->disk.open_mutex);
	test_disk_set(td, t);
	ret = part_map_update(&td->disk);
	mutex_unlock(&td->disk.open_mutex);
	return ret;
}

unsigned int test_disk_lookup(struct test_disk *td, u64 sector)
{
	struct block_device *part;

	rcu_read_lock();
	part = disk_map_sector_rcu(&td->disk, sector);
	rcu_read_unlock();
	/* A wild pointer would crash in bdev_partno(); say what it is instead. */
	if (part < td->part || part >= td->part + DISK_MAX_PARTS ||
	    ((char *)part - (char *)td->part) % sizeof(*part))
		return UINT_MAX;
	return bdev_partno(part);
}

unsigned int oracle(const struct table *t, u64 sector)
{
	unsigned int best = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		const struct row *r = &t->row[i];

		if (sector < r->start)
			continue;
		/* Not start + nr_sectors: that may be beyond 64 bits. */
		if (sector - r->start >= r->nr_sectors)
			continue;
		if (!best || r->partno < best)
			best = r->partno;
	}
	return best;
}

static bool sector_holds(struct test_disk *td, const struct table *t, u64 sector, u64 *bad)
{
	if (test_disk_lookup(td, sector) == oracle(t, sector))
		return true;
	*bad = sector;
	return false;
}

bool table_holds(struct test_disk *td, const struct table *t, u64 *bad)
{
	static const u64 fixed[] = {
		0,
		1,
		2047,
		2048,
		UINT32_MAX,
		1ULL << 32,
		(1ULL << 63) - 1,
		1ULL << 63,
		UINT64_MAX - 1,
		UINT64_MAX,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		if (!sector_holds(td, t, fixed[i], bad))
			return false;
	for (i = 0; i < t->nr; i++) {
		u64 start = t->row[i].start;
		u64 end = start + t->row[i].nr_sectors;
		u64 mid = start + t->row[i].nr_sectors / 2;

		if (!sector_holds(td, t, start - 1, bad) || !sector_holds(td, t, start, bad) ||
		    !sector_holds(td, t, start + 1, bad) || !sector_holds(td, t, mid, bad) ||
		    !sector_holds(td, t, end - 1, bad) || !sector_holds(td, t, end, bad) ||
		    !sector_holds(td, t, end + 1, bad))
			return false;
	}
	return true;
}

static bool still_fails(struct test_disk *td, const struct table *t, u64 *bad)
{
	part_map_free(&td->disk);
	test_disk_apply(td, t);
	return !table_holds(td, t, bad);
}

static void drop_row(struct table *t, unsigned int i)
{
	memmove(&t->row[i], &t->row[i + 1], (t->nr - i - 1) * sizeof(t->row[0]));
	t->nr--;
}

/* Keep @trial if it still fails. */
static bool accept(struct test_disk *td, struct table *t, const struct table *trial, u64 *bad)
{
	u64 at;

	if (!still_fails(td, trial, &at))
		return false;
	*t = *trial;
	*bad = at;
	return true;
}

/* Try smaller values for one number of the table, from the smallest on. */
static bool lower(struct test_disk *td, struct table *t, size_t offset, u64 *bad)
{
	u64 now = *(u64 *)((char *)t + offset);
	unsigned int shift;

	for (shift = 64; shift-- > 0;) {
		struct table trial = *t;
		u64 less = shift == 63 ? 0 : now >> (shift + 1);
		u64 *to = (u64 *)((char *)&trial + offset);

		*to = less;
		if (less < now && accept(td, t, &trial, bad))
			return true;
	}
	if (now) {
		struct table trial = *t;

		*(u64 *)((char *)&trial + offset) = now - 1;
		return accept(td, t, &trial, bad);
	}
	return false;
}

static bool number_taken(const struct table *t, unsigned int partno)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->row[i].partno == partno)
			return true;
	return false;
}

void table_shrink(struct test_disk *td, struct table *t, u64 *bad)
{
	unsigned int rounds = 200;
	bool smaller = true;
	unsigned int i;

	if (!still_fails(td, t, bad))
		return;
	while (smaller && rounds--) {
		smaller = false;
		for (i = t->nr; i-- > 0;) {
			struct table trial = *t;

			drop_row(&trial, i);
			smaller |= accept(td, t, &trial, bad);
		}
		for (i = 0; i < t->nr; i++) {
			size_t row = offsetof(struct table, row) + i * sizeof(struct row);
			struct table trial = *t;
			unsigned int no;

			smaller |= lower(td, t, row + offsetof(struct row, start), bad);
			smaller |= lower(td, t, row + offsetof(struct row, nr_sectors), bad);
			for (no = 1; no < t->row[i].partno; no++) {
				trial = *t;
				trial.row[i].partno = no;
				if (!number_taken(t, no) && accept(td, t, &trial, bad)) {
					smaller = true;
					break;
				}
			}
		}
	}
	still_fails(td, t, bad);
}

void table_print(FILE *f, const struct table *t)
{
	unsigned int i;

	fprintf(f, "struct table t = { %u, {\n", t->nr);
	for (i = 0; i < t->nr; i++)
		fprintf(f, "\t{ %u, %" PRIu64 "ULL, %" PRIu64 "ULL },\n", t->row[i].partno,
			t->row[i].start, t->row[i].nr_sectors);
	fprintf(f, "} };\n");
}

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

/* Each magnitude up to 2^bits is as likely as any other. */
static u64 rng_log(struct rng *rng, unsigned int bits)
{
	unsigned int n = rng_below(rng, bits + 1);

	return n == 64 ? rng_next(rng) : rng_next(rng) & ((1ULL << n) - 1);
}

static u64 random_origin(struct rng *rng)
{
	static const u64 near[] = {0, 1ULL << 32, 1ULL << 63};

	switch (rng_below(rng, 5)) {
	case 0:
		return 0;
	case 1:
		return 2048;
	case 2:
		return near[rng_below(rng, ARRAY_SIZE(near))] + rng_below(rng, 9) - 4;
	case 3:
		return near[rng_below(rng, ARRAY_SIZE(near))] - rng_log(rng, 40);
	default:
		return rng_log(rng, 64);
	}
}

/* One behind the other: all of one size or not, with gaps or not. */
static void shape_row(struct rng *rng, struct table *t)
{
	unsigned int bits = 1 + rng_below(rng, 50);
	unsigned int gap_bits = rng_below(rng, 3) ? 0 : rng_below(rng, bits + 1);
	bool equal = rng_below(rng, 2);
	u64 size = 1 + rng_log(rng, bits);
	u64 at = random_origin(rng);
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		t->row[i].start = at;
		t->row[i].nr_sectors = equal ? size : rng_log(rng, bits);
		at += t->row[i].nr_sectors + (gap_bits ? rng_log(rng, gap_bits) : 0);
	}
}

/* Anywhere in a range, so they overlap; a small range makes borders coincide. */
static void shape_heap(struct rng *rng, struct table *t)
{
	unsigned int bits = 1 + rng_below(rng, 63);
	u64 origin = random_origin(rng);
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		t->row[i].start = origin + rng_log(rng, bits);
		t->row[i].nr_sectors = rng_log(rng, bits);
	}
}

/* Each inside the one before, or around it. */
static void shape_nest(struct rng *rng, struct table *t)
{
	u64 start = random_origin(rng);
	u64 size = rng_log(rng, 60);
	bool out = rng_below(rng, 2);
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		unsigned int to = out ? t->nr - 1 - i : i;
		u64 cut = rng_below(rng, 1 + size / 4);

		t->row[to].start = start;
		t->row[to].nr_sectors = size;
		start += cut;
		size -= cut + rng_below(rng, 1 + size / 4);
	}
}

/* A few bunches of small ones, far from each other: the worst for buckets. */
static void shape_bunch(struct rng *rng, struct table *t)
{
	u64 at = random_origin(rng);
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (!rng_below(rng, 6))
			at += rng_log(rng, 58);
		t->row[i].start = at;
		t->row[i].nr_sectors = rng_below(rng, 5);
		at += t->row[i].nr_sectors + (rng_below(rng, 3) ? 0 : 1);
	}
}

/* Small ones first, then large ones, as installers make them. */
static void shape_mixed(struct rng *rng, struct table *t)
{
	u64 at = 2048;
	unsigned int small = 1 + rng_below(rng, 4);
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		t->row[i].start = at;
		t->row[i].nr_sectors =
			i < small ? (1 + rng_below(rng, 4)) << 20 : (1 + rng_below(rng, 40)) << 31;
		at += t->row[i].nr_sectors;
	}
}

static void shuffle_numbers(struct rng *rng, struct table *t)
{
	u8 no[TABLE_MAX];
	unsigned int pool, i;

	/* From as many numbers as there are rows, or from all, or from some. */
	pool = t->nr + rng_below(rng, TABLE_MAX - t->nr + 1) * rng_below(rng, 2);
	for (i = 0; i < pool; i++)
		no[i] = i + 1;
	for (i = 0; i < t->nr; i++) {
		unsigned int j = i + rng_below(rng, pool - i);
		u8 swap = no[i];

		no[i] = no[j];
		no[j] = swap;
		t->row[i].partno = no[i];
	}
}

void table_random(struct rng *rng, struct table *t)
{
	static void (*const shape[])(struct rng *, struct table *) = {
		shape_row, shape_row, shape_heap, shape_nest, shape_bunch, shape_mixed,
	};
	unsigned int i;

	switch (rng_below(rng, 200)) {
	case 0:
		t->nr = TABLE_MAX - rng_below(rng, 2);
		break;
	case 1:
	case 2:
		t->nr = 1 + rng_below(rng, TABLE_MAX);
		break;
	default:
		t->nr = 1 + rng_below(rng, rng_below(rng, 3) ? 6 : 24);
	}
	shape[rng_below(rng, ARRAY_SIZE(shape))](rng, t);

	for (i = 0; i < t->nr; i++)
		t->row[i].partno = i + 1;
	if (rng_below(rng, 2))
		shuffle_numbers(rng, t);

	/* A slice for the whole disk, as in Sun and BSD labels. */
	if (!rng_below(rng, 8)) {
		i = rng_below(rng, t->nr);
		t->row[i].start = 0;
		t->row[i].nr_sectors = rng_below(rng, 2) ? UINT64_MAX : rng_log(rng, 64);
	}
	if (!rng_below(rng, 8))
		t->row[rng_below(rng, t->nr)].nr_sectors = 0;
	/* Two that begin, or end, at the same sector. */
	if (!rng_below(rng, 8)) {
		i = rng_below(rng, t->nr);
		t->row[i].start = t->row[rng_below(rng, t->nr)].start;
	}
}
