/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: allocation flags. They change nothing here. */
#ifndef STANDIN_LINUX_GFP_H
#define STANDIN_LINUX_GFP_H

#include <linux/types.h>

#define GFP_KERNEL   ((gfp_t)0x01)
#define GFP_NOIO     ((gfp_t)0x02)
#define GFP_NOWAIT   ((gfp_t)0x04)
#define __GFP_NOWARN ((gfp_t)0x10)
#define __GFP_ZERO   ((gfp_t)0x20)

#endif
