// SPDX-License-Identifier: GPL-2.0
/*
 * From counts to the columns of the table.
 *
 * Every run is paired with a base run: the same job with so few I/Os that little else than fio's
 * own start and exit is left (450 files to open, processes to fork, and a parent that polls for
 * their end every 10 ms). Only the difference of the two is per-I/O cost.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

/* Coarse counts of two runs may cross by a tick where there is almost nothing to count. */
static double grown(uint64_t run, uint64_t base)
{
	return run > base ? (double)(run - base) : 0.0;
}

/* Split @whole percent into two by the ticks of each; all goes to @b when there are none. */
static void split(double whole, double ticks_a, double ticks_b, double *a, double *b)
{
	double sum = ticks_a + ticks_b;

	*a = sum > 0 ? whole * ticks_a / sum : 0;
	*b = whole - *a;
}

/**
 * sample_deterministic - the columns for a run under icount
 * @run: the run
 * @base: the same job with few I/Os, in the same setting
 * @out: filled in
 *
 * One guest instruction takes one guest nanosecond there, so the time in which the CPU was not
 * idle is the number of instructions. Rates are per second of that time: idle time is skipped by
 * the clock, and all there is comes from fio's parent, asleep between two polls.
 *
 * Ticks come every 4 ms, an I/O takes the same time again and again: a tick sees the same few
 * moments of it, and user and system time split by ticks are far off. Counted instructions are not.
 *
 *
 * Return: 0, or -1 when @run has no more I/Os or no more work than @base.
 */
int sample_deterministic(const struct counts *run, const struct counts *base, struct sample *out)
{
	double ios, busy, idle, seconds;

	if (run->ios <= base->ios || run->wall_ns < run->idle_ns || base->wall_ns < base->idle_ns)
		return -1;
	ios = (double)(run->ios - base->ios);
	busy = (double)(run->wall_ns - run->idle_ns) - (double)(base->wall_ns - base->idle_ns);
	if (busy <= 0)
		return -1;
	idle = grown(run->idle_ns, base->idle_ns);
	seconds = busy / 1e9;

	out->insns = busy / ios;
	out->iops = ios / seconds;
	out->intr = grown(run->intr, base->intr) / seconds;
	out->ctxsw = grown(run->ctxt, base->ctxt) / seconds;
	/* Idle time is known to the nanosecond, what kind of idle only by the tick. */
	split(100 * idle / (busy + idle), grown(run->iowait, base->iowait),
	      grown(run->idle, base->idle), &out->iowait, &out->idle);
	if (run->user_insns) {
		out->us = 100 * grown(run->user_insns, base->user_insns) / (busy + idle);
		out->sys = 100 * busy / (busy + idle) - out->us;
		if (out->sys < 0)
			return -1;
	} else {
		split(100 * busy / (busy + idle), grown(run->user, base->user),
		      grown(run->system, base->system), &out->us, &out->sys);
	}
	return 0;
}

/**
 * sample_real - the columns for a run on a device that completes in its own time
 * @run: the run
 * @base: the same job with hardly any I/O
 * @out: filled in; @out->insns is NAN
 *
 * Rates are over fio's I/O phase. Start and exit of fio take no fixed time on a host that has other
 * work too: what @base says of them is a correction, not to be trusted so far as to refuse a run.
 *
 * Return: 0, or -1 when @run did no I/O or took no time.
 */
int sample_real(const struct counts *run, const struct counts *base, struct sample *out)
{
	static const struct counts nothing;
	double seconds, user, system, idle, iowait, ticks;

	if (!run->ios || !run->io_ns)
		return -1;
	/* Nothing is left when the base run took longer than the run: better uncorrected. */
	if (run->user <= base->user && run->system <= base->system && run->idle <= base->idle &&
	    run->iowait <= base->iowait)
		base = &nothing;
	seconds = (double)run->io_ns / 1e9;
	user = grown(run->user, base->user);
	system = grown(run->system, base->system);
	idle = grown(run->idle, base->idle);
	iowait = grown(run->iowait, base->iowait);
	ticks = user + system + idle + iowait;
	if (ticks <= 0)
		return -1;

	out->insns = NAN;
	out->iops = (double)run->ios / seconds;
	out->intr = grown(run->intr, base->intr) / seconds;
	out->ctxsw = grown(run->ctxt, base->ctxt) / seconds;
	out->us = 100 * user / ticks;
	out->sys = 100 * system / ticks;
	out->idle = 100 * idle / ticks;
	out->iowait = 100 * iowait / ticks;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/**
 * median - the middle value, or the mean of the two middle ones
 * @values: not changed, in any order
 * @n: how many
 *
 * Return: the median; NAN when there are no values or memory ran out.
 */
double median(const double *values, size_t n)
{
	double *sorted, m;

	if (!n)
		return NAN;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return NAN;
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	m = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	free(sorted);
	return m;
}

/**
 * minimum - the least value
 * @values: in any order
 * @n: how many
 *
 * Return: the least, NAN when there are none.
 */
double minimum(const double *values, size_t n)
{
	double m = n ? values[0] : NAN;
	size_t i;

	for (i = 1; i < n; i++)
		m = fmin(m, values[i]);
	return m;
}

/**
 * maximum - the greatest value
 * @values: in any order
 * @n: how many
 *
 * Return: the greatest, NAN when there are none.
 */
double maximum(const double *values, size_t n)
{
	double m = n ? values[0] : NAN;
	size_t i;

	for (i = 1; i < n; i++)
		m = fmax(m, values[i]);
	return m;
}
