// SPDX-License-Identifier: GPL-2.0
/* A model of a data cache, and the record of which lines were touched by whom. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

/**
 * cache_init - make an empty cache
 * @c: to be filled in
 * @size: bytes
 * @ways: lines a set, 1 for direct mapped
 *
 * Return: 0; -EINVAL when @size is not @ways times a power of two of lines; -ENOMEM.
 */
int cache_init(struct cache *c, uint64_t size, uint32_t ways)
{
	uint64_t way = (uint64_t)ways << CACHE_LINE_SHIFT;
	uint64_t sets = way ? size / way : 0;

	if (!sets || sets * way != size || (sets & (sets - 1)) || sets > UINT32_MAX)
		return -EINVAL;
	c->tags = calloc(sets * ways, sizeof(*c->tags));
	if (!c->tags)
		return -ENOMEM;
	c->sets = (uint32_t)sets;
	c->ways = ways;
	return 0;
}

/**
 * cache_free - give the memory back
 * @c: from cache_init()
 */
void cache_free(struct cache *c)
{
	free(c->tags);
	c->tags = NULL;
}

/**
 * cache_clear - forget every line
 * @c: from cache_init()
 */
void cache_clear(struct cache *c)
{
	memset(c->tags, 0, (size_t)c->sets * c->ways * sizeof(*c->tags));
}

/**
 * cache_parse - read a geometry as the user writes it
 * @text: size and ways, "32K:8" or "1M:16"; the size in bytes without a K or M behind it
 * @size: bytes
 * @ways: lines a set
 *
 * Return: 0, or -EINVAL when that is not the form or no such cache can be.
 */
int cache_parse(const char *text, uint64_t *size, uint32_t *ways)
{
	struct cache c;
	unsigned long long n, w;
	char *end;
	int err;

	errno = 0;
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	n = strtoull(text, &end, 10);
	if (*end == 'K' || *end == 'M')
		n <<= *end++ == 'K' ? 10 : 20;
	if (*end++ != ':' || !isdigit((unsigned char)*end))
		return -EINVAL;
	w = strtoull(end, &end, 10);
	if (*end || errno || n > 1ULL << 32 || !w || w > 1024)
		return -EINVAL;
	err = cache_init(&c, n, (uint32_t)w);
	if (err)
		return err;
	cache_free(&c);
	*size = n;
	*ways = (uint32_t)w;
	return 0;
}

/**
 * lines_init - make an empty record
 * @l: to be filled in
 *
 * Return: 0 or -ENOMEM.
 */
int lines_init(struct lines *l)
{
	memset(l, 0, sizeof(*l));
	l->mask = (1U << 16) - 1;
	l->slots = calloc(l->mask + 1, sizeof(*l->slots));
	return l->slots ? 0 : -ENOMEM;
}

/**
 * lines_free - give the memory back
 * @l: from lines_init()
 */
void lines_free(struct lines *l)
{
	free(l->slots);
	l->slots = NULL;
}

/**
 * lines_clear - forget every line
 * @l: from lines_init()
 */
void lines_clear(struct lines *l)
{
	memset(l->recent, 0, sizeof(l->recent));
	memset(l->slots, 0, (l->mask + 1) * sizeof(*l->slots));
	l->used = 0;
}

static struct line_slot *find(const struct lines *l, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15ULL;
	size_t i;

	for (i = (h ^ (h >> 32)) & l->mask; l->slots[i].key && l->slots[i].key != key;)
		i = (i + 1) & l->mask;
	return &l->slots[i];
}

static void enlarge(struct lines *l)
{
	struct line_slot *old = l->slots;
	size_t i, nr = l->mask + 1;

	l->mask = 2 * nr - 1;
	l->slots = calloc(2 * nr, sizeof(*l->slots));
	if (!l->slots) {
		fprintf(stderr, "blkprof: out of memory\n");
		exit(1);
	}
	for (i = 0; i < nr; i++)
		if (old[i].key)
			*find(l, old[i].key) = old[i];
	free(old);
}

/**
 * lines_touch_slot - lines_touch() for what is not among the recent ones
 * @l: the record
 * @key: from lines_key()
 * @io: number of the current I/O
 *
 * Return: as lines_touch().
 */
enum lines_seen lines_touch_slot(struct lines *l, uint64_t key, uint64_t io)
{
	struct line_slot *s = find(l, key);

	if (s->key) {
		if (s->io == io)
			return LINES_AGAIN;
		s->io = io;
		return LINES_NEW_IO;
	}
	*s = (struct line_slot){.key = key, .io = io};
	if (++l->used > l->mask / 2)
		enlarge(l);
	return LINES_NEW;
}
