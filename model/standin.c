// SPDX-License-Identifier: GPL-2.0
/*
 * What the stand-ins in include/linux/ need besides headers: an allocator that
 * places blocks as the kernel's does, and freeing after a grace period.
 *
 * How many cache lines a lookup touches, and how many disks' tables fit the cache,
 * depends on where kmalloc() puts them: in classes of size, packed side by side.
 * libc's malloc() with its headers between the blocks would measure something else.
 * Under a sanitizer every block comes from malloc() instead, to be watched.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#if defined(__SANITIZE_ADDRESS__)
#define STANDIN_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STANDIN_WATCHED 1
#endif
#endif

__thread struct standin_slab standin_slab;

static long in_use;

long standin_slab_in_use(void)
{
	return __atomic_load_n(&in_use, __ATOMIC_RELAXED);
}

size_t kmalloc_size_roundup(size_t size)
{
	if (size <= 8)
		return 8;
	if (size > 64 && size <= 96)
		return 96;
	if (size > 128 && size <= 192)
		return 192;
	return roundup_pow_of_two(size);
}

#define HUGE_PAGE ((size_t)2 << 20)

void *standin_huge_alloc(size_t size)
{
	bool huge = size >= HUGE_PAGE / 4;
	size_t whole = huge ? ALIGN(size, HUGE_PAGE) : ALIGN(size, 64);
	void *p = aligned_alloc(huge ? HUGE_PAGE : 64, whole);

	if (!p)
		return NULL;
	/* It is only advice. */
	if (huge)
		madvise(p, whole, MADV_HUGEPAGE);
	memset(p, 0, whole);
	return p;
}

/* True if this allocation is the one that is to fail. */
static bool standin_count(size_t size)
{
	struct standin_slab *s = &standin_slab;

	s->nr_allocs++;
	if (s->fail_at && !--s->fail_at)
		return true;
	s->last = size;
	if (size > s->largest)
		s->largest = size;
	return false;
}

#ifdef STANDIN_WATCHED

static void *block_alloc(size_t size)
{
	size_t class = kmalloc_size_roundup(size);
	size_t align = class & -class;
	void *p;

	/* The size itself, not the class: any byte too far is seen. */
	return posix_memalign(&p, align < 8 ? 8 : align, size) ? NULL : p;
}

static void block_free(void *p)
{
	free(p);
}

#else

#define SLAB_BYTES ((size_t)128 << 10)
#define SLAB_HEAD  ((size_t)4096)
#define NR_CLASSES 16
#define MAX_CLASS  ((size_t)16384)

/* At the start of each slab; slabs are aligned to their size. */
struct slab {
	unsigned int class;
};

struct free_block {
	struct free_block *next;
};

static struct free_block *free_blocks[NR_CLASSES];
static void *arena; /* what slabs are cut from; they are never given back */
static size_t arena_left;
static pthread_mutex_t slab_lock = PTHREAD_MUTEX_INITIALIZER;

static const unsigned int class_size[NR_CLASSES] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192, 16384,
};

static unsigned int size_class(size_t size)
{
	unsigned int class = 0;

	while (class_size[class] < size)
		class ++;
	return class;
}

static bool slab_refill(unsigned int class)
{
	struct free_block **tail = &free_blocks[class];
	struct slab *slab;
	size_t off;

	if (arena_left < SLAB_BYTES) {
		arena = standin_huge_alloc(HUGE_PAGE);
		if (!arena)
			return false;
		arena_left = HUGE_PAGE;
	}
	slab = arena;
	arena += SLAB_BYTES;
	arena_left -= SLAB_BYTES;
	slab->class = class;
	for (off = SLAB_HEAD; off + class_size[class] <= SLAB_BYTES; off += class_size[class]) {
		struct free_block *block = (void *)slab + off;

		*tail = block;
		tail = &block->next;
	}
	*tail = NULL;
	return true;
}

static void *block_alloc(size_t size)
{
	struct free_block *block = NULL;
	unsigned int class;

	if (size > MAX_CLASS) {
		size_t whole = ALIGN(SLAB_HEAD + size, SLAB_BYTES);
		struct slab *slab = aligned_alloc(SLAB_BYTES, whole);

		if (!slab)
			return NULL;
		slab->class = NR_CLASSES;
		return (void *)slab + SLAB_HEAD;
	}
	class = size_class(size);
	pthread_mutex_lock(&slab_lock);
	if (free_blocks[class] || slab_refill(class)) {
		block = free_blocks[class];
		free_blocks[class] = block->next;
	}
	pthread_mutex_unlock(&slab_lock);
	return block;
}

static void block_free(void *p)
{
	struct slab *slab = (void *)((uintptr_t)p & ~(SLAB_BYTES - 1));
	struct free_block *block = p;

	if (slab->class == NR_CLASSES) {
		free(slab);
		return;
	}
	pthread_mutex_lock(&slab_lock);
	block->next = free_blocks[slab->class];
	free_blocks[slab->class] = block;
	pthread_mutex_unlock(&slab_lock);
}

#endif

void *kmalloc(size_t size, gfp_t flags)
{
	void *p;

	(void)flags;
	if (standin_count(size))
		return NULL;
	p = block_alloc(size);
	if (p)
		__atomic_add_fetch(&in_use, 1, __ATOMIC_RELAXED);
	return p;
}

void kfree(const void *p)
{
	if (!p)
		return;
	__atomic_sub_fetch(&in_use, 1, __ATOMIC_RELAXED);
	block_free((void *)p);
}

struct late_free {
	struct rcu_head rcu;
	void *p;
};

static void late_free(struct rcu_head *rcu)
{
	struct late_free *late = (void *)((char *)rcu - offsetof(struct late_free, rcu));

	kfree(late->p);
	free(late);
}

void standin_kvfree_rcu(void *p)
{
	struct late_free *late;

	if (!p)
		return;
	late = malloc(sizeof(*late));
	if (!late) {
		synchronize_rcu();
		kfree(p);
		return;
	}
	late->p = p;
	call_rcu(&late->rcu, late_free);
}
