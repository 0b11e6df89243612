/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: a mutex of the threads library, and whether it is taken. */
#ifndef STANDIN_LINUX_MUTEX_H
#define STANDIN_LINUX_MUTEX_H

#include <pthread.h>
#include <linux/types.h>

struct mutex {
	pthread_mutex_t lock;
	bool held;
};

static inline void mutex_init(struct mutex *m)
{
	pthread_mutex_init(&m->lock, NULL);
	m->held = false;
}

static inline void mutex_destroy(struct mutex *m)
{
	pthread_mutex_destroy(&m->lock);
}

static inline void mutex_lock(struct mutex *m)
{
	pthread_mutex_lock(&m->lock);
	__atomic_store_n(&m->held, true, __ATOMIC_RELAXED);
}

static inline void mutex_unlock(struct mutex *m)
{
	__atomic_store_n(&m->held, false, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&m->lock);
}

static inline bool mutex_is_locked(struct mutex *m)
{
	return __atomic_load_n(&m->held, __ATOMIC_RELAXED);
}

#endif
