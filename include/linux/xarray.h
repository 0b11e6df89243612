/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in: an xarray for indices below XA_STANDIN_MAX, a plain array.
 * One writer at a time; readers may run beside it.
 */
#ifndef STANDIN_LINUX_XARRAY_H
#define STANDIN_LINUX_XARRAY_H

#include <errno.h>
#include <linux/compiler.h>
#include <linux/gfp.h>

#define XA_STANDIN_MAX 256

typedef unsigned int xa_mark_t;
#define XA_PRESENT ((xa_mark_t)8)
/* Marks are not kept apart: every entry counts as marked. */
#define XA_MARK_1  ((xa_mark_t)1)

struct xarray {
	void *slot[XA_STANDIN_MAX];
	unsigned long end; /* no entry at or beyond this one */
};

static inline void xa_init(struct xarray *xa)
{
	__builtin_memset(xa, 0, sizeof(*xa));
}

static inline void *xa_load(struct xarray *xa, unsigned long index)
{
	return index < XA_STANDIN_MAX ? __atomic_load_n(&xa->slot[index], __ATOMIC_ACQUIRE) : NULL;
}

static inline int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	(void)gfp;
	if (index >= XA_STANDIN_MAX)
		return -ENOMEM;
	if (xa->slot[index])
		return -EBUSY;
	__atomic_store_n(&xa->slot[index], entry, __ATOMIC_RELEASE);
	if (index >= xa->end)
		__atomic_store_n(&xa->end, index + 1, __ATOMIC_RELEASE);
	return 0;
}

static inline void *xa_erase(struct xarray *xa, unsigned long index)
{
	void *old = xa_load(xa, index);

	if (old)
		__atomic_store_n(&xa->slot[index], NULL, __ATOMIC_RELEASE);
	return old;
}

static inline void *xa_find_after(struct xarray *xa, unsigned long *index, unsigned long max,
				  xa_mark_t filter)
{
	unsigned long end = __atomic_load_n(&xa->end, __ATOMIC_ACQUIRE);
	unsigned long i;

	(void)filter;
	for (i = *index + 1; i < end && i <= max; i++) {
		void *entry = __atomic_load_n(&xa->slot[i], __ATOMIC_ACQUIRE);

		if (entry) {
			*index = i;
			return entry;
		}
	}
	return NULL;
}

static inline void xa_destroy(struct xarray *xa)
{
	xa_init(xa);
}

#endif
