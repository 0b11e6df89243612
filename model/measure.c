// SPDX-License-Identifier: GPL-2.0
/*
 * Measuring: all variants of all points take turns, run by run, so that what disturbs
 * the machine for a while disturbs them alike; medians and spread over the runs.
 *
 * Time is the CPU time of the thread: what other programs on the machine take away is not
 * the lookup's. Threads are bound to CPUs.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "block/part-map.h"
#include "model/bench.h"
#include "model/lookups.h"

/* Lines to flush before each lookup of a cold run. */
struct flush_list {
	u32 first[COLD_LOOKUPS + 1];
	uintptr_t *line;
};

struct job {
	const struct point *point;
	const struct variant *variant;
	const struct flush_list *flush; /* NULL: a warm run */
	size_t lookups;
};

struct worker {
	pthread_t thread;
	unsigned int nr;
	double ns; /* per lookup, of the last job */
};

static struct {
	struct worker worker[BENCH_MAX_THREADS];
	unsigned int nr;
	pthread_barrier_t start, end; /* with the first worker, who gives out the jobs */
	unsigned int ready;	      /* workers at the line; they spin there */
	unsigned int done;	      /* workers that have been timed */
	struct job job;		      /* no variant: go home */
} crew;

static struct flush_list **flush_lists; /* [point * BENCH_MAX_VARIANTS + variant] */

/* Keeps answers from being optimised away. */
static volatile uintptr_t answers;

static double now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *v, unsigned int nr)
{
	qsort(v, nr, sizeof(*v), compare_doubles);
	return nr % 2 ? v[nr / 2] : (v[nr / 2 - 1] + v[nr / 2]) / 2;
}

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "lookup-bench: out of memory\n");
		exit(1);
	}
	return p;
}

#if defined(__x86_64__)

static inline u64 ticks_before(void)
{
	u32 lo, hi;

	__asm__ __volatile__("mfence; lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi)::"memory");
	return (u64)hi << 32 | lo;
}

static inline u64 ticks_after(void)
{
	u32 lo, hi;

	__asm__ __volatile__("rdtscp; lfence" : "=a"(lo), "=d"(hi)::"rcx", "memory");
	return (u64)hi << 32 | lo;
}

static inline void flush_line(uintptr_t line)
{
	__asm__ __volatile__("clflush (%0)" ::"r"(line) : "memory");
}

static double ns_per_tick(void)
{
	static double cached;

	if (!cached) {
		double t0 = now_ns(CLOCK_MONOTONIC), t1;
		u64 c0 = ticks_before();

		do
			t1 = now_ns(CLOCK_MONOTONIC);
		while (t1 - t0 < 2e7);
		cached = (t1 - t0) / (ticks_before() - c0);
	}
	return cached;
}

/*
 * Mean of the lookups, each between two readings of the clock, less what those take. The
 * slowest in fifty are left out: those are interrupts, not lookups.
 */
static double run_cold(const struct point *point, const struct variant *v,
		       const struct flush_list *flush, const struct model_bio *bio)
{
	static const struct variant *nothing;
	double t[COLD_LOOKUPS], empty[COLD_LOOKUPS], sum = 0;
	const unsigned int keep = COLD_LOOKUPS - COLD_LOOKUPS / 50;
	uintptr_t found = 0;
	unsigned int i, j;

	(void)point;
	for (i = 0; !nothing; i++)
		if (!strcmp(variants[i].name, "nothing"))
			nothing = &variants[i];
	for (i = 0; i < COLD_LOOKUPS; i++) {
		u64 start;

		for (j = flush->first[i]; j < flush->first[i + 1]; j++)
			flush_line(flush->line[j]);
		start = ticks_before();
		found += (uintptr_t)v->one(&bio[i]);
		t[i] = ticks_after() - start;
		start = ticks_before();
		found += (uintptr_t)nothing->one(&bio[i]);
		empty[i] = ticks_after() - start;
	}
	answers = found;
	qsort(t, COLD_LOOKUPS, sizeof(*t), compare_doubles);
	for (i = 0; i < keep; i++)
		sum += t[i];
	return (sum / keep - median(empty, COLD_LOOKUPS)) * ns_per_tick();
}

#else

static double run_cold(const struct point *point, const struct variant *v,
		       const struct flush_list *flush, const struct model_bio *bio)
{
	(void)point;
	(void)v;
	(void)flush;
	(void)bio;
	return -1;
}

#endif

static double run_warm(const struct variant *v, const struct model_bio *bio, size_t nr)
{
	double start = now_ns(CLOCK_THREAD_CPUTIME_ID);

	answers = v->loop(bio, nr);
	return (now_ns(CLOCK_THREAD_CPUTIME_ID) - start) / nr;
}

static void bind_to_cpu(unsigned int nth)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int cpu[BENCH_MAX_THREADS];
	static bool known;
	cpu_set_t set;

	pthread_mutex_lock(&lock);
	if (!known) {
		unsigned int i, nr = cpus_allowed();

		for (i = 0; i < nr && i < BENCH_MAX_THREADS; i++)
			cpu[i] = cpu_allowed(i);
		known = true;
	}
	pthread_mutex_unlock(&lock);
	bound_to_cpu = cpu[nth];
	CPU_ZERO(&set);
	CPU_SET(cpu[nth], &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

#define WARM_UP_NS 1e6

static void worker_job(struct worker *w, const struct job *job)
{
	const struct model_bio *bio = job->point->bio[w->nr];

	rcu_thread_online();
	rcu_read_lock();
	/*
	 * The caches, the prefetchers and the branch predictors are still used to the previous
	 * variant, and some of them for longer than a run.
	 */
	if (!job->flush) {
		double until = now_ns(CLOCK_THREAD_CPUTIME_ID) + WARM_UP_NS;

		do
			answers = job->variant->loop(bio, job->lookups);
		while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until);
	}
	/* All together, or the first has no rival. */
	__atomic_add_fetch(&crew.ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&crew.ready, __ATOMIC_SEQ_CST) < job->point->threads)
		sched_yield();
	/* Whoever had to wait has been away from its caches. */
	if (job->point->threads > 1 && !job->flush)
		answers = job->variant->loop(bio, job->lookups);
	w->ns = job->flush ? run_cold(job->point, job->variant, job->flush, bio)
			   : run_warm(job->variant, bio, job->lookups);
	/* Nor shall the last be left alone: nobody stops before all are done. */
	__atomic_add_fetch(&crew.done, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&crew.done, __ATOMIC_SEQ_CST) < job->point->threads)
		answers = job->variant->loop(bio, 1024);
	rcu_read_unlock();
	rcu_thread_offline();
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	bind_to_cpu(w->nr);
	rcu_register_thread();
	rcu_thread_offline();
	for (;;) {
		pthread_barrier_wait(&crew.start);
		if (!crew.job.variant)
			break;
		if (w->nr < crew.job.point->threads)
			worker_job(w, &crew.job);
		pthread_barrier_wait(&crew.end);
	}
	rcu_thread_online();
	rcu_unregister_thread();
	return NULL;
}

/* The first of @nr workers is the calling thread. */
static void crew_hire(unsigned int nr)
{
	unsigned int i;

	crew.nr = nr;
	pthread_barrier_init(&crew.start, NULL, nr);
	pthread_barrier_init(&crew.end, NULL, nr);
	bind_to_cpu(0);
	for (i = 1; i < nr; i++) {
		crew.worker[i].nr = i;
		if (pthread_create(&crew.worker[i].thread, NULL, worker_main, &crew.worker[i])) {
			fprintf(stderr, "lookup-bench: no more threads to be had\n");
			exit(1);
		}
	}
}

/* Mean of the threads' times per lookup. */
static double crew_run(const struct job *job)
{
	double sum = 0;
	unsigned int i;

	crew.job = *job;
	crew.ready = 0;
	crew.done = 0;
	/* Waking the others costs more than a short run: only where they have to. */
	if (job->point->threads > 1)
		pthread_barrier_wait(&crew.start);
	worker_job(&crew.worker[0], job);
	if (job->point->threads > 1)
		pthread_barrier_wait(&crew.end);
	for (i = 0; i < job->point->threads; i++)
		sum += crew.worker[i].ns;
	return sum / job->point->threads;
}

static void crew_dismiss(void)
{
	unsigned int i;

	crew.job.variant = NULL;
	pthread_barrier_wait(&crew.start);
	for (i = 1; i < crew.nr; i++)
		pthread_join(crew.worker[i].thread, NULL);
	pthread_barrier_destroy(&crew.start);
	pthread_barrier_destroy(&crew.end);
}

/* Every answer of the stream, once; and what the lookups touch. */
static bool result_check(struct point *point, struct result *r, size_t lookups,
			 struct flush_list *flush)
{
	const struct variant *v = r->variant;
	u64 lines = 0, stores = 0, percpu = 0, hits = 0, touches = 0;
	unsigned int most = 0;
	struct touch touch;
	size_t i;

	if (v->reset)
		v->reset(point->fleet);
	/* Threads take turns: what one leaves in a cache is what the next finds there. */
	for (i = 0; i < lookups * point->threads; i++) {
		const struct model_bio *bio = &point->bio[i % point->threads][i / point->threads];
		struct block_device *want = bio->bdev;

		if (!strcmp(v->name, "nothing"))
			want = NULL;
		hits += v->would_hit && v->would_hit(bio);
		if (touch_lookup(v, bio, point->fleet, &touch) != want || v->one(bio) != want) {
			fprintf(stderr, "lookup-bench: %s: wrong answer for sector %" PRIu64 "\n",
				v->name, (u64)bio->sector);
			return false;
		}
		lines += touch.lines_beyond;
		stores += touch.shared_stores;
		percpu += touch.percpu_stores;
		if (touch.lines_beyond > most)
			most = touch.lines_beyond;
		if (flush && i < COLD_LOOKUPS) {
			unsigned int n;

			flush->first[i] = touches;
			flush->line = need(
				realloc(flush->line,
					(touches + touch.nr_lines) * sizeof(*flush->line) + 8));
			for (n = 0; n < touch.nr_lines; n++)
				if (touch.is_beyond[n] ||
				    (point->cold == COLD_DISK && touch.is_disk[n]))
					flush->line[touches++] = touch.line[n];
			flush->first[i + 1] = touches;
		}
	}
	lookups *= point->threads;
	r->lines = (double)lines / lookups;
	r->lines_max = most;
	r->shared_stores = (double)stores / lookups;
	r->percpu_stores = (double)percpu / lookups;
	r->hit_rate = v->would_hit ? (double)hits / lookups : -1;
	r->instructions = -1;
	return true;
}

static bool point_prepare(struct bench *bench, unsigned int nr)
{
	struct point *point = &bench->point[nr];
	struct fleet_spec spec = {
		.disks = point->disks,
		.parts = point->parts,
		.layout = point->pattern == PATTERN_MIXED_SIZE ? LAYOUT_MIXED
			  : point->trace		       ? LAYOUT_TRACE
							       : LAYOUT_EQUAL,
		.size = point->trace ? point->trace->size : NULL,
		.seed = bench->opt.seed,
	};
	size_t lookups = bench->opt.lookups;
	unsigned int t, v;

	/* Callgrind is slow: no more than what it is to count. */
	if (bench->opt.count_pass)
		lookups = min(lookups, (size_t)COUNT_LOOKUPS);
	point->fleet = fleet_new(&spec);
	for (t = 0; t < point->threads; t++) {
		point->bio[t] = need(standin_huge_alloc(lookups * sizeof(*point->bio[t])));
		stream_fill(point->bio[t], lookups, point->pattern, point->fleet, t, point->threads,
			    point->trace, bench->opt.seed);
	}
	for (v = 0; v < point->nr_results; v++) {
		struct result *r = &point->result[v];
		struct flush_list *flush = NULL;

		r->fits = !r->variant->attach || r->variant->attach(point->fleet);
		if (!r->fits || bench->opt.count_pass)
			continue;
		r->ns = need(calloc(bench->opt.runs, sizeof(*r->ns)));
		if (point->cold) {
			flush = need(calloc(1, sizeof(*flush)));
			flush_lists[nr * BENCH_MAX_VARIANTS + v] = flush;
		}
		if (!result_check(point, r, lookups, flush))
			return false;
	}
	return true;
}

bool points_prepare(struct bench *bench)
{
	unsigned int p;

	flush_lists =
		need(calloc((size_t)bench->nr_points * BENCH_MAX_VARIANTS, sizeof(*flush_lists)));
	for (p = 0; p < bench->nr_points; p++)
		if (!point_prepare(bench, p))
			return false;
	return true;
}

/* In place on a terminal; in a file, a line now and then. */
static void show_progress(unsigned int run, unsigned int runs)
{
	bool terminal = isatty(STDERR_FILENO);

	if (terminal)
		fprintf(stderr, "\rrun %u of %u%s", run, runs, run == runs ? "\n" : " ");
	else if (run % 8 == 0 || run == runs)
		fprintf(stderr, "run %u of %u\n", run, runs);
}

void points_measure(struct bench *bench)
{
	unsigned int run, p, v, threads = 1;

	for (p = 0; p < bench->nr_points; p++)
		threads = max(threads, bench->point[p].threads);
	crew_hire(threads);
	for (run = 0; run < bench->opt.runs; run++) {
		for (p = 0; p < bench->nr_points; p++) {
			struct point *point = &bench->point[p];

			for (v = 0; v < point->nr_results; v++) {
				struct result *r = &point->result[v];
				struct job job = {point, r->variant,
						  flush_lists[p * BENCH_MAX_VARIANTS + v],
						  bench->opt.lookups};

				if (!r->fits)
					continue;
				if (job.flush && r->variant->reset)
					r->variant->reset(point->fleet);
				r->ns[run] = crew_run(&job);
			}
		}
		if (!bench->opt.quiet)
			show_progress(run + 1, bench->opt.runs);
	}
	crew_dismiss();
	for (p = 0; p < bench->nr_points; p++) {
		for (v = 0; v < bench->point[p].nr_results; v++) {
			struct result *r = &bench->point[p].result[v];

			if (!r->fits)
				continue;
			r->ns_median = median(r->ns, bench->opt.runs);
			r->ns_min = r->ns[0];
			r->ns_max = r->ns[bench->opt.runs - 1];
		}
	}
}

void points_free(struct bench *bench)
{
	unsigned int p, v, t;

	for (p = 0; p < bench->nr_points; p++) {
		struct point *point = &bench->point[p];

		for (v = 0; v < point->nr_results; v++) {
			struct flush_list *flush = flush_lists[p * BENCH_MAX_VARIANTS + v];

			free(point->result[v].ns);
			if (flush)
				free(flush->line);
			free(flush);
		}
		for (t = 0; t < point->threads; t++)
			free(point->bio[t]);
		if (point->fleet)
			fleet_free(point->fleet);
		trace_free((struct trace *)point->trace);
	}
	free(flush_lists);
	free(bench->point);
}

/* The only place outside block/ that knows how a map begins. */
static const char *map_form(const struct gendisk *gd)
{
	unsigned long word = (unsigned long)gd->part_map;

	return word & 128 ? "lines" : word & 64 ? "slots" : "tree";
}

static void rebuild_measure(struct bench *bench, const char *name, enum layout layout,
			    unsigned int parts)
{
	struct rebuild *r = &bench->rebuild[bench->nr_rebuilds++];
	struct fleet_spec spec = {
		.disks = 1, .parts = parts, .layout = layout, .seed = bench->opt.seed};
	struct fleet *fleet = fleet_new(&spec);
	struct gendisk *gd = fleet->disk[0].gd;
	unsigned int runs = max(bench->opt.runs, 101U), i;
	double *us = need(calloc(runs, sizeof(*us)));

	r->layout = name;
	r->parts = parts;
	r->form = map_form(gd);
	for (i = 0; i < runs; i++) {
		double start;

		mutex_lock(&gd->open_mutex);
		start = now_ns(CLOCK_THREAD_CPUTIME_ID);
		if (part_map_update(gd))
			need(NULL);
		us[i] = (now_ns(CLOCK_THREAD_CPUTIME_ID) - start) / 1000;
		mutex_unlock(&gd->open_mutex);
		/* Let old maps go: the next need not come from memory that is new. */
		rcu_quiescent_state();
		if (i % 16 == 15)
			rcu_barrier();
	}
	r->bytes = standin_slab.last;
	r->slab_bytes = kmalloc_size_roundup(r->bytes);
	r->us_median = median(us, runs);
	r->us_min = us[0];
	r->us_max = us[runs - 1];
	free(us);
	fleet_free(fleet);
}

void rebuilds_measure(struct bench *bench)
{
	static const unsigned int parts[] = {1, 15, 255};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		rebuild_measure(bench, "equal", LAYOUT_EQUAL, parts[i]);
		rebuild_measure(bench, "gaps", LAYOUT_GAPS, parts[i]);
		rebuild_measure(bench, "mixed", LAYOUT_MIXED, parts[i]);
	}
}
