/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: libc has these. */
#ifndef STANDIN_LINUX_STRING_H
#define STANDIN_LINUX_STRING_H

#if __has_include_next(<linux/string.h>)
#include_next <linux/string.h>
#endif

#include <string.h>

#endif
