// SPDX-License-Identifier: GPL-2.0
/*
 * agent measure: what one command costs the machine, from the differences of /proc/stat and of the
 * monotonic clock around it.  The command is also put between two marks for the
 * instruction-counting QEMU plugin.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

struct sample {
	uint64_t ns;
	uint64_t intr;
	uint64_t ctxt;
	/* user, nice, system, idle, iowait, irq, softirq, steal: as /proc/stat orders them */
	uint64_t ticks[8];
};

/*
 * The plugin knows the marks as a cpuid instruction inside these two functions, whose addresses it
 * reads from our symbol table: they must stay functions of their own.  No other code asks for this
 * leaf, and a CPU without it answers all the same.
 */
#define PS_MARK_LEAF 0x70617274U
#define PS_MARK(n)                                                                       \
	do {                                                                             \
		unsigned int a = PS_MARK_LEAF, c = (n), b, d;                            \
		asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory"); \
	} while (0)

__attribute__((noinline, noclone, used)) void ps_mark_begin(void)
{
	PS_MARK(1);
}

__attribute__((noinline, noclone, used)) void ps_mark_end(void)
{
	PS_MARK(2);
}

static int take(struct sample *s)
{
	struct timespec now;
	char *line = NULL;
	size_t size = 0;
	int seen = 0;
	FILE *f;

	f = fopen("/proc/stat", "re");
	if (!f)
		return -errno;
	while (getline(&line, &size, f) > 0) {
		uint64_t *t = s->ticks;

		/* A blank in a scanf format matches nothing too: "cpu0" would pass for "cpu". */
		if (!strncmp(line, "cpu ", 4) &&
		    sscanf(line + 4,
			   "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64,
			   t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6, t + 7) == 8)
			seen |= 1;
		else if (sscanf(line, "intr %" SCNu64, &s->intr) == 1)
			seen |= 2;
		else if (sscanf(line, "ctxt %" SCNu64, &s->ctxt) == 1)
			seen |= 4;
	}
	free(line);
	fclose(f);
	if (seen != 7)
		return -EINVAL;
	clock_gettime(CLOCK_MONOTONIC, &now);
	s->ns = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
	return 0;
}

static int write_json(const char *out, const struct sample *a, const struct sample *b, int code)
{
	uint64_t t[8];
	FILE *f;
	int i;

	for (i = 0; i < 8; i++)
		t[i] = b->ticks[i] - a->ticks[i];
	f = fopen(out, "we");
	if (!f)
		return -errno;
	fprintf(f,
		"{\"wall_ns\":%" PRIu64 ",\"intr\":%" PRIu64 ",\"ctxt\":%" PRIu64
		",\"user_ticks\":%" PRIu64 ",\"system_ticks\":%" PRIu64 ",\"idle_ticks\":%" PRIu64
		",\"iowait_ticks\":%" PRIu64 ",\"irq_ticks\":%" PRIu64 ",\"softirq_ticks\":%" PRIu64
		",\"steal_ticks\":%" PRIu64 ",\"exit\":%d}\n",
		b->ns - a->ns, b->intr - a->intr, b->ctxt - a->ctxt, t[0] + t[1], t[2], t[3], t[4],
		t[5], t[6], t[7], code);
	if (ferror(f)) {
		fclose(f);
		return -EIO;
	}
	return fclose(f) ? -errno : 0;
}

/**
 * measure - run a command and write what it cost as JSON
 * @out: file to write; an old one is replaced
 * @argv: the command, looked up in PATH
 *
 * The ticks are hundredths of a second summed over all CPUs, nice time counted as user time;
 * wall_ns is in nanoseconds of the guest's clock.  The file is written only when the command was
 * started.
 *
 * Return: the command's exit status, 128 + N when signal N ended it, 125 when measuring failed, 127
 * when there is no such command.
 */
int measure(const char *out, char *const argv[])
{
	struct sample before, after;
	int ready[2], status, err, code;
	ssize_t n;
	pid_t pid;

	/* A failed exec must not be reported as a cheap run: it comes back through this pipe. */
	if (pipe2(ready, O_CLOEXEC)) {
		fprintf(stderr, "agent measure: pipe: %s\n", strerror(errno));
		return 125;
	}
	err = take(&before);
	if (err) {
		fprintf(stderr, "agent measure: /proc/stat: %s\n", strerror(-err));
		return 125;
	}
	ps_mark_begin();
	pid = fork();
	if (pid == 0) {
		execvp(argv[0], argv);
		err = errno;
		n = write(ready[1], &err, sizeof(err));
		_exit(n == sizeof(err) ? 127 : 126);
	}
	if (pid < 0) {
		fprintf(stderr, "agent measure: fork: %s\n", strerror(errno));
		return 125;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	ps_mark_end();
	err = take(&after);
	if (err) {
		fprintf(stderr, "agent measure: /proc/stat: %s\n", strerror(-err));
		return 125;
	}
	close(ready[1]);
	if (read(ready[0], &err, sizeof(err)) == sizeof(err)) {
		fprintf(stderr, "agent measure: %s: %s\n", argv[0], strerror(err));
		return 127;
	}
	code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	err = write_json(out, &before, &after, code);
	if (err) {
		fprintf(stderr, "agent measure: %s: %s\n", out, strerror(-err));
		return 125;
	}
	return code;
}
