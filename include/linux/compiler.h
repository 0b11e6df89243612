/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: marks for the compiler. */
#ifndef STANDIN_LINUX_COMPILER_H
#define STANDIN_LINUX_COMPILER_H

#if __has_include_next(<linux/compiler.h>)
#include_next <linux/compiler.h>
#endif

#include <linux/types.h>

#ifndef likely
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

#ifndef READ_ONCE
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)                               \
	do {                                             \
		*(volatile __typeof__(x) *)&(x) = (val); \
	} while (0)
#endif

#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif
#ifndef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#endif
#ifndef __aligned
#define __aligned(x) __attribute__((__aligned__(x)))
#endif
#ifndef __maybe_unused
#define __maybe_unused __attribute__((__unused__))
#endif
#ifndef __counted_by
#define __counted_by(member)
#endif
#ifndef barrier
#define barrier() __asm__ __volatile__("" ::: "memory")
#endif

#endif
