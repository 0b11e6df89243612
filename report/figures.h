/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PARTSTATS_FIGURES_H
#define PARTSTATS_FIGURES_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct counts - what one fio run did and what it cost the machine, start and exit of fio included
 * @ios: I/Os that completed
 * @io_ns: time that fio spent in its I/O phase, the longest of its processes
 * @wall_ns: guest time from before fio was started until it had ended
 * @idle_ns: the part of @wall_ns in which the CPU was idle; only known on the deterministic device
 * @intr: interrupts
 * @ctxt: context switches
 * @user: ticks in user mode
 * @system: ticks in the kernel, interrupts included
 * @idle: ticks idle
 * @iowait: ticks idle while a task waited for I/O
 * @user_insns: instructions in user mode, 0 when nobody counted them
 */
struct counts {
	uint64_t ios;
	uint64_t io_ns;
	uint64_t wall_ns;
	uint64_t idle_ns;
	uint64_t intr;
	uint64_t ctxt;
	uint64_t user;
	uint64_t system;
	uint64_t idle;
	uint64_t iowait;
	uint64_t user_insns;
};

/**
 * struct sample - the columns of the table for one run
 * @iops: I/Os per second
 * @insns: instructions per I/O, NAN where they cannot be told
 * @intr: interrupts per second
 * @ctxsw: context switches per second
 * @us: percent of the time in user mode
 * @sys: percent in the kernel
 * @idle: percent idle
 * @iowait: percent idle while a task waited for I/O
 */
struct sample {
	double iops;
	double insns;
	double intr;
	double ctxsw;
	double us;
	double sys;
	double idle;
	double iowait;
};

int sample_deterministic(const struct counts *run, const struct counts *base, struct sample *out);
int sample_real(const struct counts *run, const struct counts *base, struct sample *out);
double median(const double *values, size_t n);
double minimum(const double *values, size_t n);
double maximum(const double *values, size_t n);

#endif
