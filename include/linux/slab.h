/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in: kmalloc() and friends.  Blocks have the alignment that the
 * kernel's kmalloc() gives, so that cache lines can be counted; see model/standin.c.
 */
#ifndef STANDIN_LINUX_SLAB_H
#define STANDIN_LINUX_SLAB_H

#include <linux/gfp.h>
#include <linux/overflow.h>

/* What the allocator has handed out, and when it is to fail; one per thread. */
struct standin_slab {
	unsigned long nr_allocs; /* since the thread started */
	unsigned long fail_at;	 /* this many-th allocation from now fails; 0: none does */
	size_t largest;		 /* largest size asked for; may be set back to 0 */
	size_t last;		 /* size asked for last */
};

extern __thread struct standin_slab standin_slab;

/* Blocks that are allocated now, by all threads: 0 when all has been freed. */
long standin_slab_in_use(void);

void *kmalloc(size_t size, gfp_t flags);
void kfree(const void *p);

/*
 * Zeroed memory for free(), in huge pages if the system has any: the kernel maps all its
 * memory so, hence does not pay for many small ones when it goes from disk to disk.
 */
void *standin_huge_alloc(size_t size);

/* Bytes that a block for @size takes in the kernel's slab allocator. */
size_t kmalloc_size_roundup(size_t size);

static inline void *kzalloc(size_t size, gfp_t flags)
{
	void *p = kmalloc(size, flags);

	if (p)
		__builtin_memset(p, 0, size);
	return p;
}

static inline void *kmalloc_array(size_t n, size_t size, gfp_t flags)
{
	size_t bytes = size_mul(n, size);

	return bytes == SIZE_MAX ? NULL : kmalloc(bytes, flags);
}

static inline void *kcalloc(size_t n, size_t size, gfp_t flags)
{
	size_t bytes = size_mul(n, size);

	return bytes == SIZE_MAX ? NULL : kzalloc(bytes, flags);
}

#endif
