/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: what must hold when compiling. */
#ifndef STANDIN_LINUX_BUILD_BUG_H
#define STANDIN_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON(cond) _Static_assert(!(cond), "BUILD_BUG_ON failed: " #cond)
#ifndef static_assert
#define static_assert _Static_assert
#endif

#endif
