/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PARTSTATS_TABLE_H
#define PARTSTATS_TABLE_H

#include <stdio.h>

#include "results.h"

int print_tables(FILE *out, const json_t *run, const char *path, struct failure *f);

#endif
