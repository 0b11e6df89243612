// SPDX-License-Identifier: GPL-2.0
/*
 * blkprof: a TCG plugin that counts every instruction of a guest, and every memory access if asked,
 * between two marks, and says which function each belongs to.
 *
 * QEMU adds to a counter of ours with each instruction, in the translated code itself; nothing is
 * called, nothing is locked.  What an address means is looked up when the guest has ended.  Memory
 * accesses do call us, and there the function is part of the registration.
 *
 * With several vCPUs QEMU's inline addition would race, so they get a callback per block and
 * counters of their own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attrib.h"
#include "cache.h"
#include "qemu-api.h"

QEMU_EXPORT int qemu_plugin_version = BLKPROF_API_VERSION;

/* Address space for counters, a vCPU; pages never touched cost nothing. */
#define MAX_RUNS (1U << 24)

/* Rows that are no function; they follow the functions in the numbering of each view. */
enum row_kind {
	ROW_USER,
	ROW_IDLE,
	ROW_IRQ,
	ROW_UNKNOWN,
	ROW_KINDS,
	ROW_FUNC = ROW_KINDS
};

static const char *const row_names[] = {
	[ROW_USER] = "user mode",      [ROW_IDLE] = "idle",
	[ROW_IRQ] = "interrupt entry", [ROW_UNKNOWN] = "outside of the kernel image",
	[ROW_FUNC] = "function",
};

/* The words of rows.list for them. */
static const char *const row_words[ROW_KINDS] = {[ROW_IDLE] = "idle", [ROW_IRQ] = "irq"};

/*
 * Instructions that are executed one after the other, of one translation block, and share a
 * counter. User mode of a whole system is one row, so of the address there only the lowest bits are
 * kept. With no bits at all each addition would wait for the one before it.
 */
#define USER_SLOTS 256

struct run {
	uint64_t pc;
	uint32_t nr;
	uint32_t next; /* in its hash chain, plus one */
	uint8_t *len;  /* bytes of each instruction; NULL when there is but one */
};

/* What memory accesses of one function cost. */
struct mem_stat {
	uint64_t loads;
	uint64_t stores;
	uint64_t lines; /* distinct lines of each I/O, summed up over the I/Os */
	uint64_t working_set;
	uint64_t l1_misses;
	uint64_t l2_misses;
};

struct vcpu {
	uint64_t *now;	/* by run: always counting */
	uint64_t *base; /* ... as it was at the begin mark */
	struct mem_stat *mem;
	struct lines lines;
	struct cache l1;
	struct cache l2;
	uint64_t io;
};

/* What was counted from one begin mark to the next end mark, all vCPUs together. */
struct measurement {
	uint64_t *runs;
	uint32_t nr_runs;
	uint64_t *per_vcpu; /* instructions of each */
	uint64_t total;
	struct mem_stat *mem;
};

static struct {
	/* from the command line */
	const char *out;
	char *out_new; /* renamed to out when it is whole */
	FILE *file;
	bool mem;
	bool per_insn;
	bool have_marks;
	uint64_t l1_size, l2_size;
	uint32_t l1_ways, l2_ways;
	const char *io_symbol;

	bool system;
	unsigned int nr_vcpus;
	struct vcpu *vcpu;
	struct attrib *kernel;
	uint32_t rows[ATTRIB_VIEWS]; /* functions and the special rows */
	uint8_t *kind[ATTRIB_VIEWS]; /* enum row_kind of each function */
	bool *in_group;		     /* functions by source only */
	uint32_t group_row;
	const char *group_file;
	char **group;
	size_t nr_group;

	/* the marks and the begin of an I/O; mark bytes are what the program holds there */
	uint64_t mark[2];
	uint8_t mark_code[2][64];
	uint64_t mark_start[2];
	size_t mark_size[2];
	uint64_t io_pc;

	pthread_mutex_t lock; /* protects what follows */
	struct run *runs;
	uint32_t nr_runs;
	uint32_t *hash;
	uint32_t hash_mask;
	struct measurement *done;
	unsigned int nr_done;

	volatile bool counting;
} st = {
	.per_insn = true,
	.have_marks = true,
	.l1_size = 32 << 10,
	.l1_ways = 8,
	.l2_size = 1 << 20,
	.l2_ways = 16,
	.io_symbol = "blk_mq_submit_bio",
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static int complain(const char *fmt, ...)
{
	va_list ap;

	fputs("blkprof: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

static void *must(void *p)
{
	if (!p) {
		complain("out of memory");
		exit(1);
	}
	return p;
}

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return must(p == MAP_FAILED ? NULL : p);
}

/* Which row of a view an instruction belongs to. */
static uint32_t row_of(enum attrib_view view, uint64_t pc)
{
	uint32_t nr = attrib_count(st.kernel, view);
	uint32_t id = attrib_lookup(st.kernel, view, pc), sym;

	if (id == ATTRIB_NONE)
		return nr + (pc >> 63 ? ROW_UNKNOWN : ROW_USER);
	/* The special rows hold the same instructions in both views: the symbol decides first. */
	sym = attrib_lookup(st.kernel, ATTRIB_SYMBOL, pc);
	if (sym != ATTRIB_NONE && st.kind[ATTRIB_SYMBOL][sym] != ROW_FUNC)
		return nr + st.kind[ATTRIB_SYMBOL][sym];
	id = attrib_lookup(st.kernel, ATTRIB_INLINE, pc);
	if (st.kind[ATTRIB_INLINE][id] != ROW_FUNC)
		return nr + st.kind[ATTRIB_INLINE][id];
	return view == ATTRIB_INLINE ? id : attrib_lookup(st.kernel, view, pc);
}

static uint32_t run_hash(uint64_t pc, uint32_t nr)
{
	uint64_t h = (pc * 64 + nr) * 0x9e3779b97f4a7c15ULL;

	return (uint32_t)(h >> 32);
}

static void run_rehash(void)
{
	uint32_t i;

	free(st.hash);
	st.hash_mask = 2 * st.hash_mask + 1;
	st.hash = must(calloc((size_t)st.hash_mask + 1, sizeof(*st.hash)));
	st.runs = must(reallocarray(st.runs, (size_t)st.hash_mask + 1, sizeof(*st.runs)));
	for (i = 0; i < st.nr_runs; i++) {
		uint32_t *head = &st.hash[run_hash(st.runs[i].pc, st.runs[i].nr) & st.hash_mask];

		st.runs[i].next = *head;
		*head = i + 1;
	}
}

/*
 * The number of the counter for these instructions.  Blocks are translated again and again (the
 * cache is flushed, icount asks for a shorter one), so a known run is found again.  The kernel also
 * patches itself: the same address with other instruction lengths is another run.
 */
static uint32_t run_find(uint64_t pc, uint32_t nr, const uint8_t *len)
{
	uint32_t *head, i;
	struct run *r;

	if (nr == 1)
		len = NULL;
	if (st.nr_runs > st.hash_mask || !st.hash)
		run_rehash();
	head = &st.hash[run_hash(pc, nr) & st.hash_mask];
	for (i = *head; i; i = r->next) {
		r = &st.runs[i - 1];
		if (r->pc == pc && r->nr == nr &&
		    (!len || pc < USER_SLOTS || !memcmp(r->len, len, nr)))
			return i - 1;
	}
	if (st.nr_runs == MAX_RUNS) {
		complain("the guest runs more than %u pieces of code", MAX_RUNS);
		exit(1);
	}
	r = &st.runs[st.nr_runs];
	*r = (struct run){.pc = pc, .nr = nr, .next = *head};
	if (len && pc >= USER_SLOTS)
		r->len = memcpy(must(malloc(nr)), len, nr);
	*head = ++st.nr_runs;
	return st.nr_runs - 1;
}

static uint64_t *counter(unsigned int vcpu, uint32_t run)
{
	return st.vcpu[vcpu].now + run;
}

/* userdata is the counter of vCPU 0; the others' lie at equal distances. */
static void on_run(unsigned int vcpu, void *userdata)
{
	uint64_t *c = userdata;

	if (vcpu < st.nr_vcpus)
		c[(size_t)vcpu * MAX_RUNS]++;
}

/*
 * At a mark the counters of this vCPU are exact.  Another vCPU goes on meanwhile, and the few
 * blocks that it executes while we read fall on one side or the other.
 */
static void begin(void)
{
	unsigned int v;

	for (v = 0; v < st.nr_vcpus; v++) {
		struct vcpu *c = &st.vcpu[v];

		memcpy(c->base, c->now, st.nr_runs * sizeof(*c->base));
		if (!st.mem)
			continue;
		/* Each measurement starts cold, so that none depends on the one before it. */
		memset(c->mem, 0, (st.group_row + 1) * sizeof(*c->mem));
		cache_clear(&c->l1);
		cache_clear(&c->l2);
		lines_clear(&c->lines);
		c->io = 0;
	}
	st.counting = true;
}

static void end(void)
{
	struct measurement *m;
	unsigned int v;
	uint32_t i;

	st.counting = false;
	st.done = must(reallocarray(st.done, st.nr_done + 1, sizeof(*st.done)));
	m = &st.done[st.nr_done++];
	m->total = 0;
	m->nr_runs = st.nr_runs;
	m->runs = must(calloc(st.nr_runs + 1, sizeof(*m->runs)));
	m->per_vcpu = must(calloc(st.nr_vcpus, sizeof(*m->per_vcpu)));
	m->mem = st.mem ? must(calloc(st.group_row + 1, sizeof(*m->mem))) : NULL;
	for (v = 0; v < st.nr_vcpus; v++) {
		const struct vcpu *c = &st.vcpu[v];

		for (i = 0; i < st.nr_runs; i++) {
			uint64_t n = c->now[i] - c->base[i];

			m->runs[i] += n;
			m->per_vcpu[v] += n * st.runs[i].nr;
		}
		m->total += m->per_vcpu[v];
		for (i = 0; st.mem && i <= st.group_row; i++) {
			m->mem[i].loads += c->mem[i].loads;
			m->mem[i].stores += c->mem[i].stores;
			m->mem[i].lines += c->mem[i].lines;
			m->mem[i].working_set += c->mem[i].working_set;
			m->mem[i].l1_misses += c->mem[i].l1_misses;
			m->mem[i].l2_misses += c->mem[i].l2_misses;
		}
	}
}

static void on_begin(unsigned int vcpu, void *userdata)
{
	(void)vcpu, (void)userdata;
	pthread_mutex_lock(&st.lock);
	if (st.counting)
		complain("a begin mark after a begin mark: counting starts anew");
	begin();
	pthread_mutex_unlock(&st.lock);
}

static void on_end(unsigned int vcpu, void *userdata)
{
	(void)vcpu, (void)userdata;
	pthread_mutex_lock(&st.lock);
	if (st.counting)
		end();
	else
		complain("an end mark without a begin mark, ignored");
	pthread_mutex_unlock(&st.lock);
}

static void on_io(unsigned int vcpu, void *userdata)
{
	(void)userdata;
	if (st.counting && vcpu < st.nr_vcpus)
		st.vcpu[vcpu].io++;
}

static void touch(struct vcpu *v, struct mem_stat *m, uint32_t row, uint64_t line)
{
	if (!cache_touch(&v->l1, line)) {
		m->l1_misses++;
		if (!cache_touch(&v->l2, line))
			m->l2_misses++;
	}
	switch (lines_touch(&v->lines, row, line, v->io)) {
	case LINES_NEW:
		m->working_set++;
		/* fall through */
	case LINES_NEW_IO:
		m->lines++;
		break;
	case LINES_AGAIN:
		return;
	}
	if (row >= attrib_count(st.kernel, ATTRIB_INLINE) || !st.in_group[row])
		return;
	/* What two functions of the group share counts once for the group. */
	m = &v->mem[st.group_row];
	switch (lines_touch(&v->lines, st.group_row, line, v->io)) {
	case LINES_NEW:
		m->working_set++;
		/* fall through */
	case LINES_NEW_IO:
		m->lines++;
		break;
	case LINES_AGAIN:
		break;
	}
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
	uint32_t row = (uint32_t)(uintptr_t)userdata;
	uint64_t line, last;
	struct mem_stat *m;
	struct vcpu *v;

	if (!st.counting || vcpu >= st.nr_vcpus)
		return;
	v = &st.vcpu[vcpu];
	m = &v->mem[row];
	if (qemu_plugin_mem_is_store(info))
		m->stores++;
	else
		m->loads++;
	line = vaddr >> CACHE_LINE_SHIFT;
	last = (vaddr + (1U << qemu_plugin_mem_size_shift(info)) - 1) >> CACHE_LINE_SHIFT;
	touch(v, m, row, line);
	if (last != line)
		touch(v, m, row, last);
}

/*
 * Another static program may have code at the address of the agent's mark, so the instruction must
 * be the agent's cpuid, and what precedes it in this block must be the agent's too.
 */
static bool is_mark(struct qemu_plugin_tb *tb, size_t at, int which)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, at);
	size_t i;

	if (!st.have_marks || qemu_plugin_insn_vaddr(insn) != st.mark[which])
		return false;
	for (i = 0; i <= at; i++) {
		uint64_t pc, off;
		size_t len;

		insn = qemu_plugin_tb_get_insn(tb, i);
		pc = qemu_plugin_insn_vaddr(insn);
		len = qemu_plugin_insn_size(insn);
		off = pc - st.mark_start[which];
		if (pc < st.mark_start[which])
			continue;
		if (off + len > st.mark_size[which] ||
		    memcmp(qemu_plugin_insn_data(insn), st.mark_code[which] + off, len))
			return false;
	}
	return true;
}

static void count_run(struct qemu_plugin_insn *first, uint64_t pc, uint32_t nr, const uint8_t *len)
{
	uint32_t run;

	if (st.system && !(pc >> 63))
		pc &= USER_SLOTS - 1;
	run = run_find(pc, nr, len);
	if (st.nr_vcpus == 1)
		qemu_plugin_register_vcpu_insn_exec_inline(first, QEMU_PLUGIN_INLINE_ADD_U64,
							   counter(0, run), 1);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(first, on_run, QEMU_PLUGIN_CB_NO_REGS,
						       counter(0, run));
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t nr = qemu_plugin_tb_n_insns(tb), i;
	struct qemu_plugin_insn *first = NULL;
	uint64_t start = 0;
	uint8_t len[512];
	uint32_t n = 0;

	(void)id;
	pthread_mutex_lock(&st.lock);
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);
		bool begin = is_mark(tb, i, 0), end = is_mark(tb, i, 1);

		/* The instructions before a mark and those from it on are counted apart. */
		if (n && (st.per_insn || begin || end || n == sizeof(len))) {
			count_run(first, start, n, len);
			n = 0;
		}
		if (!n) {
			first = insn;
			start = pc;
		}
		len[n++] = (uint8_t)qemu_plugin_insn_size(insn);

		/* QEMU does the callback before it adds: the begin mark itself is counted, the end
		 * not. */
		if (begin)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (end)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_end, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		if (st.io_pc && pc == st.io_pc)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_io, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		if (st.mem)
			qemu_plugin_register_vcpu_mem_cb(
				insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
				(void *)(uintptr_t)row_of(ATTRIB_INLINE, pc));
	}
	if (n)
		count_run(first, start, n, len);
	pthread_mutex_unlock(&st.lock);
}

/* One line of the result. */
struct row {
	uint64_t instructions;
	uint32_t id;
};

static enum attrib_view sort_view;

static const char *row_name(enum attrib_view view, uint32_t id)
{
	uint32_t nr = attrib_count(st.kernel, view);

	return id < nr ? attrib_func(st.kernel, view, id)->name : row_names[id - nr];
}

static const char *row_file(enum attrib_view view, uint32_t id)
{
	return id < attrib_count(st.kernel, view) ? attrib_func(st.kernel, view, id)->file : "";
}

static int cmp_row(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c;

	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	c = strcmp(row_name(sort_view, x->id), row_name(sort_view, y->id));
	return c ? c : strcmp(row_file(sort_view, x->id), row_file(sort_view, y->id));
}

static void put_string(FILE *f, const char *key, const char *s)
{
	fprintf(f, "\"%s\":\"", key);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc((unsigned char)*s < ' ' ? '?' : *s, f);
	}
	fputc('"', f);
}

static void put_mem(FILE *f, const struct mem_stat *m)
{
	fprintf(f,
		",\"loads\":%" PRIu64 ",\"stores\":%" PRIu64 ",\"lines\":%" PRIu64
		",\"working_set_lines\":%" PRIu64 ",\"l1_misses\":%" PRIu64
		",\"l2_misses\":%" PRIu64,
		m->loads, m->stores, m->lines, m->working_set, m->l1_misses, m->l2_misses);
}

static void put_view(FILE *f, const struct measurement *m, enum attrib_view view)
{
	uint32_t nr = attrib_count(st.kernel, view) + ROW_KINDS, i, j;
	struct row *rows = must(calloc(nr, sizeof(*rows)));
	const char *sep = "";

	for (i = 0; i < nr; i++)
		rows[i].id = i;
	for (i = 0; i < m->nr_runs; i++) {
		const struct run *r = &st.runs[i];
		uint64_t n = m->runs[i], pc = r->pc;

		if (!n)
			continue;
		if (pc < USER_SLOTS) {
			rows[attrib_count(st.kernel, view) + ROW_USER].instructions += n * r->nr;
			continue;
		}
		for (j = 0; j < r->nr; j++) {
			rows[row_of(view, pc)].instructions += n;
			pc += r->len ? r->len[j] : 0;
		}
	}
	sort_view = view;
	qsort(rows, nr, sizeof(*rows), cmp_row);
	for (i = 0; i < nr && rows[i].instructions; i++) {
		uint32_t id = rows[i].id, funcs = attrib_count(st.kernel, view);

		fprintf(f, "%s\n  {", sep);
		put_string(f, "name", row_name(view, id));
		fputc(',', f);
		put_string(f, "file", row_file(view, id));
		fputc(',', f);
		put_string(f, "kind", row_names[id < funcs ? ROW_FUNC : id - funcs]);
		fprintf(f, ",\"instructions\":%" PRIu64, rows[i].instructions);
		if (view == ATTRIB_INLINE && st.mem)
			put_mem(f, &m->mem[id]);
		if (view == ATTRIB_INLINE && id < funcs && st.in_group[id])
			fputs(",\"group\":true", f);
		fputc('}', f);
		sep = ",";
	}
	free(rows);
}

static int open_result(void)
{
	if (asprintf(&st.out_new, "%s.new", st.out) < 0)
		must(NULL);
	st.file = fopen(st.out_new, "we");
	return st.file ? 0 : complain("%s: %s", st.out_new, strerror(errno));
}

static void put_measurement(FILE *f, const struct measurement *m)
{
	uint64_t calls = 0;
	unsigned int v;
	uint32_t i;

	for (i = 0; st.io_pc && i < m->nr_runs; i++)
		if (st.runs[i].pc == st.io_pc)
			calls += m->runs[i];
	fprintf(f, " {\n  \"total\":%" PRIu64 ",\n  \"per_vcpu\":[", m->total);
	for (v = 0; v < st.nr_vcpus; v++)
		fprintf(f, "%s%" PRIu64, v ? "," : "", m->per_vcpu[v]);
	fprintf(f, "],\n  \"io_calls\":%" PRIu64 ",\n", calls);
	if (m->mem && st.group_file)
		fprintf(f,
			"  \"group\":{\"lines\":%" PRIu64 ",\"working_set_lines\":%" PRIu64 "},\n",
			m->mem[st.group_row].lines, m->mem[st.group_row].working_set);
	fputs("  \"functions\":[", f);
	put_view(f, m, ATTRIB_INLINE);
	fputs("\n  ],\n  \"symbols\":[", f);
	put_view(f, m, ATTRIB_SYMBOL);
	fputs("\n  ]\n }", f);
}

static void write_result(void)
{
	FILE *f = st.file;
	unsigned int i;

	fprintf(f, "{\n \"vcpus\":%u,\n \"grain\":\"%s\",\n \"memory\":%s,\n ", st.nr_vcpus,
		st.per_insn ? "insn" : "tb", st.mem ? "true" : "false");
	put_string(f, "io_symbol", st.io_pc ? st.io_symbol : "");
	if (st.mem) {
		fprintf(f, ",\n \"l1\":{\"bytes\":%" PRIu64 ",\"ways\":%u}", st.l1_size,
			st.l1_ways);
		fprintf(f, ",\n \"l2\":{\"bytes\":%" PRIu64 ",\"ways\":%u}", st.l2_size,
			st.l2_ways);
	}
	fputs(",\n \"measurements\":[\n", f);
	for (i = 0; i < st.nr_done; i++) {
		put_measurement(f, &st.done[i]);
		fputs(i + 1 < st.nr_done ? ",\n" : "\n", f);
	}
	fputs(" ]\n}\n", f);
	if (ferror(f) | fclose(f) || rename(st.out_new, st.out)) {
		complain("%s: %s", st.out, strerror(errno));
		unlink(st.out_new);
	}
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *userdata)
{
	(void)id, (void)userdata;
	if (!st.have_marks)
		end();
	else if (st.counting)
		complain("a begin mark without an end mark: that measurement is left out");
	write_result();
}

static void on_vcpu(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	if (vcpu >= st.nr_vcpus) {
		complain("CPU %u appeared, but only %u were announced (a program with threads?)",
			 vcpu, st.nr_vcpus);
		exit(1);
	}
}

static bool is_group(const char *name)
{
	size_t i;

	for (i = 0; i < st.nr_group; i++)
		if (!strcmp(st.group[i], name))
			return true;
	return false;
}

/*
 * rows.list: "idle PATTERN" or "irq PATTERN" a line, a shell pattern for the function's name.
 * The group's list is the same with one name a line and no word before it.
 */
static int read_list(const char *path, bool group)
{
	char *line = NULL, *word, *name, *save;
	size_t room = 0;
	unsigned int lineno = 0;
	int ret = 0, view;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return complain("%s: %s", path, strerror(errno));
	while (!ret && getline(&line, &room, f) > 0) {
		uint8_t kind;
		uint32_t i;

		lineno++;
		line[strcspn(line, "#\n")] = '\0';
		word = strtok_r(line, " \t", &save);
		if (!word)
			continue;
		name = group ? word : strtok_r(NULL, " \t", &save);
		for (kind = 0; !group && kind < ROW_KINDS; kind++)
			if (row_words[kind] && !strcmp(row_words[kind], word))
				break;
		if (!name || strtok_r(NULL, " \t", &save) || kind == ROW_KINDS) {
			ret = complain("%s:%u: expected %s", path, lineno,
				       group ? "one function name"
					     : "'idle' or 'irq' and a pattern for function names");
			break;
		}
		if (group) {
			st.group = must(reallocarray(st.group, st.nr_group + 1, sizeof(*st.group)));
			st.group[st.nr_group++] = must(strdup(name));
			continue;
		}
		for (view = 0; view < ATTRIB_VIEWS; view++)
			for (i = 0; i < attrib_count(st.kernel, view); i++)
				if (!fnmatch(name, attrib_func(st.kernel, view, i)->name, 0))
					st.kind[view][i] = kind;
	}
	free(line);
	fclose(f);
	return ret;
}

static int read_mark(const struct attrib *agent, const char *path, const char *symbol, int which)
{
	uint64_t start, size, i;
	int err;

	err = attrib_address(agent, symbol, &start, &size);
	if (err)
		return complain("%s: %s function %s", path, err == -EEXIST ? "more than one" : "no",
				symbol);
	if (size > sizeof(st.mark_code[0]))
		size = sizeof(st.mark_code[0]);
	if (attrib_bytes(agent, start, st.mark_code[which], size))
		return complain("%s: %s has no code in the file", path, symbol);
	for (i = 0; i + 1 < size; i++)
		if (st.mark_code[which][i] == 0x0f && st.mark_code[which][i + 1] == 0xa2)
			break;
	if (i + 1 >= size)
		return complain("%s: %s holds no cpuid instruction", path, symbol);
	st.mark[which] = start + i;
	st.mark_start[which] = start;
	st.mark_size[which] = size;
	return 0;
}

static int parse_switch(const char *key, const char *value, bool *to)
{
	if (strcmp(value, "on") && strcmp(value, "off"))
		return complain("%s=%s: expected on or off", key, value);
	*to = !strcmp(value, "on");
	return 0;
}

static bool api_complete(void)
{
	return qemu_plugin_register_vcpu_tb_trans_cb && qemu_plugin_register_vcpu_init_cb &&
	       qemu_plugin_register_atexit_cb && qemu_plugin_tb_n_insns &&
	       qemu_plugin_tb_get_insn && qemu_plugin_insn_data && qemu_plugin_insn_size &&
	       qemu_plugin_insn_vaddr && qemu_plugin_register_vcpu_insn_exec_cb &&
	       qemu_plugin_register_vcpu_insn_exec_inline && qemu_plugin_register_vcpu_mem_cb &&
	       qemu_plugin_mem_size_shift && qemu_plugin_mem_is_store;
}

static int load_files(const char *kernel, const char *agent_path, const char *begin,
		      const char *end, const char *rows, bool io_given)
{
	struct attrib *agent;
	uint64_t size;
	char err[256];
	int view, ret;
	uint32_t i;

	if (st.group_file && read_list(st.group_file, true))
		return -1;
	st.kernel = attrib_open(kernel, st.group_file ? is_group : NULL, err, sizeof(err));
	if (!st.kernel)
		return complain("%s", err);
	for (view = 0; view < ATTRIB_VIEWS; view++) {
		st.rows[view] = attrib_count(st.kernel, view) + ROW_KINDS;
		st.kind[view] = must(malloc(st.rows[view]));
		memset(st.kind[view], ROW_FUNC, st.rows[view]);
	}
	st.in_group = must(calloc(st.rows[ATTRIB_INLINE], sizeof(*st.in_group)));
	st.group_row = st.rows[ATTRIB_INLINE];
	if (st.group_row >= LINES_FUNC_MAX)
		return complain("%s: more functions than this plugin can tell apart", kernel);
	for (i = 0; i < attrib_count(st.kernel, ATTRIB_INLINE); i++)
		st.in_group[i] = is_group(attrib_func(st.kernel, ATTRIB_INLINE, i)->name);
	if (rows && read_list(rows, false))
		return -1;

	if (attrib_address(st.kernel, st.io_symbol, &st.io_pc, &size)) {
		st.io_pc = 0;
		if (io_given || st.mem)
			return complain(
				"%s: no function %s (io= names the one called once for each I/O)",
				kernel, st.io_symbol);
	}
	if (!st.have_marks)
		return 0;
	agent = attrib_open(agent_path, NULL, err, sizeof(err));
	if (!agent)
		return complain("%s", err);
	ret = read_mark(agent, agent_path, begin, 0);
	if (!ret)
		ret = read_mark(agent, agent_path, end, 1);
	attrib_close(agent);
	return ret;
}

QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				    char **argv)
{
	const char *kernel = NULL, *agent = NULL, *rows = NULL;
	const char *begin = "ps_mark_begin", *end = "ps_mark_end";
	bool io_given = false;
	unsigned int v;
	int i;

	if (info->version.min > BLKPROF_API_VERSION || info->version.cur < BLKPROF_API_VERSION)
		return complain(
			"this QEMU offers plugin API %d to %d, and version %d is needed (QEMU 6.0 to 8.2 have it)",
			info->version.min, info->version.cur, BLKPROF_API_VERSION);
	if (!api_complete())
		return complain("this QEMU lacks functions of plugin API %d", BLKPROF_API_VERSION);
	if (strcmp(info->target_name, "x86_64"))
		return complain("the guest must be x86_64, not %s", info->target_name);

	for (i = 0; i < argc; i++) {
		char *key = argv[i], *value = strchr(key, '=');
		int bad = 0;

		if (!value)
			return complain("%s: expected a name, '=' and a value", key);
		*value++ = '\0';
		if (!strcmp(key, "vmlinux"))
			kernel = value;
		else if (!strcmp(key, "out"))
			st.out = value;
		else if (!strcmp(key, "agent"))
			agent = value;
		else if (!strcmp(key, "begin"))
			begin = value;
		else if (!strcmp(key, "end"))
			end = value;
		else if (!strcmp(key, "marks"))
			bad = parse_switch(key, value, &st.have_marks);
		else if (!strcmp(key, "mem"))
			bad = parse_switch(key, value, &st.mem);
		else if (!strcmp(key, "rows"))
			rows = value;
		else if (!strcmp(key, "group"))
			st.group_file = value;
		else if (!strcmp(key, "io"))
			st.io_symbol = value, io_given = true;
		else if (!strcmp(key, "grain") && (!strcmp(value, "insn") || !strcmp(value, "tb")))
			st.per_insn = !strcmp(value, "insn");
		else if (!strcmp(key, "grain"))
			bad = complain("grain=%s: expected insn or tb", value);
		else if (!strcmp(key, "l1"))
			bad = cache_parse(value, &st.l1_size, &st.l1_ways)
				      ? complain(
						"l1=%s: expected SIZE:WAYS such as 32K:8, a power of two of sets",
						value)
				      : 0;
		else if (!strcmp(key, "l2"))
			bad = cache_parse(value, &st.l2_size, &st.l2_ways)
				      ? complain(
						"l2=%s: expected SIZE:WAYS such as 1M:16, a power of two of sets",
						value)
				      : 0;
		else
			bad = complain(
				"%s: no such argument; there are vmlinux, out, agent, begin, end, marks, mem, rows, group, io, grain, l1, l2",
				key);
		if (bad)
			return bad;
	}
	if (!kernel || !st.out)
		return complain("vmlinux=FILE and out=FILE are needed");
	if (st.have_marks && !agent)
		return complain(
			"agent=FILE is needed: the program that sets the marks (or marks=off to count everything)");

	st.system = info->system_emulation;
	/* A program in user emulation has one CPU a thread, and no limit: only one is taken. */
	st.nr_vcpus = st.system ? (unsigned int)info->system.max_vcpus : 1;
	if (st.nr_vcpus > 1)
		st.per_insn = false;
	if (load_files(kernel, agent, begin, end, rows, io_given) || open_result())
		return -1;

	st.vcpu = must(calloc(st.nr_vcpus, sizeof(*st.vcpu)));
	st.vcpu[0].now = reserve(st.nr_vcpus * (size_t)MAX_RUNS * sizeof(uint64_t));
	for (v = 0; v < st.nr_vcpus; v++) {
		struct vcpu *c = &st.vcpu[v];

		c->now = st.vcpu[0].now + (size_t)v * MAX_RUNS;
		c->base = reserve((size_t)MAX_RUNS * sizeof(uint64_t));
		if (!st.mem)
			continue;
		c->mem = must(calloc(st.group_row + 1, sizeof(*c->mem)));
		if (lines_init(&c->lines) || cache_init(&c->l1, st.l1_size, st.l1_ways) ||
		    cache_init(&c->l2, st.l2_size, st.l2_ways))
			must(NULL);
	}
	st.counting = !st.have_marks;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
