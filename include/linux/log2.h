/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: powers of two. */
#ifndef STANDIN_LINUX_LOG2_H
#define STANDIN_LINUX_LOG2_H

#include <linux/types.h>

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

/* @n is not 0. */
static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n == 1 ? 1 : 1UL << (sizeof(n) * 8 - __builtin_clzl(n - 1));
}

#endif
