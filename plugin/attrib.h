/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PARTSTATS_ATTRIB_H
#define PARTSTATS_ATTRIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum attrib_view - two answers to "whose instruction is this?"
 * @ATTRIB_INLINE: the function whose source the instruction comes from, however deep it was
 *inlined; only an owner (see attrib_open()) keeps what is inlined into it
 * @ATTRIB_SYMBOL: the symbol that contains it, as a profiler without debug information would say
 */
enum attrib_view {
	ATTRIB_INLINE,
	ATTRIB_SYMBOL,
	ATTRIB_VIEWS
};

#define ATTRIB_NONE UINT32_MAX

/**
 * struct attrib_func - one function of a view
 * @name: as in the source; a symbol's name where there is no source
 * @file: the last two parts of the path of its source file, "" when unknown.  The whole path would
 *	make results differ between two copies of one tree.
 */
struct attrib_func {
	const char *name;
	const char *file;
};

struct attrib;

typedef bool (*attrib_owner_t)(const char *name);

struct attrib *attrib_open(const char *path, attrib_owner_t owner, char *err, size_t err_size);
void attrib_close(struct attrib *a);
uint32_t attrib_lookup(const struct attrib *a, enum attrib_view view, uint64_t pc);
uint32_t attrib_count(const struct attrib *a, enum attrib_view view);
const struct attrib_func *attrib_func(const struct attrib *a, enum attrib_view view, uint32_t id);
int attrib_address(const struct attrib *a, const char *symbol, uint64_t *start, uint64_t *size);
int attrib_bytes(const struct attrib *a, uint64_t vaddr, void *buf, size_t len);

#endif
