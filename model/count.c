// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions per lookup: from the processor's counter where there is one that we may
 * read; else by running the benchmark's lookups, and nothing else of it, in callgrind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <valgrind/callgrind.h>
#include "model/bench.h"

static volatile uintptr_t answers;

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static double perf_loop(int fd, const struct variant *v, const struct model_bio *bio)
{
	u64 n = 0;

	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	answers = v->loop(bio, COUNT_LOOKUPS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &n, sizeof(n)) != sizeof(n))
		return -1;
	return (double)n / COUNT_LOOKUPS;
}

static const struct variant *find_variant(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_variants; i++)
		if (!strcmp(variants[i].name, name))
			return &variants[i];
	return NULL;
}

static size_t count_lookups(const struct bench *bench)
{
	return min(bench->opt.lookups, (size_t)COUNT_LOOKUPS);
}

/* The loop is the same for all; what remains is the function, of which two are known. */
static void count_by_perf(struct bench *bench, int fd)
{
	const struct variant *nothing = find_variant("nothing");
	unsigned int p, v;

	for (p = 0; p < bench->nr_points; p++) {
		struct point *point = &bench->point[p];

		for (v = 0; v < point->nr_results; v++) {
			struct result *r = &point->result[v];

			if (!r->fits)
				continue;
			if (r->variant->reset)
				r->variant->reset(point->fleet);
			r->instructions = perf_loop(fd, r->variant, point->bio[0]) -
					  perf_loop(fd, nothing, point->bio[0]) + 2;
		}
	}
}

/*
 * Under callgrind, which collects only while one of the functions to be counted runs:
 * point by point and variant by variant, a dump of what has been collected.
 */
void points_count_pass(struct bench *bench)
{
	unsigned int p, v;
	char name[64];

	for (p = 0; p < bench->nr_points; p++) {
		struct point *point = &bench->point[p];

		for (v = 0; v < point->nr_results; v++) {
			struct result *r = &point->result[v];

			if (!r->fits)
				continue;
			if (r->variant->reset)
				r->variant->reset(point->fleet);
			CALLGRIND_ZERO_STATS;
			answers = r->variant->loop(point->bio[0], count_lookups(bench));
			snprintf(name, sizeof(name), "count %u %u", p, v);
			CALLGRIND_DUMP_STATS_AT(name);
		}
	}
}

/* "desc: Trigger: Client Request: count 0 3", and further below "totals: 81920". */
static bool read_dumps(struct bench *bench, const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned int p, v;
	bool named = false, any = false;
	char line[512];
	u64 n;

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "desc: Trigger: Client Request: count %u %u", &p, &v) == 2) {
			named = p < bench->nr_points && v < bench->point[p].nr_results;
		} else if (named && sscanf(line, "totals: %" SCNu64, &n) == 1) {
			bench->point[p].result[v].instructions = (double)n / count_lookups(bench);
			named = false;
			any = true;
		}
	}
	fclose(f);
	return any;
}

static bool count_by_callgrind(struct bench *bench)
{
	char dir[] = "/tmp/lookup-bench.XXXXXX", out[64], log[64], option[96], log_option[96];
	char **argv = calloc(bench->opt.argc + 16, sizeof(*argv));
	bool ok = false;
	int n = 0, i, status;
	pid_t pid;

	if (!argv || !mkdtemp(dir)) {
		free(argv);
		return false;
	}
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(log, sizeof(log), "%s/log", dir);
	snprintf(option, sizeof(option), "--callgrind-out-file=%s", out);
	snprintf(log_option, sizeof(log_option), "--log-file=%s", log);
	argv[n++] = "valgrind";
	argv[n++] = "--tool=callgrind";
	argv[n++] = "--collect-atstart=no";
	argv[n++] = "--toggle-collect=lookup_*";
	argv[n++] = "--toggle-collect=disk_map_sector_rcu";
	argv[n++] = "--combine-dumps=yes";
	argv[n++] = option;
	argv[n++] = log_option;
	argv[n++] = "/proc/self/exe";
	for (i = 1; i < bench->opt.argc; i++)
		argv[n++] = bench->opt.argv[i];

	pid = fork();
	if (!pid) {
		char self[4096];
		ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

		if (len > 0) {
			self[len] = 0;
			argv[8] = self;
			setenv("LOOKUP_BENCH_COUNT_PASS", "1", 1);
			execvp("valgrind", argv);
		}
		_exit(127);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status))
		ok = read_dumps(bench, out);
	unlink(out);
	unlink(log);
	rmdir(dir);
	free(argv);
	return ok;
}

void points_count(struct bench *bench)
{
	int fd = perf_open();

	if (fd >= 0) {
		count_by_perf(bench, fd);
		close(fd);
		bench->instructions_by = "perf";
	} else if (count_by_callgrind(bench)) {
		bench->instructions_by = "callgrind";
	} else {
		fprintf(stderr,
			"lookup-bench: instructions are not counted: no performance counter "
			"to be had, and no valgrind\n");
	}
}
