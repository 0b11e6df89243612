/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: small arithmetic that everything uses. */
#ifndef STANDIN_LINUX_KERNEL_H
#define STANDIN_LINUX_KERNEL_H

#if __has_include_next(<linux/kernel.h>)
#include_next <linux/kernel.h>
#endif

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define U8_MAX	((u8)~0U)
#define U16_MAX ((u16)~0U)
#define U32_MAX ((u32)~0U)
#define U64_MAX ((u64)~0ULL)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* @a is a power of two. */
#define ALIGN(x, a)	 (((x) + ((__typeof__(x))(a)-1)) & ~((__typeof__(x))(a)-1))
#define IS_ALIGNED(x, a) (((x) & ((__typeof__(x))(a)-1)) == 0)

#ifndef DIV_ROUND_UP
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#endif

#endif
