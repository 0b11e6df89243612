/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: finding bits. */
#ifndef STANDIN_LINUX_BITOPS_H
#define STANDIN_LINUX_BITOPS_H

#include <linux/types.h>

/* Number of the highest bit that is set, from 1 on; 0 if none is. */
static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#endif
