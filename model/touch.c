// SPDX-License-Identifier: GPL-2.0
/*
 * Which memory does a lookup touch? The lookups are compiled once more, from the same
 * source, with -fsanitize=thread: the compiler then calls a function with the address
 * before each access. The sanitizer's own library is not linked; these take its place.
 */
#include <string.h>
#include <sys/rseq.h>

#include <linux/compiler.h>
#include "model/lookups.h"

static struct {
	struct touch *touch; /* NULL while nobody looks */
	const struct model_bio *bio;
	const struct fleet *fleet;
} now;

static bool within(uintptr_t addr, const void *start, size_t size)
{
	return addr - (uintptr_t)start < size;
}

/* A counter of references, or a hint, of one CPU. */
static bool is_percpu(uintptr_t addr)
{
	const struct gendisk *gd = now.bio->disk;
	const struct model_disk *disk = gendisk_model(gd);
	unsigned int i;

	for (i = 0; i <= disk->nr_parts; i++)
		if (within(addr, part_ref(disk->part[i])->count, 64 * now.fleet->nr_cpus))
			return true;
	return gd->model[KEEP_HINT] && within(addr, gd->model[KEEP_HINT], 64 * now.fleet->nr_cpus);
}

static void touched(uintptr_t addr, size_t size, bool store)
{
	struct touch *t = now.touch;
	uintptr_t line;

	if (!t)
		return;
	/* What names the processor is a register in the kernel. */
	if (within(addr, (char *)__builtin_thread_pointer() + __rseq_offset, 64) ||
	    within(addr, &__rseq_offset, sizeof(__rseq_offset)) ||
	    within(addr, &__rseq_size, sizeof(__rseq_size)) ||
	    within(addr, &bound_to_cpu, sizeof(bound_to_cpu)))
		return;
	if (store && is_percpu(addr))
		t->percpu_stores++;
	else if (store)
		t->shared_stores++;
	for (line = addr / 64; line <= (addr + size - 1) / 64; line++) {
		unsigned int i = 0;

		while (i < t->nr_lines && t->line[i] != line * 64)
			i++;
		if (i < t->nr_lines || i == TOUCH_MAX)
			continue;
		t->line[i] = line * 64;
		t->is_disk[i] = within(line * 64, now.bio->disk, sizeof(*now.bio->disk));
		t->is_beyond[i] = !t->is_disk[i] && line * 64 != ((uintptr_t)now.bio & ~63UL);
		t->lines_beyond += t->is_beyond[i];
		t->nr_lines++;
	}
}

struct block_device *touch_lookup(const struct variant *v, const struct model_bio *bio,
				  const struct fleet *fleet, struct touch *touch)
{
	struct block_device *part;

	touch->nr_lines = 0;
	touch->lines_beyond = 0;
	touch->shared_stores = 0;
	touch->percpu_stores = 0;
	now.bio = bio;
	now.fleet = fleet;
	now.touch = touch;
	part = v->traced(bio);
	now.touch = NULL;
	return part;
}

/* What the compiler calls. The names are its own. */
void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void)
{
}

#define ACCESS(name, size, store)                      \
	void __tsan_##name(void *addr);                \
	void __tsan_##name(void *addr)                 \
	{                                              \
		touched((uintptr_t)addr, size, store); \
	}

#define ACCESSES(size)                            \
	ACCESS(read##size, size, false)           \
	ACCESS(write##size, size, true)           \
	ACCESS(volatile_read##size, size, false)  \
	ACCESS(volatile_write##size, size, true)  \
	ACCESS(unaligned_read##size, size, false) \
	ACCESS(unaligned_write##size, size, true)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define ATOMIC(bits, type)                                                            \
	type __tsan_atomic##bits##_load(const volatile type *addr, int order);        \
	type __tsan_atomic##bits##_load(const volatile type *addr, int order)         \
	{                                                                             \
		(void)order;                                                          \
		touched((uintptr_t)addr, sizeof(*addr), false);                       \
		return __atomic_load_n(addr, __ATOMIC_SEQ_CST);                       \
	}                                                                             \
	void __tsan_atomic##bits##_store(volatile type *addr, type value, int order); \
	void __tsan_atomic##bits##_store(volatile type *addr, type value, int order)  \
	{                                                                             \
		(void)order;                                                          \
		touched((uintptr_t)addr, sizeof(*addr), true);                        \
		__atomic_store_n(addr, value, __ATOMIC_SEQ_CST);                      \
	}

ATOMIC(8, u8)
ATOMIC(32, u32)
ATOMIC(64, u64)
