// SPDX-License-Identifier: GPL-2.0
/*
 * From the counts of the plugin to the profile: what each function costs per I/O, settings side by
 * side.
 *
 * A boot's directory holds what the measurement's plan left in results/ (see report/results.c) and
 * the plugin's blkprof.json. The plugin has one entry for each run in the order of time: the
 * warm-up of a job, then for each setting the base run and the run. Costs are the difference of
 * these two, so that fio's own start and end cancel out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/results.h"

#define TOP	    30
#define MAX_COLUMNS 16

enum figure {
	INSTRUCTIONS,
	LOADS,
	STORES,
	LINES,
	L1_MISSES,
	L2_MISSES,
	WORKING_SET, /* of the run alone, no difference */
	FIGURES
};

static const char *const figure_keys[FIGURES] = {
	"instructions", "loads", "stores", "lines", "l1_misses", "l2_misses", "working_set_lines",
};

/* One function, or one of the other rows, in all columns. */
struct row {
	char *name;
	char *file;
	char *kind;
	bool group;
	bool ambiguous; /* another row has the same name */
	int64_t value[MAX_COLUMNS][FIGURES];
};

struct rows {
	struct row *row;
	size_t n;
};

struct column {
	char *setting;
	char *kernel;
	int64_t luns;
	uint64_t ios;
	uint64_t calls;	  /* of the plugin's I/O function */
	uint64_t busy_ns; /* guest time in which the CPU was not idle */
	int64_t total;	  /* as the plugin counted it, before attribution */
	int64_t group_lines;
	int64_t group_working_set;
};

struct profile {
	struct column column[MAX_COLUMNS];
	size_t columns;
	struct rows functions;
	struct rows symbols;
	bool memory;
	bool by_luns; /* columns are numbers of LUNs, not settings */
	char *job;
	const char *only; /* the one job that is asked for */
	char *io_symbol;
	json_t *boots;
	json_t *l1, *l2;
};

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "profile: out of memory\n");
		exit(1);
	}
	return p;
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static int64_t number(const json_t *o, const char *key)
{
	return (int64_t)json_integer_value(json_object_get(o, key));
}

static struct row *find_row(struct rows *rows, const json_t *o)
{
	const char *name = text(o, "name"), *file = text(o, "file"), *kind = text(o, "kind");
	struct row *r;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		r = &rows->row[i];
		if (!strcmp(r->name, name) && !strcmp(r->file, file) && !strcmp(r->kind, kind))
			return r;
	}
	rows->row = must(reallocarray(rows->row, rows->n + 1, sizeof(*rows->row)));
	r = &rows->row[rows->n++];
	memset(r, 0, sizeof(*r));
	r->name = must(strdup(name));
	r->file = must(strdup(file));
	r->kind = must(strdup(kind));
	return r;
}

/* Add the rows of one measurement to a column, or take those of a base run from it. */
static int add_rows(struct rows *rows, size_t column, const json_t *list, int sign,
		    const char *path, struct failure *f)
{
	const json_t *o;
	size_t i;
	int j;

	if (!json_is_array(list) || !json_array_size(list))
		return refuse(f, "%s: a measurement without functions", path);
	json_array_foreach(list, i, o) {
		struct row *r = find_row(rows, o);

		if (json_is_true(json_object_get(o, "group")))
			r->group = true;
		for (j = 0; j < FIGURES; j++)
			if (j != WORKING_SET || sign > 0)
				r->value[column][j] += sign * number(o, figure_keys[j]);
	}
	return 0;
}

static int load_counts_of(const struct profile *p, const char *dir, const char *name, uint64_t *ios,
			  uint64_t *busy, struct failure *f)
{
	struct counts c;
	char path[4096];
	json_t *o;
	int64_t wall, idle;

	snprintf(path, sizeof(path), "%s/results/%s.fio.json", dir, name);
	if (load_fio(path, &c, f))
		return -1;
	*ios = c.ios;
	*busy = 0;
	if (p->by_luns)
		return 0;
	snprintf(path, sizeof(path), "%s/results/%s.clock.json", dir, name);
	o = load_json(path, f);
	if (!o)
		return -1;
	wall = number(o, "wall_ns");
	idle = number(o, "idle_ns");
	json_decref(o);
	if (wall <= 0 || idle < 0 || idle > wall)
		return refuse(f, "%s: no guest time in it", path);
	*busy = (uint64_t)(wall - idle);
	return 0;
}

static int load_column(struct profile *p, const char *dir, const json_t *boot, const json_t *run,
		       const json_t *base_m, const json_t *run_m, struct failure *f)
{
	uint64_t base_ios, base_busy;
	struct column *c;
	char path[4096];
	size_t at = p->columns;

	if (at == MAX_COLUMNS)
		return refuse(f, "%s: more than %d settings", dir, MAX_COLUMNS);
	c = &p->column[at];
	snprintf(path, sizeof(path), "%s/blkprof.json", dir);
	if (load_counts_of(p, dir, text(run, "base"), &base_ios, &base_busy, f) ||
	    load_counts_of(p, dir, text(run, "run"), &c->ios, &c->busy_ns, f))
		return -1;
	if (c->ios <= base_ios || (!p->by_luns && c->busy_ns <= base_busy))
		return refuse(f, "%s: run '%s' did no more than its base run", dir,
			      text(run, "run"));
	c->ios -= base_ios;
	c->busy_ns -= base_busy;
	c->setting = must(strdup(text(run, "setting")));
	c->kernel = must(strdup(text(boot, "kernel")));
	c->luns = number(json_object_get(boot, "geometry"), "luns");
	c->total = number(run_m, "total") - number(base_m, "total");
	c->calls = (uint64_t)(number(run_m, "io_calls") - number(base_m, "io_calls"));
	c->group_lines = number(json_object_get(run_m, "group"), "lines") -
			 number(json_object_get(base_m, "group"), "lines");
	c->group_working_set = number(json_object_get(run_m, "group"), "working_set_lines");
	if (add_rows(&p->functions, at, json_object_get(run_m, "functions"), 1, path, f) ||
	    add_rows(&p->functions, at, json_object_get(base_m, "functions"), -1, path, f) ||
	    add_rows(&p->symbols, at, json_object_get(run_m, "symbols"), 1, path, f) ||
	    add_rows(&p->symbols, at, json_object_get(base_m, "symbols"), -1, path, f))
		return -1;
	p->columns++;
	return 0;
}

/* All runs of one boot. */
static int load_directory(struct profile *p, const char *dir, struct failure *f)
{
	json_t *boot = NULL, *counts = NULL;
	const json_t *runs, *list, *run;
	const char *job;
	char path[4096];
	size_t i;
	int ret = -1;

	snprintf(path, sizeof(path), "%s/results/plan.json", dir);
	boot = load_json(path, f);
	if (!boot)
		return -1;
	snprintf(path, sizeof(path), "%s/blkprof.json", dir);
	counts = load_json(path, f);
	if (!counts)
		goto out;
	runs = json_object_get(boot, "runs");
	list = json_object_get(counts, "measurements");
	if (!json_array_size(runs)) {
		refuse(f, "%s/results/plan.json: no runs", dir);
		goto out;
	}
	p->memory = json_is_true(json_object_get(counts, "memory"));
	if (!p->io_symbol)
		p->io_symbol = must(strdup(text(counts, "io_symbol")));
	if (p->memory && !p->l1) {
		p->l1 = json_incref(json_object_get(counts, "l1"));
		p->l2 = json_incref(json_object_get(counts, "l2"));
	}
	json_array_foreach(runs, i, run) {
		size_t at = (size_t)number(run, "measurement") - 1;
		size_t base_at = (size_t)number(run, "base_measurement") - 1;

		job = text(run, "job");
		if (p->only && strcmp(p->only, job))
			continue;
		if (!p->job)
			p->job = must(strdup(job));
		if (strcmp(p->job, job)) {
			refuse(f, "%s: runs of job '%s' beside '%s': one job a profile, see -j", dir, job,
			       p->job);
			goto out;
		}
		if (at >= json_array_size(list) || base_at >= json_array_size(list)) {
			refuse(f, "%s: %zu measurements are too few for the runs in plan.json",
			       path, json_array_size(list));
			goto out;
		}
		if (load_column(p, dir, boot, run, json_array_get(list, base_at),
				json_array_get(list, at), f))
			goto out;
	}
	json_object_del(boot, "runs");
	json_array_append(p->boots, boot);
	ret = 0;
out:
	json_decref(boot);
	json_decref(counts);
	return ret;
}

/* How the tables call a column; a setting on another kernel than usual is marked. */
static const char *label(const struct profile *p, const struct column *c)
{
	static char text[64];

	if (p->by_luns) {
		snprintf(text, sizeof(text), "%" PRId64 " LUN%s", c->luns, c->luns == 1 ? "" : "s");
		return text;
	}
	if (strcmp(c->kernel, c->setting) && strcmp(c->kernel, "patched")) {
		snprintf(text, sizeof(text), "%s, %s", c->kernel, c->setting);
		return text;
	}
	return setting_label(c->setting);
}

static int64_t order(const struct profile *p, const struct column *c)
{
	int i;

	if (p->by_luns)
		return c->luns;
	for (i = 0; i < SETTINGS; i++)
		if (!strcmp(c->setting, setting_names[i]))
			break;
	return i;
}

/* Columns in the order of setting_names, or of LUNs, whatever order the boots came in. */
static void sort_columns(struct profile *p)
{
	size_t i, j, r;

	for (i = 0; i < p->columns; i++)
		for (j = i + 1; j < p->columns; j++) {
			struct column c = p->column[i];

			if (order(p, &p->column[j]) >= order(p, &c))
				continue;
			p->column[i] = p->column[j];
			p->column[j] = c;
			for (r = 0; r < p->functions.n + p->symbols.n; r++) {
				struct row *row = r < p->functions.n
							  ? &p->functions.row[r]
							  : &p->symbols.row[r - p->functions.n];
				int64_t v[FIGURES];

				memcpy(v, row->value[i], sizeof(v));
				memcpy(row->value[i], row->value[j], sizeof(v));
				memcpy(row->value[j], v, sizeof(v));
			}
		}
}

static int by_first_column(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	size_t c;
	int r;

	for (c = 0; c < MAX_COLUMNS; c++)
		if (x->value[c][INSTRUCTIONS] != y->value[c][INSTRUCTIONS])
			return x->value[c][INSTRUCTIONS] > y->value[c][INSTRUCTIONS] ? -1 : 1;
	r = strcmp(x->name, y->name);
	return r ? r : strcmp(x->file, y->file);
}

static void sort_rows(struct rows *rows)
{
	size_t i, j;

	qsort(rows->row, rows->n, sizeof(*rows->row), by_first_column);
	for (i = 0; i < rows->n; i++)
		for (j = i + 1; j < rows->n; j++)
			if (!strcmp(rows->row[i].name, rows->row[j].name))
				rows->row[i].ambiguous = rows->row[j].ambiguous = true;
}

/* --- text */

#define NAME_WIDTH 34

static double per_io(const struct profile *p, size_t column, int64_t value)
{
	return (double)value / (double)p->column[column].ios;
}

static bool is_function(const struct row *r)
{
	return !strcmp(r->kind, "function");
}

static void put_name(FILE *out, const struct row *r)
{
	char name[256];

	if (r->ambiguous && *r->file)
		snprintf(name, sizeof(name), "%s (%s)", r->name, r->file);
	else
		snprintf(name, sizeof(name), "%s", r->name);
	fprintf(out, "%-*.*s", NAME_WIDTH, NAME_WIDTH, name);
}

/* The names of the settings, each over two columns of figures, and what the figures are. */
static void put_head(FILE *out, const struct profile *p, const char *first, const char *a,
		     const char *b)
{
	size_t c;

	fprintf(out, "%-*s", NAME_WIDTH, "");
	for (c = 0; c < p->columns; c++)
		fprintf(out, " |%18s", label(p, &p->column[c]));
	fprintf(out, "\n%-*s", NAME_WIDTH, first);
	for (c = 0; c < p->columns; c++)
		fprintf(out, " |%8s %9s", a, b);
	fputc('\n', out);
}

static void put_share(FILE *out, const struct profile *p, const int64_t *value)
{
	size_t c;

	for (c = 0; c < p->columns; c++)
		fprintf(out, " |%8.3f %9.2f", 100.0 * (double)value[c] / (double)p->column[c].total,
			per_io(p, c, value[c]));
	fputc('\n', out);
}

static void get_values(const struct profile *p, const struct row *r, enum figure figure,
		       int64_t *value)
{
	size_t c;

	for (c = 0; c < p->columns; c++)
		value[c] = r->value[c][figure];
}

static void put_top(FILE *out, const struct profile *p)
{
	int64_t value[MAX_COLUMNS], rest[MAX_COLUMNS] = {0}, sum[MAX_COLUMNS] = {0};
	size_t i, c, shown = 0, others = 0;
	char name[64];

	put_head(out, p, "function", "%", "insns/IO");
	for (i = 0; i < p->functions.n; i++) {
		const struct row *r = &p->functions.row[i];

		get_values(p, r, INSTRUCTIONS, value);
		for (c = 0; c < p->columns; c++)
			sum[c] += value[c];
		if (!is_function(r))
			continue;
		if (shown++ < TOP) {
			put_name(out, r);
			put_share(out, p, value);
			continue;
		}
		others++;
		for (c = 0; c < p->columns; c++)
			rest[c] += value[c];
	}
	snprintf(name, sizeof(name), "%zu other kernel functions", others);
	fprintf(out, "%-*s", NAME_WIDTH, name);
	put_share(out, p, rest);
	for (i = 0; i < p->functions.n; i++) {
		if (is_function(&p->functions.row[i]))
			continue;
		get_values(p, &p->functions.row[i], INSTRUCTIONS, value);
		put_name(out, &p->functions.row[i]);
		put_share(out, p, value);
	}
	fprintf(out, "%-*s", NAME_WIDTH, "sum of rows");
	put_share(out, p, sum);
	for (c = 0; c < p->columns; c++)
		value[c] = p->column[c].total;
	fprintf(out, "%-*s", NAME_WIDTH, "total counted");
	put_share(out, p, value);
}

static void put_difference(FILE *out, const struct profile *p, const int64_t *value)
{
	size_t c;

	for (c = 0; c < p->columns; c++) {
		double v = per_io(p, c, value[c]);

		/* -0.00 is nothing to look at */
		fprintf(out, " |%8.2f %+9.2f", v,
			round(100 * (v - per_io(p, 0, value[0]))) / 100 + 0.0);
	}
	fputc('\n', out);
}

static bool any(const struct profile *p, const int64_t *value)
{
	size_t c;

	for (c = 0; c < p->columns; c++)
		if (value[c])
			return true;
	return false;
}

/* One figure of the accounting group, by function, and the sum. */
static void put_group(FILE *out, const struct profile *p, enum figure figure, const char *title)
{
	int64_t value[MAX_COLUMNS], sum[MAX_COLUMNS] = {0};
	size_t i, c;

	put_head(out, p, title, "per I/O", "differ.");
	for (i = 0; i < p->functions.n; i++) {
		const struct row *r = &p->functions.row[i];

		get_values(p, r, figure, value);
		if (!r->group || !any(p, value))
			continue;
		for (c = 0; c < p->columns; c++)
			sum[c] += value[c];
		put_name(out, r);
		put_difference(out, p, value);
	}
	fprintf(out, "%-*s", NAME_WIDTH, "accounting, sum");
	put_difference(out, p, sum);
}

/* Over the accounting group, or over all functions of the kernel. */
static void sum_up(const struct profile *p, bool group, enum figure figure, int64_t *sum)
{
	size_t i, c;

	memset(sum, 0, MAX_COLUMNS * sizeof(*sum));
	for (i = 0; i < p->functions.n; i++) {
		const struct row *r = &p->functions.row[i];

		for (c = 0; c < p->columns && (group ? r->group : is_function(r)); c++)
			sum[c] += r->value[c][figure];
	}
}

/* Largest differences to the first column first, whichever column shows them. */
static const struct profile *compare_profile;

static double largest_difference(const struct row *r)
{
	const struct profile *p = compare_profile;
	double d = 0;
	size_t c;

	for (c = 1; c < p->columns; c++)
		d = fmax(d, fabs(per_io(p, c, r->value[c][INSTRUCTIONS]) -
				 per_io(p, 0, r->value[0][INSTRUCTIONS])));
	return d;
}

static int by_difference(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;
	double dx = largest_difference(*x), dy = largest_difference(*y);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return by_first_column(*x, *y);
}

static void put_others(FILE *out, const struct profile *p)
{
	const struct row **list = must(calloc(p->functions.n + 1, sizeof(*list)));
	int64_t value[MAX_COLUMNS], sum[MAX_COLUMNS] = {0};
	size_t i, c, n = 0;

	compare_profile = p;
	for (i = 0; i < p->functions.n; i++) {
		if (p->functions.row[i].group)
			continue;
		list[n++] = &p->functions.row[i];
		get_values(p, &p->functions.row[i], INSTRUCTIONS, value);
		for (c = 0; c < p->columns; c++)
			sum[c] += value[c];
	}
	qsort(list, n, sizeof(*list), by_difference);
	put_head(out, p, "outside of accounting, by difference", "insns/IO", "differ.");
	for (i = 0; i < n && i < 20 && largest_difference(list[i]) >= 0.05; i++) {
		get_values(p, list[i], INSTRUCTIONS, value);
		put_name(out, list[i]);
		put_difference(out, p, value);
	}
	fprintf(out, "%-*s", NAME_WIDTH, "outside of accounting, sum");
	put_difference(out, p, sum);
	free(list);
}

static void put_sum(FILE *out, const struct profile *p, bool group, enum figure figure,
		    const char *name)
{
	int64_t value[MAX_COLUMNS];

	sum_up(p, group, figure, value);
	fprintf(out, "%-*s", NAME_WIDTH, name);
	put_difference(out, p, value);
}

/* What the accounting group as a whole costs. */
static void put_summary(FILE *out, const struct profile *p)
{
	int64_t value[MAX_COLUMNS];
	size_t c;

	put_head(out, p, "accounting group", "per I/O", "differ.");
	put_sum(out, p, true, INSTRUCTIONS, "instructions");
	if (!p->memory)
		return;
	put_sum(out, p, true, LOADS, "loads");
	put_sum(out, p, true, STORES, "stores");
	for (c = 0; c < p->columns; c++)
		value[c] = p->column[c].group_lines;
	fprintf(out, "%-*s", NAME_WIDTH, "distinct lines, shared ones once");
	put_difference(out, p, value);
	put_sum(out, p, true, L1_MISSES, "misses of L1d");
	put_sum(out, p, true, L2_MISSES, "misses of L2");
	fprintf(out, "%-*s", NAME_WIDTH, "working set of the run, KiB");
	for (c = 0; c < p->columns; c++)
		fprintf(out, " |%8.1f %+9.1f", (double)p->column[c].group_working_set / 16,
			(double)(p->column[c].group_working_set - p->column[0].group_working_set) /
					16 +
				0.0);
	fputc('\n', out);
}

static void put_luns(FILE *out, const struct profile *p)
{
	const json_t *boot = json_array_get(p->boots, 0);

	fprintf(out, "%s on all partitions, 15 of each LUN, Linux %s (%s), %" PRIu64 " I/Os\n\n",
		p->job, text(boot, "release"), text(boot, "kernel"), p->column[0].ios);
	put_summary(out, p);
	fputc('\n', out);
	put_head(out, p, "all of the kernel", "per I/O", "differ.");
	put_sum(out, p, false, INSTRUCTIONS, "instructions");
	put_sum(out, p, false, L1_MISSES, "misses of L1d");
	put_sum(out, p, false, L2_MISSES, "misses of L2");
}

static const struct column *column_of(const struct profile *p, const char *setting)
{
	size_t c;

	for (c = 0; c < p->columns; c++)
		if (!strcmp(label(p, &p->column[c]), setting_label(setting)))
			return &p->column[c];
	return NULL;
}

static double insns(const struct column *c)
{
	return (double)c->total / (double)c->ios;
}

static void compare(FILE *out, const struct profile *p, const struct column *x,
		    const struct column *y)
{
	fprintf(out, "%s", label(p, x));
	fprintf(out, " against %s: %+.2f instructions per I/O, %+.3f %%\n", label(p, y),
		insns(x) - insns(y), 100 * (insns(x) / insns(y) - 1));
}

static void put_text(FILE *out, const struct profile *p)
{
	const struct column *floor;
	const json_t *geometry = json_object_get(json_array_get(p->boots, 0), "geometry");
	size_t c;

	fprintf(out,
		"%s, Linux %s, %" JSON_INTEGER_FORMAT " LUNs, %" JSON_INTEGER_FORMAT
		" partitions, %" PRIu64 " I/Os a setting\n\n",
		p->job, text(json_array_get(p->boots, 0), "release"),
		json_integer_value(json_object_get(geometry, "luns")),
		json_integer_value(json_object_get(geometry, "partitions")), p->column[0].ios);
	put_top(out, p);
	fputc('\n', out);
	put_group(out, p, INSTRUCTIONS, "accounting: instructions");
	fputc('\n', out);
	if (p->memory) {
		put_group(out, p, LINES, "accounting: distinct lines");
		fputc('\n', out);
		put_group(out, p, L1_MISSES, "accounting: misses of L1d");
		fputc('\n', out);
	}
	put_summary(out, p);
	fputc('\n', out);
	put_others(out, p);
	fputc('\n', out);
	for (c = 1; c < p->columns; c++)
		compare(out, p, &p->column[c], &p->column[0]);
	floor = column_of(p, "noacct");
	for (c = 0; floor && c < p->columns; c++)
		if (!strcmp(p->column[c].setting, "iostats=0"))
			compare(out, p, &p->column[c], floor);
	fputc('\n', out);
	for (c = 0; c < p->columns; c++)
		fprintf(out,
			"%s: %" PRId64 " instructions counted in %" PRIu64
			" ns of guest time: %+.3f %%; %s called %.4f times per I/O\n",
			label(p, &p->column[c]), p->column[c].total, p->column[c].busy_ns,
			100 * ((double)p->column[c].total / (double)p->column[c].busy_ns - 1),
			p->io_symbol, (double)p->column[c].calls / (double)p->column[c].ios);
}

/* --- JSON */

/* Four decimals: a single instruction in 10000 I/Os. */
static json_t *decimal(double v)
{
	return json_real(round(v * 1e4) / 1e4);
}

static json_t *row_json(const struct profile *p, const struct row *r, bool all)
{
	json_t *o = json_object();
	size_t c;
	int f;

	json_object_set_new(o, "name", json_string(r->name));
	json_object_set_new(o, "file", json_string(r->file));
	json_object_set_new(o, "kind", json_string(r->kind));
	json_object_set_new(o, "accounting", json_boolean(r->group));
	for (f = 0; f < (all && p->memory ? FIGURES : 1); f++) {
		json_t *list = json_array();

		for (c = 0; c < p->columns; c++)
			json_array_append_new(list, json_integer(r->value[c][f]));
		json_object_set_new(o, figure_keys[f], list);
	}
	return o;
}

static json_t *rows_json(const struct profile *p, const struct rows *rows, bool all)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < rows->n; i++)
		json_array_append_new(list, row_json(p, &rows->row[i], all));
	return list;
}

static json_t *column_json(const struct profile *p, size_t c)
{
	const struct column *col = &p->column[c];
	json_t *o = json_object(), *g = json_object();
	int64_t sum[MAX_COLUMNS];
	int f;

	json_object_set_new(o, "setting", json_string(col->setting));
	json_object_set_new(o, "kernel", json_string(col->kernel));
	json_object_set_new(o, "luns", json_integer(col->luns));
	json_object_set_new(o, "ios", json_integer((json_int_t)col->ios));
	json_object_set_new(o, "instructions", json_integer(col->total));
	json_object_set_new(o, "instructions_per_io", decimal(insns(col)));
	if (!p->by_luns)
		json_object_set_new(o, "guest_busy_ns", json_integer((json_int_t)col->busy_ns));
	json_object_set_new(o, "io_calls", json_integer((json_int_t)col->calls));
	for (f = 0; f < (p->memory ? WORKING_SET : 1); f++) {
		sum_up(p, true, (enum figure)f, sum);
		json_object_set_new(g, figure_keys[f],
				    json_integer(f == LINES ? col->group_lines : sum[c]));
	}
	if (p->memory)
		json_object_set_new(g, "working_set_lines", json_integer(col->group_working_set));
	json_object_set_new(o, "accounting", g);
	return o;
}

static int put_json(const char *path, const struct profile *p)
{
	json_t *root = json_object(), *columns = json_array();
	char *tmp = NULL;
	size_t c;
	int err;

	for (c = 0; c < p->columns; c++)
		json_array_append_new(columns, column_json(p, c));
	json_object_set_new(root, "job", json_string(p->job));
	json_object_set_new(root, "io_symbol", json_string(p->io_symbol));
	if (p->memory) {
		json_object_set(root, "l1", p->l1);
		json_object_set(root, "l2", p->l2);
	}
	json_object_set(root, "boots", p->boots);
	json_object_set_new(root, p->by_luns ? "luns" : "settings", columns);
	json_object_set_new(root, "functions", rows_json(p, &p->functions, true));
	json_object_set_new(root, "symbols", rows_json(p, &p->symbols, false));

	if (asprintf(&tmp, "%s.new", path) < 0)
		must(NULL);
	err = json_dump_file(root, tmp, JSON_INDENT(1)) || rename(tmp, path);
	if (err) {
		fprintf(stderr, "profile: %s: %s\n", path, strerror(errno));
		unlink(tmp);
	}
	free(tmp);
	json_decref(root);
	return err ? -1 : 0;
}

static void usage(FILE *out)
{
	fputs("usage: profile [-l] [-j JOB] [-o FILE.json] BOOT-DIRECTORY...\n"
	      "Prints the table of all settings measured in these boots; -l compares numbers of LUNs\n"
	      "instead of settings, -j picks one of several jobs, -o writes all figures too.\n",
	      out);
}

int main(int argc, char **argv)
{
	struct profile p = {.boots = json_array()};
	const char *json = NULL;
	struct failure f;
	int opt, i;

	while ((opt = getopt(argc, argv, "lj:o:h")) != -1) {
		switch (opt) {
		case 'l':
			p.by_luns = true;
			break;
		case 'j':
			p.only = optarg;
			break;
		case 'o':
			json = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind == argc) {
		usage(stderr);
		return 2;
	}
	for (i = optind; i < argc; i++)
		if (load_directory(&p, argv[i], &f)) {
			fprintf(stderr, "profile: %s\n", f.text);
			return 1;
		}
	if (!p.columns) {
		fprintf(stderr, "profile: no runs%s%s\n", p.only ? " of job " : "",
			p.only ? p.only : "");
		return 1;
	}
	sort_columns(&p);
	sort_rows(&p.functions);
	sort_rows(&p.symbols);
	if (p.by_luns)
		put_luns(stdout, &p);
	else
		put_text(stdout, &p);
	if (fflush(stdout) || ferror(stdout)) {
		perror("profile: stdout");
		return 1;
	}
	return json && put_json(json, &p) ? 1 : 0;
}
