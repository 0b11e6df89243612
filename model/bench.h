/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lookup microbenchmark: what is to be measured, and what came out.
 */
#ifndef MODEL_BENCH_H
#define MODEL_BENCH_H

#include "model/model.h"

#define BENCH_MAX_VARIANTS 32
#define BENCH_MAX_THREADS  256
#define BENCH_MAX_RUNS	   10001

/* Lookups of one run when each is preceded by flushes, and of a counting pass. */
#define COLD_LOOKUPS  1024
#define COUNT_LOOKUPS 4096

struct options {
	size_t lookups; /* of one run */
	unsigned int runs;
	u64 seed;
	bool rebuild;
	bool count; /* instructions */
	bool quiet;
	bool count_pass;   /* we are the process that callgrind watches */
	unsigned int cpus; /* that we may run on; before binding ourselves to one */
	const char *json;
	const char *dat;
	int argc;
	char **argv;
};

/* What one variant did at one point; negative: not known. */
struct result {
	const struct variant *variant;
	bool fits;  /* the variant copes with how the disks are divided */
	double *ns; /* per lookup, one a run */
	double ns_median, ns_min, ns_max;
	double lines;	  /* distinct cache lines a lookup, besides the gendisk's and the bio's */
	double lines_max; /* the most that one lookup needed */
	double shared_stores;
	double percpu_stores;
	double hit_rate;
	double instructions;
};

/* What is flushed before each lookup. */
enum cold {
	COLD_NOTHING,
	COLD_TABLE, /* what it touches besides the gendisk and the bio */
	COLD_DISK,  /* the gendisk as well */
	NR_COLD,
};

/* One setting in which all variants are measured. */
struct point {
	enum pattern pattern;
	unsigned int disks;
	unsigned int parts;
	unsigned int threads;
	enum cold cold;
	const struct trace *trace; /* of PATTERN_REPLAY */
	struct fleet *fleet;
	struct model_bio *bio[BENCH_MAX_THREADS];
	unsigned int nr_results;
	struct result result[BENCH_MAX_VARIANTS];
};

struct rebuild {
	const char *layout;
	unsigned int parts;
	const char *form;  /* plain, wide or tree */
	size_t bytes;	   /* asked for */
	size_t slab_bytes; /* what kmalloc() takes for that */
	double us_median, us_min, us_max;
};

struct bench {
	struct options opt;
	unsigned int nr_points;
	struct point *point;
	unsigned int nr_rebuilds;
	struct rebuild rebuild[16];
	const char *instructions_by; /* "perf", "callgrind", or NULL */
};

/* options.c: returns false after having said what is wrong; exits for --help. */
bool options_parse(struct bench *bench, int argc, char **argv);

/* CPUs that this process may run on, and the @nth of them. */
unsigned int cpus_allowed(void);
int cpu_allowed(unsigned int nth);

/* measure.c */
bool points_prepare(struct bench *bench);
void points_measure(struct bench *bench);
void points_free(struct bench *bench);
void rebuilds_measure(struct bench *bench);
double median(double *v, unsigned int nr);

/* count.c: fills in the instructions, if the machine or valgrind can count them. */
void points_count(struct bench *bench);
/* The part of it that runs under callgrind. */
void points_count_pass(struct bench *bench);

/* output.c */
void output_table(const struct bench *bench);
bool output_json(const struct bench *bench, const char *path);
bool output_dat(const struct bench *bench, const char *path);

#endif
