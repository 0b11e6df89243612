// SPDX-License-Identifier: GPL-2.0
/*
 * From an instruction's address to the function it belongs to.
 *
 * DWARF describes a function and everything inlined into it as a tree of address ranges.  At open
 * the trees of all compilation units are flattened into one sorted array of boundaries, in which
 * the deepest entry covering an address has won; a lookup is then a binary search.  The symbol
 * table goes through the same mill, and lends its names where DWARF is silent (assembly, mostly).
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attrib.h"

/* [lo, hi) belongs to function id, unless a span of higher rank covers the address too. */
struct span {
	uint64_t lo;
	uint64_t hi;
	uint32_t rank;
	uint32_t id;
};

/* From lo up to the next boundary everything belongs to id, or to nobody. */
struct boundary {
	uint64_t lo;
	uint32_t id;
};

/* Offset of a DIE to function id. */
struct memo {
	uint64_t key;
	uint32_t id;
};

struct view {
	struct attrib_func *funcs;
	uint32_t nr_funcs;
	struct span *spans;
	size_t nr_spans;
	struct boundary *map;
	size_t nr_map;
	/* open addressing over funcs by (name, file) */
	uint32_t *hash;
	uint32_t hash_size;
};

struct symbol {
	const char *name;
	uint64_t start;
	uint64_t size;
	uint64_t end; /* of its section */
	bool func;
	bool global;
};

struct attrib {
	int fd;
	Elf *elf;
	Dwarf *dw;
	attrib_owner_t owner;
	struct view view[ATTRIB_VIEWS];
	struct symbol *syms;
	size_t nr_syms;
	struct memo *memo;
	size_t memo_size;
	size_t memo_used;
};

/* A plugin has no way to go on without memory, and QEMU itself ends on that too. */
static void *grow(void *p, size_t nr, size_t size)
{
	/* Doubling at each power of two keeps the callers free of a capacity field. */
	if (nr & (nr - 1))
		return p;
	p = reallocarray(p, nr ? 2 * nr : 1, size);
	if (!p) {
		fprintf(stderr, "blkprof: out of memory\n");
		exit(1);
	}
	return p;
}

static void *zalloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size);

	if (!p) {
		fprintf(stderr, "blkprof: out of memory\n");
		exit(1);
	}
	return p;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9e3779b97f4a7c15ULL;
	return x ^ (x >> 29);
}

static uint64_t hash_string(uint64_t h, const char *s)
{
	while (*s)
		h = mix(h + (unsigned char)*s++);
	return h;
}

/* "/a/b/block/blk-core.c" and "block/blk-core.c" are one file to us. */
static const char *short_path(const char *path)
{
	const char *p = path + strlen(path);
	int parts = 0;

	while (p > path) {
		if (p[-1] == '/' && ++parts == 2)
			break;
		p--;
	}
	/* "./kernel.c" is how the path of a file in the top directory ends up */
	return strncmp(p, "./", 2) ? p : p + 2;
}

static void rehash(struct view *v)
{
	uint32_t i, slot;

	free(v->hash);
	v->hash_size = v->hash_size ? 2 * v->hash_size : 1024;
	v->hash = zalloc(v->hash_size, sizeof(*v->hash));
	for (i = 0; i < v->nr_funcs; i++) {
		slot = (uint32_t)hash_string(hash_string(0, v->funcs[i].name), v->funcs[i].file);
		for (slot &= v->hash_size - 1; v->hash[slot];)
			slot = (slot + 1) & (v->hash_size - 1);
		v->hash[slot] = i + 1;
	}
}

/*
 * The strings belong to the ELF file, which stays open as long as we do.  The same inline function
 * is described once in every unit that includes its header: all of these are one function here.
 */
static uint32_t func_id(struct view *v, const char *name, const char *file)
{
	uint32_t slot;

	if (2 * v->nr_funcs >= v->hash_size)
		rehash(v);
	slot = (uint32_t)hash_string(hash_string(0, name), file);
	for (slot &= v->hash_size - 1; v->hash[slot]; slot = (slot + 1) & (v->hash_size - 1)) {
		const struct attrib_func *f = &v->funcs[v->hash[slot] - 1];

		if (!strcmp(f->name, name) && !strcmp(f->file, file))
			return v->hash[slot] - 1;
	}
	v->funcs = grow(v->funcs, v->nr_funcs, sizeof(*v->funcs));
	v->funcs[v->nr_funcs] = (struct attrib_func){.name = name, .file = file};
	v->hash[slot] = ++v->nr_funcs;
	return v->nr_funcs - 1;
}

static void add_span(struct view *v, uint64_t lo, uint64_t hi, uint32_t rank, uint32_t id)
{
	/* Address 0 is where the linker leaves the ranges of discarded sections. */
	if (lo >= hi || !lo)
		return;
	v->spans = grow(v->spans, v->nr_spans, sizeof(*v->spans));
	v->spans[v->nr_spans++] = (struct span){.lo = lo, .hi = hi, .rank = rank, .id = id};
}

static int cmp_span(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->hi != y->hi)
		return x->hi > y->hi ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void put_boundary(struct view *v, uint64_t lo, uint32_t id)
{
	if (v->nr_map && v->map[v->nr_map - 1].lo == lo)
		v->nr_map--;
	if (v->nr_map && v->map[v->nr_map - 1].id == id)
		return;
	v->map = grow(v->map, v->nr_map, sizeof(*v->map));
	v->map[v->nr_map++] = (struct boundary){.lo = lo, .id = id};
}

/*
 * Sweep over the spans in address order.  The open ones (few: the depth of inlining) are kept in an
 * array; whenever one opens or closes, the open one of highest rank owns what follows.
 */
static void flatten(struct view *v)
{
	struct span *open = NULL;
	size_t nr_open = 0, room = 0, i = 0, j, best;
	uint64_t at;

	qsort(v->spans, v->nr_spans, sizeof(*v->spans), cmp_span);
	while (i < v->nr_spans || nr_open) {
		at = i < v->nr_spans ? v->spans[i].lo : UINT64_MAX;
		for (j = 0; j < nr_open; j++)
			if (open[j].hi < at)
				at = open[j].hi;
		for (j = 0; j < nr_open;)
			if (open[j].hi <= at)
				open[j] = open[--nr_open];
			else
				j++;
		for (; i < v->nr_spans && v->spans[i].lo == at; i++) {
			if (nr_open == room) {
				room = room ? 2 * room : 64;
				open = reallocarray(open, room, sizeof(*open));
				if (!open) {
					fprintf(stderr, "blkprof: out of memory\n");
					exit(1);
				}
			}
			open[nr_open++] = v->spans[i];
		}
		for (best = 0, j = 1; j < nr_open; j++)
			if (open[j].rank > open[best].rank || (open[j].rank == open[best].rank &&
							       cmp_span(&open[j], &open[best]) > 0))
				best = j;
		put_boundary(v, at, nr_open ? open[best].id : ATTRIB_NONE);
	}
	free(open);
	free(v->spans);
	v->spans = NULL;
	v->nr_spans = 0;
}

static uint32_t map_lookup(const struct view *v, uint64_t pc)
{
	size_t lo = 0, hi = v->nr_map;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->map[mid].lo <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? v->map[lo - 1].id : ATTRIB_NONE;
}

static struct memo *memo_slot(struct attrib *a, uint64_t key)
{
	size_t slot;

	if (2 * a->memo_used >= a->memo_size) {
		struct memo *old = a->memo;
		size_t n = a->memo_size, i;

		a->memo_size = n ? 2 * n : 4096;
		a->memo = zalloc(a->memo_size, sizeof(*a->memo));
		for (i = 0; i < n; i++)
			if (old[i].key)
				*memo_slot(a, old[i].key) = old[i];
		free(old);
	}
	for (slot = mix(key) & (a->memo_size - 1); a->memo[slot].key && a->memo[slot].key != key;)
		slot = (slot + 1) & (a->memo_size - 1);
	return &a->memo[slot];
}

/*
 * The name and the file of an inlined copy stand in the entry it refers to.  Reading the file needs
 * the line table of that unit, so every origin is resolved only once.
 */
static uint32_t die_func(struct attrib *a, Dwarf_Die *die)
{
	Dwarf_Die origin = *die;
	Dwarf_Attribute attr;
	struct memo *m;
	const char *name, *file;

	while (dwarf_attr(&origin, DW_AT_abstract_origin, &attr) ||
	       dwarf_attr(&origin, DW_AT_specification, &attr))
		if (!dwarf_formref_die(&attr, &origin))
			return ATTRIB_NONE;
	m = memo_slot(a, dwarf_dieoffset(&origin));
	if (m->key)
		return m->id;
	m->key = dwarf_dieoffset(&origin);
	a->memo_used++;
	name = dwarf_diename(&origin);
	file = dwarf_decl_file(&origin);
	m->id = name ? func_id(&a->view[ATTRIB_INLINE], name, file ? short_path(file) : "")
		     : ATTRIB_NONE;
	return m->id;
}

static void walk(struct attrib *a, Dwarf_Die *die, uint32_t depth, bool owned)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
			struct view *v = &a->view[ATTRIB_INLINE];
			Dwarf_Addr base, lo, hi;
			uint32_t id = ATTRIB_NONE;
			ptrdiff_t off = 0;
			bool owner = false;

			while ((off = dwarf_ranges(&child, off, &base, &lo, &hi)) > 0) {
				if (id == ATTRIB_NONE) {
					id = die_func(a, &child);
					if (id == ATTRIB_NONE)
						break;
					owner = a->owner && a->owner(v->funcs[id].name);
				}
				if (owner || !owned)
					add_span(v, lo, hi, depth, id);
			}
			/* a function never emitted has no ranges, nor has anything below it */
			if (id != ATTRIB_NONE)
				walk(a, &child, depth + 1, owned || owner);
		} else if (tag == DW_TAG_lexical_block) {
			walk(a, &child, depth, owned);
		}
	} while (!dwarf_siblingof(&child, &child));
}

static int cmp_symbol(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->func != y->func)
		return x->func ? 1 : -1;
	if (x->global != y->global)
		return x->global ? 1 : -1;
	return -strcmp(x->name, y->name);
}

/* A label without a size reaches up to its neighbour, at most to the end of its section. */
static void size_labels(struct attrib *a)
{
	uint64_t next = UINT64_MAX, at = UINT64_MAX;
	size_t i;

	for (i = a->nr_syms; i-- > 0;) {
		struct symbol *s = &a->syms[i];

		if (s->start != at) {
			next = at;
			at = s->start;
		}
		if (!s->size && s->end > s->start)
			s->size = (next < s->end ? next : s->end) - s->start;
	}
}

static int read_symbols(struct attrib *a)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr, text;
	size_t i, n;

	while ((scn = elf_nextscn(a->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		n = data && shdr.sh_entsize ? shdr.sh_size / shdr.sh_entsize : 0;
		for (i = 0; i < n; i++) {
			const char *name;
			struct symbol *s;
			GElf_Sym sym;
			int type;

			if (!gelf_getsym(data, (int)i, &sym))
				continue;
			type = GELF_ST_TYPE(sym.st_info);
			name = elf_strptr(a->elf, shdr.sh_link, sym.st_name);
			if ((type != STT_FUNC && type != STT_NOTYPE) || !name || !*name ||
			    sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE)
				continue;
			if (!gelf_getshdr(elf_getscn(a->elf, sym.st_shndx), &text) ||
			    !(text.sh_flags & SHF_EXECINSTR))
				continue;
			a->syms = grow(a->syms, a->nr_syms, sizeof(*a->syms));
			s = &a->syms[a->nr_syms++];
			s->name = name;
			s->start = sym.st_value;
			s->func = type == STT_FUNC;
			s->global = GELF_ST_BIND(sym.st_info) != STB_LOCAL;
			s->size = sym.st_size;
			s->end = text.sh_addr + text.sh_size;
		}
	}
	if (!a->nr_syms)
		return -ENOENT;

	qsort(a->syms, a->nr_syms, sizeof(*a->syms), cmp_symbol);
	size_labels(a);
	for (i = 0; i < a->nr_syms; i++) {
		struct view *v = &a->view[ATTRIB_SYMBOL];
		const struct symbol *s = &a->syms[i];

		/*
		 * Labels inside a function lose to it, however they lie.  Among equals the one that
		 * starts last wins, and of several names for one place the last in sort order.
		 */
		add_span(v, s->start, s->start + s->size, s->func, func_id(v, s->name, ""));
	}
	return 0;
}

/* What DWARF left open goes to the symbol there: the lowest rank in the view by source. */
static void symbols_below_dwarf(struct attrib *a)
{
	const struct view *sym = &a->view[ATTRIB_SYMBOL];
	struct view *v = &a->view[ATTRIB_INLINE];
	size_t i;

	for (i = 0; i + 1 < sym->nr_map; i++) {
		uint32_t id = sym->map[i].id;

		if (id != ATTRIB_NONE)
			add_span(v, sym->map[i].lo, sym->map[i + 1].lo, 0,
				 func_id(v, sym->funcs[id].name, ""));
	}
}

static struct attrib *fail(struct attrib *a, char *err, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, size, fmt, ap);
	va_end(ap);
	attrib_close(a);
	return NULL;
}

/**
 * attrib_open - read the symbols and the debug information of a program
 * @path: an ELF file linked to fixed addresses, as a vmlinux or a static non-PIE program is
 * @owner: NULL, or says by name whether a function owns what is inlined into it.  Small helpers are
 *	used everywhere; what they cost in a function that is looked at is a cost of that function.
 * @err: why it failed, for the user
 * @err_size: room there
 *
 * Takes about a second for a small kernel.  Not safe against itself in two threads (libdw is not);
 * what it returns is read-only and may be used by any number of threads.
 *
 * Return: the table, to be given to attrib_close(), or NULL.
 */
struct attrib *attrib_open(const char *path, attrib_owner_t owner, char *err, size_t err_size)
{
	struct attrib *a = zalloc(1, sizeof(*a));
	Dwarf_CU *cu = NULL;
	GElf_Ehdr ehdr;
	Dwarf_Die die;

	a->owner = owner;
	elf_version(EV_CURRENT);
	a->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (a->fd < 0)
		return fail(a, err, err_size, "%s: %s", path, strerror(errno));
	a->elf = elf_begin(a->fd, ELF_C_READ_MMAP, NULL);
	if (!a->elf || !gelf_getehdr(a->elf, &ehdr))
		return fail(a, err, err_size, "%s: not an ELF file", path);
	if (ehdr.e_type != ET_EXEC)
		return fail(
			a, err, err_size,
			"%s: not linked to fixed addresses; a vmlinux or a static non-PIE program is needed",
			path);
	if (read_symbols(a))
		return fail(a, err, err_size, "%s: has no symbol table; was it stripped?", path);
	a->dw = dwarf_begin_elf(a->elf, DWARF_C_READ, NULL);
	if (!a->dw)
		return fail(a, err, err_size, "%s: no debug information (CONFIG_DEBUG_INFO): %s",
			    path, dwarf_errmsg(-1));

	flatten(&a->view[ATTRIB_SYMBOL]);
	symbols_below_dwarf(a);
	while (!dwarf_get_units(a->dw, cu, &cu, NULL, NULL, &die, NULL))
		walk(a, &die, 1, false);
	flatten(&a->view[ATTRIB_INLINE]);
	return a;
}

/**
 * attrib_close - give everything back, names included
 * @a: from attrib_open(), or NULL
 */
void attrib_close(struct attrib *a)
{
	int i;

	if (!a)
		return;
	for (i = 0; i < ATTRIB_VIEWS; i++) {
		free(a->view[i].funcs);
		free(a->view[i].spans);
		free(a->view[i].map);
		free(a->view[i].hash);
	}
	free(a->syms);
	free(a->memo);
	if (a->dw)
		dwarf_end(a->dw);
	if (a->elf)
		elf_end(a->elf);
	if (a->fd >= 0)
		close(a->fd);
	free(a);
}

/**
 * attrib_lookup - whose instruction is it?
 * @a: the table
 * @view: by source or by symbol
 * @pc: address of the instruction
 *
 * Return: a function's number, stable for one file, below attrib_count(); ATTRIB_NONE outside of
 * the program.
 */
uint32_t attrib_lookup(const struct attrib *a, enum attrib_view view, uint64_t pc)
{
	return map_lookup(&a->view[view], pc);
}

/**
 * attrib_count - how many functions a view knows
 * @a: the table
 * @view: by source or by symbol
 *
 * Return: the number; the functions are numbered from 0.
 */
uint32_t attrib_count(const struct attrib *a, enum attrib_view view)
{
	return a->view[view].nr_funcs;
}

/**
 * attrib_func - name and file of a function
 * @a: the table
 * @view: by source or by symbol
 * @id: a number from attrib_lookup()
 *
 * Return: the function; it lives as long as the table.
 */
const struct attrib_func *attrib_func(const struct attrib *a, enum attrib_view view, uint32_t id)
{
	return &a->view[view].funcs[id];
}

/**
 * attrib_address - where a function of this name lies
 * @a: the table
 * @symbol: name in the symbol table
 * @start: first address
 * @size: bytes; up to the section's end for a symbol without a size
 *
 * Return: 0, or -ENOENT when there is none, or -EEXIST when several functions have that name.
 */
int attrib_address(const struct attrib *a, const char *symbol, uint64_t *start, uint64_t *size)
{
	const struct symbol *found = NULL;
	size_t i;

	for (i = 0; i < a->nr_syms; i++) {
		if (strcmp(a->syms[i].name, symbol))
			continue;
		if (found && found->start != a->syms[i].start)
			return -EEXIST;
		found = &a->syms[i];
	}
	if (!found)
		return -ENOENT;
	*start = found->start;
	*size = found->size;
	return 0;
}

/**
 * attrib_bytes - what the file holds at an address
 * @a: the table
 * @vaddr: first address
 * @buf: for @len bytes
 * @len: how many
 *
 * Return: 0, or -ENOENT when the file has no such bytes in one section.
 */
int attrib_bytes(const struct attrib *a, uint64_t vaddr, void *buf, size_t len)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(a->elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
		    !(shdr.sh_flags & SHF_ALLOC) || vaddr < shdr.sh_addr ||
		    vaddr + len > shdr.sh_addr + shdr.sh_size)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || data->d_size < shdr.sh_size)
			return -ENOENT;
		memcpy(buf, (const char *)data->d_buf + (vaddr - shdr.sh_addr), len);
		return 0;
	}
	return -ENOENT;
}
