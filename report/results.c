// SPDX-License-Identifier: GPL-2.0
/*
 * What a boot of the guest left behind, checked as it is read: a figure that is missing, of the
 * wrong kind, or from a run that did not go as planned never becomes a line of a table.
 *
 * A boot's directory holds
 *	plan.json	what was measured, by which kernel, on what, and the names of the runs
 *	NAME.fio.json	fio's own output, for each run and each base run
 *	NAME.stat.json	what `agent measure` saw around it
 *	NAME.clock.json	guest time and idle time around it, under icount only
 *	blkprof.json	instructions by function, of every run in its order, if the plugin was there
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results.h"

const char *const setting_names[SETTINGS] = {
	"stock", "scan", "patched", "part_stats=0", "part_stats=2", "iostats=0", "noacct",
};

const char *const part_names[PARTS] = {"deterministic", "real_path"};

/**
 * setting_label - how the tables call a setting
 * @name: its name in JSON
 *
 * Return: the text to print.
 */
const char *setting_label(const char *name)
{
	if (!strcmp(name, "scan"))
		return "plain scan";
	if (!strcmp(name, "patched"))
		return "patched, defaults";
	if (!strcmp(name, "noacct"))
		return "compiled out";
	return name;
}

/**
 * refuse - keep the reason of a failure
 * @f: where
 * @fmt: as printf
 *
 * Return: -1, for the caller to pass on.
 */
int refuse(struct failure *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
	return -1;
}

/**
 * load_json - read a file that holds one JSON object
 * @path: the file
 * @f: says what is wrong with it
 *
 * Return: the object, or NULL.
 */
json_t *load_json(const char *path, struct failure *f)
{
	json_error_t e;
	json_t *j = json_load_file(path, JSON_REJECT_DUPLICATES, &e);

	if (!j) {
		if (e.line > 0)
			refuse(f, "%s: line %d: not valid JSON: %s", path, e.line, e.text);
		else
			refuse(f, "%s", e.text);
		return NULL;
	}
	if (!json_is_object(j)) {
		refuse(f, "%s: not a JSON object", path);
		json_decref(j);
		return NULL;
	}
	return j;
}

static int get_count(const json_t *o, const char *key, const char *path, uint64_t *out,
		     struct failure *f)
{
	const json_t *v = json_object_get(o, key);

	if (!v)
		return refuse(f, "%s: '%s' is missing", path, key);
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return refuse(f, "%s: '%s' is not a count (a whole number, 0 or more)", path, key);
	*out = (uint64_t)json_integer_value(v);
	return 0;
}

static const char *get_text(const json_t *o, const char *key, const char *path, struct failure *f)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s || !*s) {
		refuse(f, "%s: '%s' is missing or not a text", path, key);
		return NULL;
	}
	return s;
}

static const json_t *get_array(const json_t *o, const char *key, const char *path,
			       struct failure *f)
{
	const json_t *a = json_object_get(o, key);

	if (!json_is_array(a) || !json_array_size(a)) {
		refuse(f, "%s: '%s' is missing, empty, or not a list", path, key);
		return NULL;
	}
	return a;
}

static int add_direction(const json_t *job, const char *name, const char *path, struct counts *c,
			 struct failure *f)
{
	const json_t *o = json_object_get(job, name);
	uint64_t ios, ms;

	if (!json_is_object(o))
		return refuse(f, "%s: a job has no '%s'", path, name);
	if (get_count(o, "total_ios", path, &ios, f) || get_count(o, "runtime", path, &ms, f))
		return -1;
	c->ios += ios;
	if (ms * 1000000 > c->io_ns)
		c->io_ns = ms * 1000000;
	return 0;
}

/**
 * load_fio - read fio's JSON
 * @path: the file
 * @c: its @ios and @io_ns are set
 * @f: says what is wrong
 *
 * Return: 0, or -1 when the file is not fio's or fio reports an error in one of its jobs.
 */
int load_fio(const char *path, struct counts *c, struct failure *f)
{
	const json_t *jobs, *job;
	json_t *root;
	size_t i;

	root = load_json(path, f);
	if (!root)
		return -1;
	c->ios = 0;
	c->io_ns = 0;
	jobs = get_array(root, "jobs", path, f);
	if (!jobs)
		goto err;
	json_array_foreach(jobs, i, job) {
		const char *name = get_text(job, "jobname", path, f);
		uint64_t error;

		if (!name || get_count(job, "error", path, &error, f))
			goto err;
		if (error) {
			refuse(f, "%s: fio's job '%s' failed with error %llu", path, name,
			       (unsigned long long)error);
			goto err;
		}
		if (add_direction(job, "read", path, c, f) ||
		    add_direction(job, "write", path, c, f))
			goto err;
	}
	json_decref(root);
	return 0;
err:
	json_decref(root);
	return -1;
}

static int load_stat(const char *path, struct counts *c, struct failure *f)
{
	uint64_t irq, softirq, status;
	json_t *o;
	int err;

	o = load_json(path, f);
	if (!o)
		return -1;
	err = get_count(o, "exit", path, &status, f) ||
	      get_count(o, "wall_ns", path, &c->wall_ns, f) ||
	      get_count(o, "intr", path, &c->intr, f) || get_count(o, "ctxt", path, &c->ctxt, f) ||
	      get_count(o, "user_ticks", path, &c->user, f) ||
	      get_count(o, "system_ticks", path, &c->system, f) ||
	      get_count(o, "idle_ticks", path, &c->idle, f) ||
	      get_count(o, "iowait_ticks", path, &c->iowait, f) ||
	      get_count(o, "irq_ticks", path, &irq, f) ||
	      get_count(o, "softirq_ticks", path, &softirq, f);
	if (!err && status)
		err = refuse(f, "%s: fio ended with status %llu", path, (unsigned long long)status);
	if (!err)
		c->system += irq + softirq;
	json_decref(o);
	return err ? -1 : 0;
}

static int load_clock(const char *path, struct counts *c, struct failure *f)
{
	json_t *o;
	int err;

	o = load_json(path, f);
	if (!o)
		return -1;
	/* Guest time from the same reading as the idle time, or their difference means nothing. */
	err = get_count(o, "wall_ns", path, &c->wall_ns, f) ||
	      get_count(o, "idle_ns", path, &c->idle_ns, f);
	if (!err && c->idle_ns > c->wall_ns)
		err = refuse(f, "%s: more idle time than time", path);
	json_decref(o);
	return err ? -1 : 0;
}

static int load_counts(const char *dir, const char *name, enum part part, uint64_t want,
		       struct counts *c, struct failure *f)
{
	char path[4096];

	memset(c, 0, sizeof(*c));
	snprintf(path, sizeof(path), "%s/%s.stat.json", dir, name);
	if (load_stat(path, c, f))
		return -1;
	snprintf(path, sizeof(path), "%s/%s.fio.json", dir, name);
	if (load_fio(path, c, f))
		return -1;
	if (want && c->ios != want)
		return refuse(f, "%s: fio did %llu I/Os, %llu were asked for", path,
			      (unsigned long long)c->ios, (unsigned long long)want);
	snprintf(path, sizeof(path), "%s/%s.clock.json", dir, name);
	return part == DETERMINISTIC ? load_clock(path, c, f) : 0;
}

/* Instructions in user mode of one run; the numbers of runs begin with 1. */
static int add_user_insns(const json_t *profile, const char *path, uint64_t number,
			  struct counts *c, struct failure *f)
{
	const json_t *list, *functions, *row;
	size_t i;

	list = get_array(profile, "measurements", path, f);
	if (!list)
		return -1;
	if (!number || number > json_array_size(list))
		return refuse(f, "%s: no measurement %llu among %zu", path,
			      (unsigned long long)number, json_array_size(list));
	functions = get_array(json_array_get(list, number - 1), "functions", path, f);
	if (!functions)
		return -1;
	json_array_foreach(functions, i, row) {
		const char *kind = get_text(row, "kind", path, f);
		uint64_t n;

		if (!kind || get_count(row, "instructions", path, &n, f))
			return -1;
		if (!strcmp(kind, "user mode"))
			c->user_insns += n;
	}
	if (!c->user_insns)
		return refuse(f, "%s: nothing was counted in user mode", path);
	return 0;
}

static int setting_index(const char *name)
{
	int i;

	for (i = 0; i < SETTINGS; i++)
		if (!strcmp(name, setting_names[i]))
			return i;
	return -1;
}

static int load_run(const char *dir, const char *plan, const json_t *profile, const json_t *o,
		    struct run *run, struct failure *f)
{
	const char *setting, *name, *base, *job;
	uint64_t pass, ios, base_ios;
	struct counts c, b;
	char path[4096];
	int i;

	job = get_text(o, "job", plan, f);
	setting = job ? get_text(o, "setting", plan, f) : NULL;
	name = setting ? get_text(o, "run", plan, f) : NULL;
	base = name ? get_text(o, "base", plan, f) : NULL;
	if (!base || get_count(o, "pass", plan, &pass, f) || get_count(o, "ios", plan, &ios, f) ||
	    get_count(o, "base_ios", plan, &base_ios, f))
		return -1;
	i = setting_index(setting);
	if (i < 0)
		return refuse(f, "%s: setting '%s' is not known", plan, setting);
	run->setting = (unsigned int)i;
	run->pass = (unsigned int)pass;
	if (load_counts(dir, name, run->part, ios, &c, f) ||
	    load_counts(dir, base, run->part, base_ios, &b, f))
		return -1;
	snprintf(path, sizeof(path), "%s/blkprof.json", dir);
	if (profile && (get_count(o, "measurement", plan, &ios, f) ||
			get_count(o, "base_measurement", plan, &base_ios, f) ||
			add_user_insns(profile, path, ios, &c, f) ||
			add_user_insns(profile, path, base_ios, &b, f)))
		return -1;
	if (run->part == DETERMINISTIC ? sample_deterministic(&c, &b, &run->sample)
				       : sample_real(&c, &b, &run->sample))
		return refuse(f, "%s: run '%s' did no more than its base run '%s'", plan, name,
			      base);
	run->job = strdup(job);
	return run->job ? 0 : refuse(f, "out of memory");
}

/**
 * load_boot - read all runs of one boot
 * @dir: the boot's directory, see above
 * @r: the runs are added here; start with an empty struct
 * @f: says what is wrong
 *
 * Return: 0, or -1; @r then holds the runs before the one that failed, and is to be freed.
 */
int load_boot(const char *dir, struct results *r, struct failure *f)
{
	const char *part, *kernel;
	const json_t *runs, *o;
	char plan[4096], path[4096];
	json_t *root, *profile = NULL;
	uint64_t round;
	size_t i;
	int p;

	snprintf(plan, sizeof(plan), "%s/plan.json", dir);
	root = load_json(plan, f);
	if (!root)
		return -1;
	part = get_text(root, "part", plan, f);
	kernel = part ? get_text(root, "kernel", plan, f) : NULL;
	runs = kernel && !get_count(root, "round", plan, &round, f)
		       ? get_array(root, "runs", plan, f)
		       : NULL;
	if (!runs || !get_text(root, "release", plan, f))
		goto err;
	for (p = 0; p < PARTS && strcmp(part, part_names[p]); p++)
		;
	if (p == PARTS) {
		refuse(f, "%s: part '%s' is not known", plan, part);
		goto err;
	}
	snprintf(path, sizeof(path), "%s/blkprof.json", dir);
	if (p == DETERMINISTIC && !access(path, F_OK)) {
		profile = load_json(path, f);
		if (!profile)
			goto err;
	}
	json_array_foreach(runs, i, o) {
		struct run *grown = realloc(r->runs, (r->n + 1) * sizeof(*grown));

		if (!grown) {
			refuse(f, "out of memory");
			goto err;
		}
		r->runs = grown;
		memset(&grown[r->n], 0, sizeof(*grown));
		grown[r->n].part = (enum part)p;
		grown[r->n].round = (unsigned int)round;
		if (load_run(dir, plan, profile, o, &grown[r->n], f))
			goto err;
		r->n++;
	}
	json_decref(profile);
	json_object_del(root, "runs");
	if (!r->boots)
		r->boots = json_array();
	if (json_array_append_new(r->boots, root))
		return refuse(f, "out of memory");
	return 0;
err:
	json_decref(profile);
	json_decref(root);
	return -1;
}

/**
 * free_results - give back what load_boot() took
 * @r: empty afterwards
 */
void free_results(struct results *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		free(r->runs[i].job);
	free(r->runs);
	json_decref(r->boots);
	memset(r, 0, sizeof(*r));
}

/* Stock's run in the same round and pass. */
static const struct run *stock_of(const struct results *r, const struct run *run)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		const struct run *s = &r->runs[i];

		if (s->part == run->part && s->round == run->round && s->pass == run->pass &&
		    s->setting == 0 && !strcmp(s->job, run->job))
			return s;
	}
	return NULL;
}

/* Decimals that no figure needs only make two results look different. */
static json_t *real(double v, int decimals)
{
	double scale = pow(10, decimals);

	return isnan(v) ? json_null() : json_real(round(v * scale) / scale);
}

/* One column of the samples of a row, as an array. */
static void column(const struct sample *s, size_t n, size_t offset, double *out)
{
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = *(const double *)((const char *)&s[i] + offset);
}

#define COLUMN_MEDIAN(member) \
	(column(samples, n, offsetof(struct sample, member), values), median(values, n))

static int add_row(const struct results *r, enum part part, const char *job, unsigned int setting,
		   json_t *list, struct failure *f)
{
	struct sample *samples = calloc(r->n, sizeof(*samples));
	double *values = calloc(r->n, sizeof(*values)), *speedup = calloc(r->n, sizeof(*speedup));
	json_t *row = NULL;
	size_t i, n = 0;
	int err = -1;

	if (!samples || !values || !speedup) {
		refuse(f, "out of memory");
		goto out;
	}
	for (i = 0; i < r->n; i++) {
		const struct run *run = &r->runs[i], *stock;

		if (run->part != part || run->setting != setting || strcmp(run->job, job))
			continue;
		stock = stock_of(r, run);
		if (!stock) {
			refuse(f, "%s: %s, %s: no run of the stock kernel in round %u, pass %u",
			       part_names[part], job, setting_names[setting], run->round,
			       run->pass);
			goto out;
		}
		samples[n] = run->sample;
		speedup[n++] = run->sample.iops / stock->sample.iops;
	}
	if (!n) {
		refuse(f, "%s: %s was not measured in setting %s", part_names[part], job,
		       setting_names[setting]);
		goto out;
	}
	if (part == DETERMINISTIC && n != 1) {
		refuse(f, "%s: %s, %s: %zu runs, where one says all", part_names[part], job,
		       setting_names[setting], n);
		goto out;
	}
	row = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "job", job,
			"setting", setting_names[setting], "speedup", real(median(speedup, n), 6),
			"iops", real(COLUMN_MEDIAN(iops), 1), "instructions_per_io",
			real(COLUMN_MEDIAN(insns), 4), "intr_per_s", real(COLUMN_MEDIAN(intr), 1),
			"ctxsw_per_s", real(COLUMN_MEDIAN(ctxsw), 1), "us",
			real(COLUMN_MEDIAN(us), 2), "sys", real(COLUMN_MEDIAN(sys), 2), "idle",
			real(COLUMN_MEDIAN(idle), 2), "iowait", real(COLUMN_MEDIAN(iowait), 2));
	if (row && part == REAL_PATH) {
		column(samples, n, offsetof(struct sample, iops), values);
		json_object_set_new(row, "runs", json_integer((json_int_t)n));
		json_object_set_new(row, "speedup_min", real(minimum(speedup, n), 6));
		json_object_set_new(row, "speedup_max", real(maximum(speedup, n), 6));
		json_object_set_new(row, "iops_min", real(minimum(values, n), 1));
		json_object_set_new(row, "iops_max", real(maximum(values, n), 1));
	}
	if (!row || json_array_append(list, row)) {
		refuse(f, "out of memory");
		goto out;
	}
	err = 0;
out:
	json_decref(row);
	free(samples);
	free(values);
	free(speedup);
	return err;
}

/* The floor is known only when all rows of a job are there. */
static void add_over_floor(json_t *list)
{
	double floor = 0;
	json_t *row;
	size_t i;

	/* Rows of a job are neighbours, and the floor is the last of them. */
	for (i = json_array_size(list); i-- > 0;) {
		double insns;

		row = json_array_get(list, i);
		insns = json_number_value(json_object_get(row, "instructions_per_io"));
		if (!strcmp(json_string_value(json_object_get(row, "setting")), "noacct"))
			floor = insns;
		json_object_set_new(row, "over_compiled_out_percent",
				    real(100 * (insns / floor - 1), 4));
	}
}

/*
 * What a table has to have. 5.10 looks up every request: there is no part_stats=2, and stock's cached
 * lookup is compared with a plain scan. What was measured beyond that is not left out.
 */
static int wants_row(const struct results *r, enum part part, unsigned int setting)
{
	const char *release =
		json_string_value(json_object_get(json_array_get(r->boots, 0), "release"));
	int is_510 = release && !strncmp(release, "5.10.", 5);
	size_t i;

	if (strcmp(setting_names[setting], is_510 ? "part_stats=2" : "scan"))
		return 1;
	for (i = 0; i < r->n; i++)
		if (r->runs[i].part == part && r->runs[i].setting == setting)
			return 1;
	return 0;
}

/**
 * aggregate - the rows of the table for one device
 * @r: all runs
 * @part: which device
 * @out: a new list of one object a row, jobs in the order they were measured, settings as in
 *	 setting_names; empty when the device was not measured at all
 * @f: says what is missing
 *
 * Every job must have been measured in every setting that its kernel has, and every run is compared
 * with stock's of the same round and pass.
 *
 * Return: 0, or -1 with @out untouched.
 */
int aggregate(const struct results *r, enum part part, json_t **out, struct failure *f)
{
	json_t *list = json_array();
	unsigned int s;
	size_t i, k;

	for (i = 0; list && i < r->n; i++) {
		if (r->runs[i].part != part)
			continue;
		for (k = 0; k < i; k++)
			if (r->runs[k].part == part && !strcmp(r->runs[k].job, r->runs[i].job))
				break;
		if (k < i)
			continue;
		for (s = 0; s < SETTINGS; s++)
			if (wants_row(r, part, s) &&
			    add_row(r, part, r->runs[i].job, s, list, f)) {
				json_decref(list);
				return -1;
			}
	}
	if (!list)
		return refuse(f, "out of memory");
	if (part == DETERMINISTIC)
		add_over_floor(list);
	*out = list;
	return 0;
}
