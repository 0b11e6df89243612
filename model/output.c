// SPDX-License-Identifier: GPL-2.0
/*
 * Results: as text for people, as JSON for the report, as columns for gnuplot.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "model/bench.h"

static const char *plural(unsigned int n)
{
	return n == 1 ? "" : "s";
}

/* A figure that may be unknown, as a column of @width. */
static void column(double value, int width, int digits)
{
	if (value < 0)
		printf(" %*s", width, "-");
	else
		printf(" %*.*f", width, digits, value);
}

static double map_median(const struct point *point)
{
	unsigned int v;

	for (v = 0; v < point->nr_results; v++)
		if (!strcmp(point->result[v].variant->name, "map"))
			return point->result[v].ns_median;
	return 0;
}

static const char *const cold_name[NR_COLD] = {
	[COLD_NOTHING] = "",
	[COLD_TABLE] = ", cold",
	[COLD_DISK] = ", cold, the disk too",
};

static void table_point(const struct point *point)
{
	double map = map_median(point);
	unsigned int v;

	printf("\n%s: %u disk%s x %u partition%s, %u thread%s%s\n", pattern_name[point->pattern],
	       point->disks, plural(point->disks), point->parts, plural(point->parts),
	       point->threads, plural(point->threads), cold_name[point->cold]);
	printf("  %-14s %9s %9s %9s %7s %7s %6s %5s %7s %6s\n", "variant", "ns/lookup", "min",
	       "max", "x map", "instr", "lines", "most", "stores", "hit %");
	for (v = 0; v < point->nr_results; v++) {
		const struct result *r = &point->result[v];

		printf("  %-14s", r->variant->name);
		if (!r->fits) {
			printf(" does not fit this division\n");
			continue;
		}
		column(r->ns_median, 9, 2);
		column(r->ns_min, 9, 2);
		column(r->ns_max, 9, 2);
		column(map > 0 ? r->ns_median / map : -1, 7, 2);
		column(r->instructions, 7, 1);
		column(r->lines, 6, 2);
		column(r->lines_max, 5, 0);
		column(r->shared_stores, 7, 3);
		column(r->hit_rate < 0 ? -1 : 100 * r->hit_rate, 6, 1);
		printf("\n");
	}
}

void output_table(const struct bench *bench)
{
	unsigned int i;

	printf("Medians of %u interleaved runs of %zu lookups (cold: %d), CPU time. "
	       "Instructions: %s.\n",
	       bench->opt.runs, bench->opt.lookups, COLD_LOOKUPS,
	       bench->instructions_by ? bench->instructions_by : "not counted");
	printf("lines, most: distinct cache lines touched besides the disk's and the bio's, mean and "
	       "worst.\nstores: to memory shared between CPUs, a lookup.\n");
	for (i = 0; i < bench->nr_points; i++)
		table_point(&bench->point[i]);
	if (bench->nr_rebuilds)
		printf("\nrebuilding the map:\n  %-8s %10s %8s %7s %7s %9s %9s %9s\n", "division",
		       "partitions", "form", "bytes", "of slab", "us", "min", "max");
	for (i = 0; i < bench->nr_rebuilds; i++) {
		const struct rebuild *r = &bench->rebuild[i];

		printf("  %-8s %10u %8s %7zu %7zu %9.2f %9.2f %9.2f\n", r->layout, r->parts,
		       r->form, r->bytes, r->slab_bytes, r->us_median, r->us_min, r->us_max);
	}
}

/* null where nothing is known */
static json_t *number(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

static json_t *result_json(const struct point *point, const struct result *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "variant", json_string(r->variant->name));
	json_object_set_new(o, "pattern", json_string(pattern_name[point->pattern]));
	json_object_set_new(o, "threads", json_integer(point->threads));
	json_object_set_new(o, "disks", json_integer(point->disks));
	json_object_set_new(o, "parts", json_integer(point->parts));
	json_object_set_new(o, "cold", json_boolean(point->cold != COLD_NOTHING));
	json_object_set_new(o, "cold_disk", json_boolean(point->cold == COLD_DISK));
	json_object_set_new(o, "ns_median", number(r->ns_median));
	json_object_set_new(o, "ns_min", number(r->ns_min));
	json_object_set_new(o, "ns_max", number(r->ns_max));
	json_object_set_new(o, "lines", number(r->lines));
	json_object_set_new(o, "lines_max", number(r->lines_max));
	json_object_set_new(o, "shared_stores", number(r->shared_stores));
	json_object_set_new(o, "percpu_stores", number(r->percpu_stores));
	json_object_set_new(o, "hit_rate", number(r->hit_rate));
	json_object_set_new(o, "instructions", number(r->instructions));
	return o;
}

static json_t *rebuild_json(const struct rebuild *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "division", json_string(r->layout));
	json_object_set_new(o, "parts", json_integer(r->parts));
	json_object_set_new(o, "form", json_string(r->form));
	json_object_set_new(o, "bytes", json_integer(r->bytes));
	json_object_set_new(o, "slab_bytes", json_integer(r->slab_bytes));
	json_object_set_new(o, "us_median", json_real(r->us_median));
	json_object_set_new(o, "us_min", json_real(r->us_min));
	json_object_set_new(o, "us_max", json_real(r->us_max));
	return o;
}

static char *cpu_model(char *buf, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(buf, size, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (!strncmp(line, "model name", 10) && colon) {
			line[strcspn(line, "\n")] = 0;
			snprintf(buf, size, "%s", colon + 2);
			break;
		}
	}
	if (f)
		fclose(f);
	return buf;
}

bool output_json(const struct bench *bench, const char *path)
{
	json_t *o = json_object(), *results = json_array(), *rebuilds = json_array();
	json_t *command = json_array();
	unsigned int i, v;
	char cpu[128];
	bool ok;

	for (i = 0; i < (unsigned int)bench->opt.argc; i++)
		json_array_append_new(command,
				      json_string(i ? bench->opt.argv[i] : "lookup-bench"));
	for (i = 0; i < bench->nr_points; i++)
		for (v = 0; v < bench->point[i].nr_results; v++)
			if (bench->point[i].result[v].fits)
				json_array_append_new(
					results,
					result_json(&bench->point[i], &bench->point[i].result[v]));
	for (i = 0; i < bench->nr_rebuilds; i++)
		json_array_append_new(rebuilds, rebuild_json(&bench->rebuild[i]));
	json_object_set_new(o, "command", command);
	json_object_set_new(o, "cpu", json_string(cpu_model(cpu, sizeof(cpu))));
	json_object_set_new(o, "cpus", json_integer(bench->opt.cpus));
	json_object_set_new(o, "compiler", json_string(__VERSION__));
	json_object_set_new(o, "seed", json_integer(bench->opt.seed));
	json_object_set_new(o, "runs", json_integer(bench->opt.runs));
	json_object_set_new(o, "lookups", json_integer(bench->opt.lookups));
	json_object_set_new(o, "instructions_by",
			    bench->instructions_by ? json_string(bench->instructions_by)
						   : json_null());
	json_object_set_new(o, "results", results);
	json_object_set_new(o, "rebuild", rebuilds);
	errno = 0;
	ok = !json_dump_file(o, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	json_decref(o);
	if (!ok)
		fprintf(stderr, "lookup-bench: %s: cannot be written: %s\n", path,
			errno ? strerror(errno) : "write error");
	return ok;
}

bool output_dat(const struct bench *bench, const char *path)
{
	FILE *f = fopen(path, "w");
	unsigned int i, v;

	if (f) {
		fprintf(f, "# pattern threads cold disks parts variant ns_median ns_min ns_max\n");
		for (i = 0; i < bench->nr_points; i++) {
			const struct point *p = &bench->point[i];

			for (v = 0; v < p->nr_results; v++) {
				const struct result *r = &p->result[v];

				if (r->fits)
					fprintf(f, "%s %u %d %u %u %s %.4f %.4f %.4f\n",
						pattern_name[p->pattern], p->threads, p->cold,
						p->disks, p->parts, r->variant->name, r->ns_median,
						r->ns_min, r->ns_max);
			}
		}
	}
	if (!f || fclose(f)) {
		fprintf(stderr, "lookup-bench: %s: cannot be written: %s\n", path, strerror(errno));
		return false;
	}
	return true;
}
