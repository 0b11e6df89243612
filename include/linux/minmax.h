/* SPDX-License-Identifier: GPL-2.0 */
/* Userspace stand-in: smaller and larger, each argument evaluated once. */
#ifndef STANDIN_LINUX_MINMAX_H
#define STANDIN_LINUX_MINMAX_H

#define min_t(type, a, b)          \
	({                         \
		type a_ = (a);     \
		type b_ = (b);     \
		a_ < b_ ? a_ : b_; \
	})
#define max_t(type, a, b)          \
	({                         \
		type a_ = (a);     \
		type b_ = (b);     \
		a_ > b_ ? a_ : b_; \
	})

/* Comparing the addresses makes the compiler complain about arguments of different types. */
#define min(a, b)                                  \
	({                                         \
		__typeof__(a) min_a_ = (a);        \
		__typeof__(b) min_b_ = (b);        \
		(void)(&min_a_ == &min_b_);        \
		min_a_ < min_b_ ? min_a_ : min_b_; \
	})
#define max(a, b)                                  \
	({                                         \
		__typeof__(a) max_a_ = (a);        \
		__typeof__(b) max_b_ = (b);        \
		(void)(&max_a_ == &max_b_);        \
		max_a_ > max_b_ ? max_a_ : max_b_; \
	})

#endif
