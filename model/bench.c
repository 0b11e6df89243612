// SPDX-License-Identifier: GPL-2.0
/*
 * lookup-bench: what it costs to find the partition that a sector is in.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/rcupdate.h>
#include "model/bench.h"

/* Before minutes of measuring, not after. */
static bool can_write(const char *path)
{
	FILE *f;

	if (!path)
		return true;
	f = fopen(path, "a");
	if (!f) {
		fprintf(stderr, "lookup-bench: %s: cannot be written: %s\n", path, strerror(errno));
		return false;
	}
	fclose(f);
	return true;
}

int main(int argc, char **argv)
{
	static struct bench bench;
	bool ok = true;

	if (!options_parse(&bench, argc, argv))
		return 2;
	/* Set by ourselves, see count.c. */
	bench.opt.count_pass = getenv("LOOKUP_BENCH_COUNT_PASS");
	if (!bench.opt.count_pass && (!can_write(bench.opt.json) || !can_write(bench.opt.dat)))
		return 2;
	rcu_register_thread();
	if (!points_prepare(&bench))
		return 1;
	if (bench.opt.count_pass) {
		points_count_pass(&bench);
		return 0;
	}
	rcu_thread_offline();
	if (bench.opt.count)
		points_count(&bench);
	points_measure(&bench);
	rcu_thread_online();
	if (bench.opt.rebuild)
		rebuilds_measure(&bench);
	output_table(&bench);
	if (bench.opt.json)
		ok &= output_json(&bench, bench.opt.json);
	if (bench.opt.dat)
		ok &= output_dat(&bench, bench.opt.dat);
	points_free(&bench);
	rcu_unregister_thread();
	return ok ? 0 : 1;
}
