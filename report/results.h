/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PARTSTATS_RESULTS_H
#define PARTSTATS_RESULTS_H

#include <jansson.h>
#include <stddef.h>

#include "figures.h"

enum part {
	DETERMINISTIC,
	REAL_PATH,
	PARTS
};

#define SETTINGS 7

/* The text of the first thing that was wrong. */
struct failure {
	char text[1024];
};

/**
 * struct run - one measured run
 * @part: on which device
 * @round: round of boots, from 1; a run is compared with stock's of the same round and pass
 * @pass: how often the boot had measured this job in this setting before, plus 1
 * @job: name of the job file
 * @setting: index into setting_names
 * @sample: its figures
 */
struct run {
	enum part part;
	unsigned int round;
	unsigned int pass;
	char *job;
	unsigned int setting;
	struct sample sample;
};

/**
 * struct results - everything that was measured
 * @runs: all runs, in the order they were read
 * @n: how many
 * @boots: what each boot said about itself, one object a boot
 */
struct results {
	struct run *runs;
	size_t n;
	json_t *boots;
};

extern const char *const setting_names[SETTINGS];
extern const char *const part_names[PARTS];

const char *setting_label(const char *name);
int refuse(struct failure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
json_t *load_json(const char *path, struct failure *f);
int load_fio(const char *path, struct counts *c, struct failure *f);
int load_boot(const char *dir, struct results *r, struct failure *f);
int aggregate(const struct results *r, enum part part, json_t **out, struct failure *f);
void free_results(struct results *r);

#endif
