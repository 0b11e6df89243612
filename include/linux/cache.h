/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: the size of a cache line, as on x86-64. */
#ifndef STANDIN_LINUX_CACHE_H
#define STANDIN_LINUX_CACHE_H

#include <linux/compiler.h>

#define L1_CACHE_SHIFT	6
#define L1_CACHE_BYTES	(1 << L1_CACHE_SHIFT)
#define SMP_CACHE_BYTES L1_CACHE_BYTES

#ifndef ____cacheline_aligned
#define ____cacheline_aligned __aligned(SMP_CACHE_BYTES)
#endif

#endif
