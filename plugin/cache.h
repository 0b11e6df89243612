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

/* A line that some function touched, and when last: the key is lines_key() of the two. */
struct line_slot {
	uint64_t key;
	uint64_t io;
};

#define LINES_RECENT 1024

/**
 * struct lines - which lines each function touched, ever and in the current I/O
 * @recent: a few pairs touched lately, in a table small enough to stay in the host's cache
 * @slots: all pairs, open addressing
 * @mask: number of slots minus one
 * @used: pairs of function and line seen
 */
struct lines {
	struct line_slot recent[LINES_RECENT];
	struct line_slot *slots;
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
enum lines_seen lines_touch_slot(struct lines *l, uint64_t key, uint64_t io);

/* Never 0, which is the key of an empty slot. */
static inline uint64_t lines_key(uint32_t func, uint64_t line)
{
	return ((uint64_t)func << LINES_FUNC_SHIFT | (line & ((1ULL << LINES_FUNC_SHIFT) - 1))) + 1;
}

/**
 * lines_touch - note that a function touched a line
 * @l: the record; it grows without limit, 16 bytes a pair and as much air
 * @func: below LINES_FUNC_MAX
 * @line: address >> CACHE_LINE_SHIFT, of which the 42 lower bits count
 * @io: number of the current I/O, never falling
 *
 * Return: whether it had been touched in this I/O, or ever.
 */
static inline enum lines_seen lines_touch(struct lines *l, uint32_t func, uint64_t line,
					  uint64_t io)
{
	uint64_t key = lines_key(func, line);
	struct line_slot *r = &l->recent[(key ^ key >> LINES_FUNC_SHIFT) & (LINES_RECENT - 1)];

	if (r->key == key && r->io == io)
		return LINES_AGAIN;
	*r = (struct line_slot){.key = key, .io = io};
	return lines_touch_slot(l, key, io);
}

#endif
