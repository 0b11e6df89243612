// SPDX-License-Identifier: GPL-2.0
/*
 * The tables, printed from run.json and nothing else: what is not in the file is not shown.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "table.h"

static double number(const json_t *row, const char *key)
{
	const json_t *v = json_object_get(row, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* A cell with its figure at the right edge; "-" for what could not be measured. */
static void cell(FILE *out, int width, int decimals, double v)
{
	if (isnan(v))
		fprintf(out, " %*s |", width, "-");
	else
		fprintf(out, " %*.*f |", width, decimals, v);
}

/* What a row must have: in both parts, and in one of them. */
static const char *const common_keys[] = {
	"speedup", "iops", "intr_per_s", "ctxsw_per_s", "us", "sys", "idle", "iowait", NULL,
};
static const char *const part_keys[PARTS][5] = {
	[DETERMINISTIC] = {"instructions_per_io", "over_compiled_out_percent"},
	[REAL_PATH] = {"speedup_min", "speedup_max", "iops_min", "iops_max"},
};

static int check_keys(const json_t *row, const char *const *key, size_t i, const char *part,
		      const char *path, struct failure *f)
{
	for (; *key; key++)
		if (isnan(number(row, *key)))
			return refuse(f, "%s: %s[%zu]: '%s' is missing or not a number", path, part,
				      i, *key);
	return 0;
}

static int check_row(const json_t *row, size_t i, enum part p, const char *path, struct failure *f)
{
	const char *part = part_names[p];

	if (!json_is_string(json_object_get(row, "job")) ||
	    !json_is_string(json_object_get(row, "setting")))
		return refuse(f, "%s: %s[%zu]: 'job' or 'setting' is missing", path, part, i);
	if (check_keys(row, common_keys, i, part, path, f) ||
	    check_keys(row, part_keys[p], i, part, path, f))
		return -1;
	return 0;
}

/* Least and greatest of a figure, as one cell. */
static void spread(FILE *out, int width, int decimals, const json_t *row, const char *min,
		   const char *max)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f-%.*f", decimals, number(row, min), decimals,
		 number(row, max));
	fprintf(out, " %*s |", width, text);
}

static int print_part(FILE *out, const json_t *run, enum part part, const char *path,
		      struct failure *f)
{
	const json_t *list = json_object_get(run, part_names[part]), *row;
	const char *job, *last = "", *setting;
	int det = part == DETERMINISTIC;
	size_t i;

	if (!json_is_array(list))
		return refuse(f, "%s: '%s' is missing or not a list", path, part_names[part]);
	json_array_foreach(list, i, row) {
		if (check_row(row, i, part, path, f))
			return -1;
		job = json_string_value(json_object_get(row, "job"));
		setting = json_string_value(json_object_get(row, "setting"));
		if (strcmp(job, last)) {
			if (det)
				fprintf(out,
					"\n| %-17s | Speedup(x) |   IOPS | insns/IO | over floor %% | "
					"Intr/s | CtxSw/s |  us%% | sys%% | idle%% | iowait%% |\n"
					"|-------------------|------------|--------|----------|-------"
					"-------|--------|---------|------|------|-------|---------|\n",
					job);
			else
				fprintf(out,
					"\n| %-17s | Speedup(x) |     min-max |   IOPS |       min-max | "
					"Intr/s | CtxSw/s |  us%% | sys%% | idle%% | iowait%% |\n"
					"|-------------------|------------|-------------|--------|-----"
					"----------|--------|---------|------|------|-------|---------|\n",
					job);
			last = job;
		}
		fprintf(out, "| %-17s |", setting_label(setting));
		cell(out, 10, det ? 4 : 3, number(row, "speedup"));
		if (!det)
			spread(out, 11, 3, row, "speedup_min", "speedup_max");
		cell(out, 6, 0, number(row, "iops"));
		if (!det)
			spread(out, 13, 0, row, "iops_min", "iops_max");
		if (det) {
			cell(out, 8, 1, number(row, "instructions_per_io"));
			cell(out, 12, 3, number(row, "over_compiled_out_percent"));
		}
		cell(out, 6, 0, number(row, "intr_per_s"));
		cell(out, 7, 0, number(row, "ctxsw_per_s"));
		cell(out, 4, 0, number(row, "us"));
		cell(out, 4, 0, number(row, "sys"));
		cell(out, 5, 0, number(row, "idle"));
		cell(out, 7, 0, number(row, "iowait"));
		fprintf(out, "\n");
	}
	return 0;
}

/**
 * print_tables - print everything a run.json holds
 * @out: where to
 * @run: the file's content
 * @path: its name, for the error message
 * @f: says what is wrong
 *
 * Return: 0, or -1 when something is missing.
 */
int print_tables(FILE *out, const json_t *run, const char *path, struct failure *f)
{
	const json_t *real;

	fprintf(out,
		"\nDeterministic: scsi_debug, icount (one instruction = one guest nanosecond), 1 CPU\n"
		"Speedup(x) against stock; over floor: instructions per I/O above \"compiled out\"\n");
	if (print_part(out, run, DETERMINISTIC, path, f))
		return -1;
	real = json_object_get(run, part_names[REAL_PATH]);
	if (json_is_array(real) && !json_array_size(real))
		return 0;
	fprintf(out,
		"\nReal path: virtio-scsi on disk images; medians over interleaved runs\n"
		"Speedup(x) against the stock run of the same round, with least and greatest; what is\n"
		"smaller than the spread of stock's own IOPS is not a difference\n");
	return print_part(out, run, REAL_PATH, path, f);
}
