/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in: RCU is the real one of liburcu.  Two flavours: with
 * STANDIN_RCU_QSBR a read-side section costs nothing, as in a kernel without
 * preemption, but threads must announce quiescent states; without it, sections are
 * marked for real, and a missing one shows in the tests.
 */
#ifndef STANDIN_LINUX_RCUPDATE_H
#define STANDIN_LINUX_RCUPDATE_H

#include <assert.h>
#include <linux/compiler.h>

#define _LGPL_SOURCE
#ifdef STANDIN_RCU_QSBR
#include <urcu-qsbr.h>
#else
#include <urcu.h>
#endif
#include <urcu-call-rcu.h>
#undef _LGPL_SOURCE

/* liburcu has rcu_read_lock(), rcu_dereference(), rcu_assign_pointer(), synchronize_rcu(), ... */

#define rcu_dereference_protected(p, c)          \
	({                                       \
		assert(c);                       \
		(__typeof__(*(p)) __force *)(p); \
	})

#define rcu_dereference_check(p, c) rcu_dereference(p)
#define rcu_access_pointer(p)	    ((__typeof__(*(p)) __force *)READ_ONCE(p))

#define rcu_replace_pointer(rcu_ptr, ptr, c)                                  \
	({                                                                    \
		__typeof__(ptr) old_ = rcu_dereference_protected(rcu_ptr, c); \
		rcu_assign_pointer(rcu_ptr, ptr);                             \
		old_;                                                         \
	})

#define RCU_INIT_POINTER(p, v)    \
	do {                      \
		WRITE_ONCE(p, v); \
	} while (0)

/* Free the block at @p, if any, once all readers of now have ended. */
void standin_kvfree_rcu(void *p);

#define kvfree_rcu_mightsleep(p) standin_kvfree_rcu(p)

#endif
