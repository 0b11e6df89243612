/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PARTSTATS_CACHE_H
#define PARTSTATS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE_SHIFT 6

/**
 * struct cache - tags of one set-associative cache with true LRU replacement
 * @tags: @ways tags a set, the most recently used first; a tag is the line's number plus one
 * @sets: a power of two
 * @ways: lines a set
 *
 * Data only, no timing.  A store allocates like a load, nothing is prefetched, nobody else
 * invalidates: the simplest cache that still tells a large working set from a small one.
 */
struct cache {
	uint64_t *tags;
	uint32_t sets;
	uint32_t ways;
};

int cache_init(struct cache *c, uint64_t size, uint32_t ways);
void cache_free(struct cache *c);
void cache_clear(struct cache *c);
int cache_parse(const char *text, uint64_t *size, uint32_t *ways);

/**
 * cache_touch - one access
 * @c: the cache
 * @line: address >> CACHE_LINE_SHIFT
 *
 * Return: true for a hit.  After a miss the line is in, and the least recently used of its set is
 * out.
 */
static inline bool cache_touch(struct cache *c, uint64_t line)
{
	uint64_t *set = c->tags + (size_t)(line & (c->sets - 1)) * c->ways;
	uint64_t tag = line + 1, keep = set[0], next;
	uint32_t i;

	if (keep == tag)
		return true;
	/* push down until the tag's old place, or the end, is reached */
	set[0] = tag;
	for (i = 1; i < c->ways; i++) {
		next = set[i];
		set[i] = keep;
		if (next == tag)
			return true;
		keep = next;
	}
	return false;
}

/**
 * struct lines - which lines each function touched, ever and in the current I/O
 * @slots: open addressing
 * @mask: number of slots minus one
 * @used: pairs of function and line seen
 */
struct lines {
	struct line_slot {
		uint64_t key;
		uint64_t io;
	} * slots;
	size_t mask;
	size_t used;
};

enum lines_seen {
	LINES_AGAIN,  /* in this I/O already */
	LINES_NEW_IO, /* for the first time in this I/O */
	LINES_NEW,    /* for the first time at all */
};

/* 42 bits hold the line of any canonical 48-bit address, which leaves the rest to the function. */
#define LINES_FUNC_SHIFT 42
#define LINES_FUNC_MAX	 ((1U << (64 - LINES_FUNC_SHIFT)) - 1)

int lines_init(struct lines *l);
void lines_free(struct lines *l);
void lines_clear(struct lines *l);
enum lines_seen lines_touch(struct lines *l, uint32_t func, uint64_t line, uint64_t io);

#endif
