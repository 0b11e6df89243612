// SPDX-License-Identifier: GPL-2.0
/*
 * Command line of lookup-bench.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "model/bench.h"

#define MAX_LIST  64
#define MAX_DISKS 10000
#define MAX_PARTS 255

static const char usage[] =
	"usage: lookup-bench [OPTION...] [--and OPTION...]...\n"
	"Measures what it costs to find the partition that a sector is in.\n"
	"\n"
	"Where a LIST is taken, each combination of the values is measured; all of them in one\n"
	"interleaved run. --and begins a further set of combinations, from the defaults.\n"
	"\n"
	"  --pattern LIST   uniform (default), affine, zipf, sequential, mixed-size, shared-disk,\n"
	"                   own-disk (as shared-disk, but a disk each), replay\n"
	"  --disks LIST     number of disks, 1 to 10000 (30)\n"
	"  --parts LIST     partitions on each, 1 to 255 (15)\n"
	"  --threads LIST   threads, each on a CPU of its own (1)\n"
	"  --cold           before each lookup, flush the lines that it touches besides the disk's\n"
	"                   and the bio's, which its caller has at hand\n"
	"  --cold-disk      the same, and the disk's as well\n"
	"  --warm           flush nothing (default; with --cold: both)\n"
	"  --trace FILE     what to replay: fio iolog version 2 or 3, or the text of blkparse\n"
	"  --variant LIST   of the names below; all (default), or explored\n"
	"\n"
	"for all sets:\n"
	"  --runs N         runs of each, interleaved, 1 to 10001 (31)\n"
	"  --lookups N      lookups in a run, 1024 to 16777216 (65536)\n"
	"  --seed N         of all random choices (1)\n"
	"  --no-count       do not count instructions\n"
	"  --rebuild        time and memory of building the map, too\n"
	"  --json FILE      write the results there\n"
	"  --dat FILE       and a table for gnuplot there\n"
	"  --quiet          no progress\n"
	"  --help           this text\n";

/* One set of combinations. */
struct set {
	bool given; /* any option of it */
	unsigned int pattern[MAX_LIST], nr_patterns;
	unsigned int disks[MAX_LIST], nr_disks;
	unsigned int parts[MAX_LIST], nr_parts;
	unsigned int threads[MAX_LIST], nr_threads;
	bool temper[NR_COLD]; /* by enum cold */
	const char *trace;
	const struct variant *variant[BENCH_MAX_VARIANTS];
	unsigned int nr_variants;
};

unsigned int cpus_allowed(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

int cpu_allowed(unsigned int nth)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !nth--)
			return cpu;
	return -1;
}

static bool parse_number(const char *option, const char *s, u64 min, u64 max, u64 *n)
{
	char *end;

	errno = 0;
	*n = strtoull(s, &end, 10);
	if (*s >= '0' && *s <= '9' && !*end && !errno && *n >= min && *n <= max)
		return true;
	fprintf(stderr,
		"lookup-bench: --%s %s: expected a number from %" PRIu64 " to %" PRIu64 "\n",
		option, s, min, max);
	return false;
}

/* Calls @each with every item of a list separated by commas. */
static bool parse_list(const char *option, const char *list,
		       bool (*each)(struct set *set, const char *option, const char *item),
		       struct set *set)
{
	char *copy = strdup(list), *save, *item;
	bool ok = true;
	int n = 0;

	for (item = strtok_r(copy, ",", &save); item && ok; item = strtok_r(NULL, ",", &save)) {
		ok = ++n <= MAX_LIST;
		if (!ok)
			fprintf(stderr, "lookup-bench: --%s: more than %d values\n", option,
				MAX_LIST);
		else
			ok = each(set, option, item);
	}
	free(copy);
	if (ok && !n) {
		fprintf(stderr, "lookup-bench: --%s: the list is empty\n", option);
		ok = false;
	}
	return ok;
}

static bool add_pattern(struct set *set, const char *option, const char *item)
{
	unsigned int i;

	(void)option;
	for (i = 0; i < NR_PATTERNS; i++) {
		if (!strcmp(item, pattern_name[i])) {
			set->pattern[set->nr_patterns++] = i;
			return true;
		}
	}
	fprintf(stderr, "lookup-bench: --pattern %s: expected one of", item);
	for (i = 0; i < NR_PATTERNS; i++)
		fprintf(stderr, " %s", pattern_name[i]);
	fprintf(stderr, "\n");
	return false;
}

static bool add_disks(struct set *set, const char *option, const char *item)
{
	u64 n;

	if (!parse_number(option, item, 1, MAX_DISKS, &n))
		return false;
	set->disks[set->nr_disks++] = n;
	return true;
}

static bool add_parts(struct set *set, const char *option, const char *item)
{
	u64 n;

	if (!parse_number(option, item, 1, MAX_PARTS, &n))
		return false;
	set->parts[set->nr_parts++] = n;
	return true;
}

static bool add_threads(struct set *set, const char *option, const char *item)
{
	unsigned int cpus = cpus_allowed();
	u64 n;

	if (!parse_number(option, item, 1, BENCH_MAX_THREADS, &n))
		return false;
	if (n > cpus) {
		fprintf(stderr,
			"lookup-bench: --threads %s: each wants a CPU of its own, and there "
			"%s %u\n",
			item, cpus == 1 ? "is" : "are", cpus);
		return false;
	}
	set->threads[set->nr_threads++] = n;
	return true;
}

static bool add_one_variant(struct set *set, const struct variant *v)
{
	unsigned int i;

	for (i = 0; i < set->nr_variants; i++)
		if (set->variant[i] == v)
			return true;
	set->variant[set->nr_variants++] = v;
	return true;
}

static bool add_variant(struct set *set, const char *option, const char *item)
{
	bool all = !strcmp(item, "all"), explored = !strcmp(item, "explored"), found = false;
	unsigned int i;

	(void)option;
	for (i = 0; i < nr_variants; i++)
		if ((all && !variants[i].explored) || (explored && variants[i].explored) ||
		    !strcmp(item, variants[i].name))
			found = add_one_variant(set, &variants[i]);
	if (found)
		return true;
	fprintf(stderr, "lookup-bench: --variant %s: expected all, explored, or of", item);
	for (i = 0; i < nr_variants; i++)
		fprintf(stderr, " %s", variants[i].name);
	fprintf(stderr, "\n");
	return false;
}

static void print_help(void)
{
	unsigned int i;

	fputs(usage, stdout);
	for (i = 0; i < nr_variants; i++) {
		if (!i || variants[i].explored != variants[i - 1].explored)
			printf("\n%s:\n", variants[i].explored ? "explored" : "all");
		printf("  %-15s  %s\n", variants[i].name, variants[i].what);
	}
}

/* What stands in for the options that were not given. */
static void set_defaults(struct set *set)
{
	if (!set->nr_patterns)
		add_pattern(set, "pattern", "uniform");
	if (!set->nr_disks)
		add_disks(set, "disks", "30");
	if (!set->nr_parts)
		add_parts(set, "parts", "15");
	if (!set->nr_threads)
		add_threads(set, "threads", "1");
	if (!set->nr_variants)
		add_variant(set, "variant", "all");
	if (!set->temper[COLD_TABLE] && !set->temper[COLD_DISK])
		set->temper[COLD_NOTHING] = true;
}

static bool set_is_possible(const struct set *set)
{
	bool replay = false;
	unsigned int p, t;

	for (p = 0; p < set->nr_patterns; p++)
		replay |= set->pattern[p] == PATTERN_REPLAY;
	if (replay && !set->trace) {
		fprintf(stderr, "lookup-bench: --pattern replay: --trace FILE is missing\n");
		return false;
	}
	if (set->trace && !replay) {
		fprintf(stderr, "lookup-bench: --trace: only --pattern replay takes a trace\n");
		return false;
	}
	for (t = 0; t < set->nr_threads; t++) {
		if (set->threads[t] > 1 && (set->temper[COLD_TABLE] || set->temper[COLD_DISK])) {
			fprintf(stderr, "lookup-bench: --cold: only with one thread\n");
			return false;
		}
	}
#if !defined(__x86_64__)
	if (set->temper[COLD_TABLE] || set->temper[COLD_DISK]) {
		fprintf(stderr, "lookup-bench: --cold: only on x86-64\n");
		return false;
	}
#endif
	return true;
}

static bool add_point(struct bench *bench, const struct set *set, const struct point *settings)
{
	struct point *point;
	unsigned int v;

	bench->point = realloc(bench->point, (bench->nr_points + 1) * sizeof(*point));
	if (!bench->point)
		abort();
	point = &bench->point[bench->nr_points++];
	*point = *settings;
	/* Its disks and partitions come from the trace. */
	if (point->pattern == PATTERN_REPLAY) {
		point->trace = trace_read(set->trace, point->parts);
		if (!point->trace)
			return false;
		point->disks = point->trace->nr_disks;
		point->parts = point->trace->nr_parts;
	}
	for (v = 0; v < set->nr_variants; v++)
		point->result[v].variant = set->variant[v];
	point->nr_results = set->nr_variants;
	return true;
}

/* Append the combinations of @set to the points. */
static bool add_points(struct bench *bench, struct set *set)
{
	unsigned int nr, i;

	if (!set_is_possible(set))
		return false;
	set_defaults(set);
	nr = set->nr_patterns * set->nr_disks * set->nr_parts * set->nr_threads * NR_COLD;
	for (i = 0; i < nr; i++) {
		struct point p = {0};
		unsigned int d, rest = i;

		p.cold = rest % NR_COLD;
		rest /= NR_COLD;
		p.threads = set->threads[rest % set->nr_threads];
		rest /= set->nr_threads;
		p.parts = set->parts[rest % set->nr_parts];
		rest /= set->nr_parts;
		d = rest % set->nr_disks;
		p.disks = set->disks[d];
		p.pattern = set->pattern[rest / set->nr_disks];
		if (!set->temper[p.cold] || (p.pattern == PATTERN_REPLAY && d))
			continue;
		if (!add_point(bench, set, &p))
			return false;
	}
	return true;
}

enum {
	OPT_PATTERN = 256,
	OPT_DISKS,
	OPT_PARTS,
	OPT_THREADS,
	OPT_COLD,
	OPT_COLD_DISK,
	OPT_WARM,
	OPT_TRACE,
	OPT_VARIANT,
	OPT_AND,
	OPT_RUNS,
	OPT_LOOKUPS,
	OPT_SEED,
	OPT_NO_COUNT,
	OPT_REBUILD,
	OPT_JSON,
	OPT_DAT,
	OPT_QUIET,
	OPT_HELP,
};

static const struct option long_options[] = {
	{"pattern", required_argument, NULL, OPT_PATTERN},
	{"disks", required_argument, NULL, OPT_DISKS},
	{"parts", required_argument, NULL, OPT_PARTS},
	{"threads", required_argument, NULL, OPT_THREADS},
	{"cold", no_argument, NULL, OPT_COLD},
	{"cold-disk", no_argument, NULL, OPT_COLD_DISK},
	{"warm", no_argument, NULL, OPT_WARM},
	{"trace", required_argument, NULL, OPT_TRACE},
	{"variant", required_argument, NULL, OPT_VARIANT},
	{"and", no_argument, NULL, OPT_AND},
	{"runs", required_argument, NULL, OPT_RUNS},
	{"lookups", required_argument, NULL, OPT_LOOKUPS},
	{"seed", required_argument, NULL, OPT_SEED},
	{"no-count", no_argument, NULL, OPT_NO_COUNT},
	{"rebuild", no_argument, NULL, OPT_REBUILD},
	{"json", required_argument, NULL, OPT_JSON},
	{"dat", required_argument, NULL, OPT_DAT},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"help", no_argument, NULL, OPT_HELP},
	{0},
};

static bool parse_option(struct bench *bench, struct set *set, int opt)
{
	struct options *o = &bench->opt;
	u64 n = 0;

	switch (opt) {
	case OPT_PATTERN:
		set->nr_patterns = 0;
		return parse_list("pattern", optarg, add_pattern, set);
	case OPT_DISKS:
		set->nr_disks = 0;
		return parse_list("disks", optarg, add_disks, set);
	case OPT_PARTS:
		set->nr_parts = 0;
		return parse_list("parts", optarg, add_parts, set);
	case OPT_THREADS:
		set->nr_threads = 0;
		return parse_list("threads", optarg, add_threads, set);
	case OPT_VARIANT:
		set->nr_variants = 0;
		return parse_list("variant", optarg, add_variant, set);
	case OPT_COLD:
		set->temper[COLD_TABLE] = true;
		return true;
	case OPT_COLD_DISK:
		set->temper[COLD_DISK] = true;
		return true;
	case OPT_WARM:
		set->temper[COLD_NOTHING] = true;
		return true;
	case OPT_TRACE:
		set->trace = optarg;
		return true;
	case OPT_RUNS:
		if (!parse_number("runs", optarg, 1, BENCH_MAX_RUNS, &n))
			return false;
		o->runs = n;
		return true;
	case OPT_LOOKUPS:
		if (!parse_number("lookups", optarg, 1024, 1 << 24, &n))
			return false;
		o->lookups = n;
		return true;
	case OPT_SEED:
		return parse_number("seed", optarg, 0, UINT64_MAX, &o->seed);
	case OPT_NO_COUNT:
		o->count = false;
		return true;
	case OPT_REBUILD:
		o->rebuild = true;
		return true;
	case OPT_JSON:
		o->json = optarg;
		return true;
	case OPT_DAT:
		o->dat = optarg;
		return true;
	case OPT_QUIET:
		o->quiet = true;
		return true;
	case OPT_HELP:
		print_help();
		exit(0);
	default:
		/* getopt has said what is wrong. */
		fprintf(stderr, "lookup-bench: --help lists the options\n");
		return false;
	}
}

bool options_parse(struct bench *bench, int argc, char **argv)
{
	struct set set = {0};
	int opt;

	bench->opt = (struct options){
		.lookups = 65536,
		.runs = 31,
		.seed = 1,
		.count = true,
		.cpus = cpus_allowed(),
		.argc = argc,
		.argv = argv,
	};
	while ((opt = getopt_long(argc, argv, "", long_options, NULL)) >= 0) {
		if (opt == OPT_AND) {
			if (!add_points(bench, &set))
				return false;
			memset(&set, 0, sizeof(set));
		} else if (!parse_option(bench, &set, opt)) {
			return false;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "lookup-bench: %s: no such argument; --help lists the options\n",
			argv[optind]);
		return false;
	}
	return add_points(bench, &set);
}
