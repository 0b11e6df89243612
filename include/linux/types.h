/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: the kernel's names for integers, and sparse's marks. */
#ifndef STANDIN_LINUX_TYPES_H
#define STANDIN_LINUX_TYPES_H

/* The system's own header of this name serves libc; it must stay what it is. */
#include_next <linux/types.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

typedef u64 sector_t;
typedef unsigned int gfp_t;

#ifdef __CHECKER__
#define __rcu	 __attribute__((noderef, address_space(__rcu)))
#define __percpu __attribute__((noderef, address_space(__percpu)))
#define __force	 __attribute__((force))
#else
#define __rcu
#define __percpu
#define __force
#endif

#endif
