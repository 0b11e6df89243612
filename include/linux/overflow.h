/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: sizes that cannot wrap. */
#ifndef STANDIN_LINUX_OVERFLOW_H
#define STANDIN_LINUX_OVERFLOW_H

#include <linux/compiler.h>

static inline size_t size_mul(size_t a, size_t b)
{
	size_t bytes;

	return __builtin_mul_overflow(a, b, &bytes) ? SIZE_MAX : bytes;
}

static inline size_t size_add(size_t a, size_t b)
{
	size_t bytes;

	return __builtin_add_overflow(a, b, &bytes) ? SIZE_MAX : bytes;
}

/* Size of *@p with a trailing array @member of @count elements. */
#define struct_size(p, member, count) \
	size_add(sizeof(*(p)), size_mul(sizeof((p)->member[0]), (count)))

#endif
