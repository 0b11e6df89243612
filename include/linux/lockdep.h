/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: an assertion that really looks at the lock. */
#ifndef STANDIN_LINUX_LOCKDEP_H
#define STANDIN_LINUX_LOCKDEP_H

#include <assert.h>
#include <linux/mutex.h>

#define lockdep_is_held(lock)	  mutex_is_locked(lock)
#define lockdep_assert_held(lock) assert(lockdep_is_held(lock))

#endif
