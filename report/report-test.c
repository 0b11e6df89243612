// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of the report and what it refuses to read.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "results.h"
#include "table.h"

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fmax(1, fabs(want))))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* --- figures.c */

static void median_of_odd_and_even_numbers(void **state)
{
	const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};

	(void)state;
	assert_near(median(odd, 3), 3);
	assert_near(median(even, 4), 2.5);
	assert_near(median(odd, 1), 5);
	assert_true(isnan(median(odd, 0)));
	/* the caller's order is not ours to change */
	assert_true(odd[0] == 5 && odd[1] == 1 && odd[2] == 3);
}

static void spread_is_least_to_greatest(void **state)
{
	const double v[] = {2, -1, 7, 3};

	(void)state;
	assert_near(minimum(v, 4), -1);
	assert_near(maximum(v, 4), 7);
	assert_true(isnan(minimum(v, 0)) && isnan(maximum(v, 0)));
}

static const struct counts det_base = {
	.ios = 1000,
	.wall_ns = 150000000,
	.idle_ns = 100000000,
	.intr = 50,
	.ctxt = 100,
	.user = 4,
	.system = 2,
	.idle = 10,
};

static const struct counts det_run = {
	.ios = 21000,
	.wall_ns = 460000000,
	.idle_ns = 110000000,
	.intr = 125,
	.ctxt = 1300,
	.user = 13,
	.system = 23,
	.idle = 11,
};

static void deterministic_subtracts_base_and_idle_time(void **state)
{
	struct sample s;

	(void)state;
	assert_int_equal(sample_deterministic(&det_run, &det_base, &s), 0);
	/* (350 ms - 50 ms) busy for 20000 I/Os */
	assert_near(s.insns, 15000);
	assert_near(s.iops, 1e9 / 15000);
	assert_near(s.intr, 75 / 0.3);
	assert_near(s.ctxsw, 1200 / 0.3);
}

static void deterministic_percentages_add_up(void **state)
{
	struct sample s;

	(void)state;
	assert_int_equal(sample_deterministic(&det_run, &det_base, &s), 0);
	/* 10 ms idle of 310 ms; the rest by ticks, 9 user to 21 system */
	assert_near(s.idle, 100 * 10.0 / 310);
	assert_near(s.iowait, 0);
	assert_near(s.us, 100 * 300.0 / 310 * 0.3);
	assert_near(s.sys, 100 * 300.0 / 310 * 0.7);
	assert_near(s.us + s.sys + s.idle + s.iowait, 100);
}

static void counted_instructions_tell_user_from_system(void **state)
{
	struct counts run = det_run, base = det_base;
	struct sample s;

	(void)state;
	run.user_insns = 130000000;
	base.user_insns = 37000000;
	assert_int_equal(sample_deterministic(&run, &base, &s), 0);
	assert_near(s.us, 100 * 93.0 / 310);
	assert_near(s.us + s.sys + s.idle + s.iowait, 100);
	/* more than all of the time */
	run.user_insns = 400000000;
	assert_int_equal(sample_deterministic(&run, &base, &s), -1);
}

static void deterministic_needs_more_than_its_base(void **state)
{
	struct counts c = det_run;
	struct sample s;

	(void)state;
	c.ios = det_base.ios;
	assert_int_equal(sample_deterministic(&c, &det_base, &s), -1);
	c = det_run;
	c.wall_ns = c.idle_ns + 1;
	assert_int_equal(sample_deterministic(&c, &det_base, &s), -1);
	c.wall_ns = c.idle_ns - 1;
	assert_int_equal(sample_deterministic(&c, &det_base, &s), -1);
}

static const struct counts real_base = {
	.ios = 1000,
	.io_ns = 70000000,
	.wall_ns = 300000000,
	.intr = 1000,
	.ctxt = 2000,
	.user = 10,
	.system = 20,
	.idle = 30,
	.iowait = 0,
};

static const struct counts real_run = {
	.ios = 20000,
	.io_ns = 1000000000,
	.wall_ns = 1300000000,
	.intr = 31000,
	.ctxt = 44000,
	.user = 30,
	.system = 160,
	.idle = 40,
	.iowait = 70,
};

static void real_path_rates_and_percentages(void **state)
{
	struct sample s;

	(void)state;
	assert_int_equal(sample_real(&real_run, &real_base, &s), 0);
	assert_near(s.iops, 20000);
	assert_true(isnan(s.insns));
	assert_near(s.intr, 30000);
	assert_near(s.ctxsw, 42000);
	/* 20 + 140 + 10 + 70 ticks */
	assert_near(s.us, 100 * 20.0 / 240);
	assert_near(s.sys, 100 * 140.0 / 240);
	assert_near(s.idle, 100 * 10.0 / 240);
	assert_near(s.iowait, 100 * 70.0 / 240);
}

static void real_path_counts_that_cross_are_zero(void **state)
{
	struct counts c = real_run;
	struct sample s;

	(void)state;
	c.user = real_base.user - 1;
	assert_int_equal(sample_real(&c, &real_base, &s), 0);
	assert_near(s.us, 0);
}

static void real_path_takes_a_base_that_was_slower(void **state)
{
	struct counts c = real_base;
	struct sample s;

	(void)state;
	c.wall_ns = 9 * real_run.wall_ns;
	assert_int_equal(sample_real(&real_run, &c, &s), 0);
	assert_near(s.intr, 30000);
	/* no tick is left: the run's own are shown */
	assert_int_equal(sample_real(&real_run, &real_run, &s), 0);
	assert_near(s.us, 10);
	assert_near(s.sys, 100 * 160.0 / 300);
}

static void real_path_refuses_a_run_without_io(void **state)
{
	struct counts c = real_run;
	struct sample s;

	(void)state;
	c.ios = 0;
	assert_int_equal(sample_real(&c, &real_base, &s), -1);
	c = real_run;
	c.io_ns = 0;
	assert_int_equal(sample_real(&c, &real_base, &s), -1);
}

/* --- results.c, on a boot's directory that is right, and then spoilt in one place */

#define FIO(ios, ms, error)                                                           \
	"{\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"j\",\"error\":" error \
	",\"read\":{\"total_ios\":" ios ",\"runtime\":" ms                            \
	"},\"write\":{\"total_ios\":0,\"runtime\":0}}]}"
#define STAT(wall, status)                                                                   \
	"{\"wall_ns\":" wall ",\"intr\":10,\"ctxt\":20,\"user_ticks\":3,\"system_ticks\":4," \
	"\"idle_ticks\":5,\"iowait_ticks\":0,\"irq_ticks\":1,\"softirq_ticks\":1,"           \
	"\"steal_ticks\":0,\"exit\":" status "}"
#define PLAN(part, setting)                                                                       \
	"{\"part\":\"" part "\",\"kernel\":\"stock\",\"release\":\"6.12\",\"round\":1,\"runs\":[" \
	"{\"job\":\"oltp\",\"setting\":\"" setting "\",\"pass\":1,\"run\":\"r\",\"base\":\"b\","  \
	"\"ios\":2000,\"base_ios\":1000,\"measurement\":3,\"base_measurement\":2}]}"

#define COUNTED(n)                                                                           \
	"{\"functions\":[{\"name\":\"user mode\",\"kind\":\"user mode\",\"instructions\":" n \
	"},{\"name\":\"f\",\"kind\":\"function\",\"instructions\":9}]}"
#define PROFILE(a, b, c) "{\"measurements\":[" COUNTED(a) "," COUNTED(b) "," COUNTED(c) "]}"

struct boot {
	char dir[64];
	struct results results;
	struct failure failure;
};

static void put(const struct boot *b, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", b->dir, name);
	if (!text) {
		unlink(path);
		return;
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char *const names[] = {
	"plan.json",  "r.fio.json",  "r.stat.json",  "r.clock.json",
	"b.fio.json", "b.stat.json", "b.clock.json",
};

static int boot_up(void **state)
{
	struct boot *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	strcpy(b->dir, "/tmp/report-test.XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	put(b, "plan.json", PLAN("deterministic", "stock"));
	put(b, "r.fio.json", FIO("2000", "40", "0"));
	put(b, "r.stat.json", STAT("30000000", "0"));
	put(b, "r.clock.json", "{\"wall_ns\":31000000,\"idle_ns\":1000000}");
	put(b, "b.fio.json", FIO("1000", "20", "0"));
	put(b, "b.stat.json", STAT("17000000", "0"));
	put(b, "b.clock.json", "{\"wall_ns\":18000000,\"idle_ns\":2000000}");
	*state = b;
	return 0;
}

static int boot_down(void **state)
{
	struct boot *b = *state;
	size_t i;

	put(b, "blkprof.json", NULL);
	free_results(&b->results);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put(b, names[i], NULL);
	rmdir(b->dir);
	free(b);
	return 0;
}

/* The boot is refused, and the message names the file and what is wrong with it. */
static void refused(struct boot *b, const char *file, const char *what)
{
	assert_int_equal(load_boot(b->dir, &b->results, &b->failure), -1);
	if (!strstr(b->failure.text, file) || !strstr(b->failure.text, what))
		fail_msg("'%s' does not name '%s' and '%s'", b->failure.text, file, what);
}

static void a_good_boot_is_read(void **state)
{
	struct boot *b = *state;

	assert_int_equal(load_boot(b->dir, &b->results, &b->failure), 0);
	assert_int_equal(b->results.n, 1);
	assert_string_equal(b->results.runs[0].job, "oltp");
	/* (30 ms - 16 ms) for 1000 I/Os, by the clock file and not by the stat file */
	assert_near(b->results.runs[0].sample.insns, 14000);
	assert_int_equal(json_array_size(b->results.boots), 1);
	assert_null(json_object_get(json_array_get(b->results.boots, 0), "runs"));
}

static void counts_of_the_plugin_are_found_by_number(void **state)
{
	struct boot *b = *state;

	put(b, "blkprof.json", PROFILE("1", "2000000", "5500000"));
	assert_int_equal(load_boot(b->dir, &b->results, &b->failure), 0);
	/* 3.5 of 14 million instructions */
	assert_near(b->results.runs[0].sample.us, 25);
	assert_near(b->results.runs[0].sample.sys, 75);
}

static void counts_of_the_plugin_that_are_too_few_are_refused(void **state)
{
	put(*state, "blkprof.json", "{\"measurements\":[" COUNTED("1") "," COUNTED("2") "]}");
	refused(*state, "blkprof.json", "no measurement 3 among 2");
}

static void counts_of_the_plugin_without_user_mode_are_refused(void **state)
{
	put(*state, "blkprof.json", PROFILE("1", "0", "0"));
	refused(*state, "blkprof.json", "nothing was counted in user mode");
}

static void counts_of_the_plugin_cut_short_are_refused(void **state)
{
	put(*state, "blkprof.json", "{\"measurements\":[");
	refused(*state, "blkprof.json", "not valid JSON");
}

static void the_real_path_needs_no_clock_file(void **state)
{
	struct boot *b = *state;

	put(b, "plan.json", PLAN("real_path", "stock"));
	put(b, "r.clock.json", NULL);
	put(b, "r.stat.json",
	    "{\"wall_ns\":30000000,\"intr\":10,\"ctxt\":20,\"user_ticks\":3,\"system_ticks\":9,"
	    "\"idle_ticks\":5,\"iowait_ticks\":0,\"irq_ticks\":1,\"softirq_ticks\":1,\"exit\":0}");
	assert_int_equal(load_boot(b->dir, &b->results, &b->failure), 0);
	assert_near(b->results.runs[0].sample.iops, 50000);
}

static void a_missing_file_is_refused(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct boot *b;

		boot_down(state);
		boot_up(state);
		b = *state;
		put(b, names[i], NULL);
		refused(b, names[i], "No such file");
	}
}

static void a_file_cut_short_is_refused(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct boot *b;

		boot_down(state);
		boot_up(state);
		b = *state;
		put(b, names[i], "{\"wall_ns\":1");
		refused(b, names[i], "not valid JSON");
	}
}

static void an_empty_file_is_refused(void **state)
{
	put(*state, "r.fio.json", "");
	refused(*state, "r.fio.json", "not valid JSON");
}

static void what_is_no_object_is_refused(void **state)
{
	put(*state, "r.stat.json", "[1]");
	refused(*state, "r.stat.json", "not a JSON object");
}

static void a_negative_count_is_refused(void **state)
{
	put(*state, "r.stat.json", STAT("-1", "0"));
	refused(*state, "r.stat.json", "'wall_ns' is not a count");
}

static void a_count_that_is_a_text_is_refused(void **state)
{
	put(*state, "r.fio.json", FIO("\"2000\"", "40", "0"));
	refused(*state, "r.fio.json", "'total_ios' is not a count");
}

static void a_missing_count_is_refused(void **state)
{
	put(*state, "b.clock.json", "{\"wall_ns\":18000000}");
	refused(*state, "b.clock.json", "'idle_ns' is missing");
}

static void more_idle_time_than_time_is_refused(void **state)
{
	put(*state, "b.clock.json", "{\"wall_ns\":18,\"idle_ns\":19}");
	refused(*state, "b.clock.json", "more idle time than time");
}

static void fio_without_jobs_is_refused(void **state)
{
	put(*state, "r.fio.json", "{\"fio version\":\"fio-3.33\",\"jobs\":[]}");
	refused(*state, "r.fio.json", "'jobs' is missing, empty");
}

static void an_error_of_fio_is_refused(void **state)
{
	put(*state, "r.fio.json", FIO("2000", "40", "5"));
	refused(*state, "r.fio.json", "failed with error 5");
}

static void an_exit_status_of_fio_is_refused(void **state)
{
	put(*state, "r.stat.json", STAT("30000000", "1"));
	refused(*state, "r.stat.json", "ended with status 1");
}

static void too_few_ios_are_refused(void **state)
{
	put(*state, "r.fio.json", FIO("1999", "40", "0"));
	refused(*state, "r.fio.json", "did 1999 I/Os, 2000 were asked for");
}

static void a_run_below_its_base_is_refused(void **state)
{
	put(*state, "r.clock.json", "{\"wall_ns\":31000000,\"idle_ns\":30000000}");
	refused(*state, "plan.json", "did no more than its base run");
}

static void an_unknown_setting_is_refused(void **state)
{
	put(*state, "plan.json", PLAN("deterministic", "part_stats=7"));
	refused(*state, "plan.json", "setting 'part_stats=7' is not known");
}

static void an_unknown_part_is_refused(void **state)
{
	put(*state, "plan.json", PLAN("imaginary", "stock"));
	refused(*state, "plan.json", "part 'imaginary' is not known");
}

static void both_directions_and_all_jobs_are_summed(void **state)
{
	struct boot *b = *state;
	struct counts c;
	char path[128];

	put(b, "r.fio.json",
	    "{\"jobs\":[{\"jobname\":\"a\",\"error\":0,\"read\":{\"total_ios\":5,\"runtime\":7},"
	    "\"write\":{\"total_ios\":6,\"runtime\":9}},{\"jobname\":\"b\",\"error\":0,"
	    "\"read\":{\"total_ios\":0,\"runtime\":0},\"write\":{\"total_ios\":4,\"runtime\":8}}]}");
	snprintf(path, sizeof(path), "%s/r.fio.json", b->dir);
	assert_int_equal(load_fio(path, &c, &b->failure), 0);
	assert_int_equal(c.ios, 15);
	assert_int_equal(c.io_ns, 9000000);
}

/* --- aggregate(), on runs made by hand */

/* Indices of settings, and how many of them a kernel has. */
#define SCAN	     1
#define PATCHED	     2
#define PART_STATS_2 4
#define ROWS	     (SETTINGS - 1)

static void add(struct results *r, enum part part, unsigned int round, const char *job,
		unsigned int setting, double iops)
{
	struct run *run;

	r->runs = realloc(r->runs, (r->n + 1) * sizeof(*r->runs));
	assert_non_null(r->runs);
	run = &r->runs[r->n++];
	memset(run, 0, sizeof(*run));
	run->part = part;
	run->round = round;
	run->pass = 1;
	run->job = strdup(job);
	run->setting = setting;
	run->sample.iops = iops;
	run->sample.insns = part == DETERMINISTIC ? 1e9 / iops : NAN;
}

static const json_t *find(const json_t *list, const char *job, const char *setting)
{
	const json_t *row;
	size_t i;

	json_array_foreach(list, i, row)
		if (!strcmp(json_string_value(json_object_get(row, "job")), job) &&
		    !strcmp(json_string_value(json_object_get(row, "setting")), setting))
			return row;
	fail_msg("no row for %s, %s", job, setting);
	return NULL;
}

static double value(const json_t *row, const char *key)
{
	assert_true(json_is_number(json_object_get(row, key)));
	return json_number_value(json_object_get(row, key));
}

static void all_settings(struct results *r, enum part part, unsigned int round, const char *job,
			 double stock)
{
	static const double ratio[SETTINGS] = {1, 0, 0.9995, 1.005, 0.99, 1.015, 1.02};
	unsigned int s;

	for (s = 0; s < SETTINGS; s++)
		if (s != SCAN)
			add(r, part, round, job, s, stock * ratio[s]);
}

/* Boots of this kernel made the runs. */
static void kernel_is(struct results *r, const char *release)
{
	r->boots = json_pack("[{s:s}]", "release", release);
}

static void deterministic_rows(void **state)
{
	struct results r = {0};
	struct failure f;
	json_t *list;

	(void)state;
	all_settings(&r, DETERMINISTIC, 1, "oltp", 70000);
	all_settings(&r, DETERMINISTIC, 1, "one-partition", 80000);
	/* what the other part holds is not this part's business */
	all_settings(&r, REAL_PATH, 1, "oltp", 100);
	assert_int_equal(aggregate(&r, DETERMINISTIC, &list, &f), 0);
	assert_int_equal(json_array_size(list), 2 * ROWS);
	assert_near(value(find(list, "oltp", "stock"), "speedup"), 1);
	assert_near(value(find(list, "one-partition", "patched"), "speedup"), 0.9995);
	assert_near(value(find(list, "oltp", "iostats=0"), "speedup"), 1.015);
	assert_near(value(find(list, "oltp", "iostats=0"), "iops"), 71050);
	assert_near(value(find(list, "oltp", "noacct"), "over_compiled_out_percent"), 0);
	assert_near(value(find(list, "oltp", "iostats=0"), "over_compiled_out_percent"),
		    round(100 * (1.02 / 1.015 - 1) * 1e4) / 1e4);
	assert_near(value(find(list, "one-partition", "stock"), "over_compiled_out_percent"), 2);
	json_decref(list);
	free_results(&r);
}

static void real_rows_compare_within_a_round(void **state)
{
	struct results r = {0};
	struct failure f;
	const json_t *row;
	json_t *list;

	(void)state;
	/* A host that slows down by half between rounds changes no ratio. */
	all_settings(&r, REAL_PATH, 1, "oltp", 20000);
	all_settings(&r, REAL_PATH, 2, "oltp", 10000);
	all_settings(&r, REAL_PATH, 3, "oltp", 16000);
	r.runs[2 * ROWS + 4].sample.iops *= 1.1;
	assert_int_equal(aggregate(&r, REAL_PATH, &list, &f), 0);
	assert_int_equal(json_array_size(list), ROWS);
	row = find(list, "oltp", "iostats=0");
	assert_near(value(row, "speedup"), 1.015);
	assert_near(value(row, "speedup_min"), 1.015);
	assert_near(value(row, "speedup_max"), 1.1165);
	assert_near(value(row, "runs"), 3);
	row = find(list, "oltp", "stock");
	assert_near(value(row, "iops"), 16000);
	assert_near(value(row, "iops_min"), 10000);
	assert_near(value(row, "iops_max"), 20000);
	assert_true(json_is_null(json_object_get(row, "instructions_per_io")));
	json_decref(list);
	free_results(&r);
}

static void aggregate_refuses(struct results *r, enum part part, const char *what)
{
	struct failure f = {{0}};
	json_t *list;

	assert_int_equal(aggregate(r, part, &list, &f), -1);
	if (!strstr(f.text, what))
		fail_msg("'%s' does not say '%s'", f.text, what);
	free_results(r);
}

static void a_setting_that_was_not_measured_is_refused(void **state)
{
	struct results r = {0};

	(void)state;
	all_settings(&r, DETERMINISTIC, 1, "oltp", 70000);
	free(r.runs[--r.n].job);
	aggregate_refuses(&r, DETERMINISTIC, "oltp was not measured in setting noacct");
}

static void rows_are_those_that_the_kernel_has(void **state)
{
	struct results r = {0};
	struct failure f;
	json_t *list;
	unsigned int s;

	(void)state;
	kernel_is(&r, "5.10.200");
	for (s = 0; s < SETTINGS; s++)
		if (s != PART_STATS_2)
			add(&r, DETERMINISTIC, 1, "oltp", s, 70000 + s);
	assert_int_equal(aggregate(&r, DETERMINISTIC, &list, &f), 0);
	assert_int_equal(json_array_size(list), ROWS);
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "setting")),
			    "scan");
	json_decref(list);
	/* What was measured all the same is shown. */
	add(&r, DETERMINISTIC, 1, "oltp", PART_STATS_2, 70000);
	assert_int_equal(aggregate(&r, DETERMINISTIC, &list, &f), 0);
	assert_int_equal(json_array_size(list), SETTINGS);
	json_decref(list);
	free_results(&r);
}

static void a_scan_that_was_not_measured_is_refused(void **state)
{
	struct results r = {0};

	(void)state;
	kernel_is(&r, "5.10.200");
	all_settings(&r, DETERMINISTIC, 1, "oltp", 70000);
	aggregate_refuses(&r, DETERMINISTIC, "oltp was not measured in setting scan");
}

static void a_run_without_its_stock_is_refused(void **state)
{
	struct results r = {0};

	(void)state;
	all_settings(&r, REAL_PATH, 1, "oltp", 70000);
	add(&r, REAL_PATH, 2, "oltp", PATCHED, 70000);
	aggregate_refuses(&r, REAL_PATH, "no run of the stock kernel in round 2");
}

static void two_deterministic_runs_of_one_setting_are_refused(void **state)
{
	struct results r = {0};

	(void)state;
	all_settings(&r, DETERMINISTIC, 1, "oltp", 70000);
	add(&r, DETERMINISTIC, 1, "oltp", PATCHED, 70000);
	aggregate_refuses(&r, DETERMINISTIC, "2 runs, where one says all");
}

/* --- table.c */

static char *printed(const json_t *run, int *err, struct failure *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	*err = print_tables(out, run, "run.json", f);
	fclose(out);
	return text;
}

static void tables_show_four_decimals_and_the_spread(void **state)
{
	struct results r = {0};
	json_t *run = json_object(), *list;
	struct failure f;
	char *text;
	int p, err;

	(void)state;
	all_settings(&r, DETERMINISTIC, 1, "oltp", 70000);
	all_settings(&r, REAL_PATH, 1, "oltp", 20000);
	for (p = 0; p < PARTS; p++) {
		assert_int_equal(aggregate(&r, (enum part)p, &list, &f), 0);
		json_object_set_new(run, part_names[p], list);
	}
	text = printed(run, &err, &f);
	assert_int_equal(err, 0);
	assert_non_null(strstr(text, "| patched, defaults |     0.9995 |"));
	assert_non_null(strstr(text, "| compiled out      |     1.0200 |"));
	assert_non_null(strstr(
		text, "| part_stats=0      |      1.005 | 1.005-1.005 |  20100 |   20100-20100 |"));
	free(text);
	json_decref(run);
	free_results(&r);
}

static void a_table_with_a_hole_is_refused(void **state)
{
	struct failure f = {{0}};
	json_t *run, *empty = json_object();
	char *text;
	int err;

	(void)state;
	text = printed(empty, &err, &f);
	assert_int_equal(err, -1);
	assert_non_null(strstr(f.text, "run.json: 'deterministic' is missing"));
	free(text);
	run = json_pack("{s:[{s:s,s:s,s:f}],s:[]}", "deterministic", "job", "oltp", "setting",
			"stock", "speedup", 1.0, "real_path");
	text = printed(run, &err, &f);
	assert_int_equal(err, -1);
	assert_non_null(strstr(f.text, "deterministic[0]: 'iops' is missing"));
	free(text);
	json_decref(run);
	json_decref(empty);
}

#define WITH_BOOT(test) cmocka_unit_test_setup_teardown(test, boot_up, boot_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_of_odd_and_even_numbers),
		cmocka_unit_test(spread_is_least_to_greatest),
		cmocka_unit_test(deterministic_subtracts_base_and_idle_time),
		cmocka_unit_test(deterministic_percentages_add_up),
		cmocka_unit_test(counted_instructions_tell_user_from_system),
		cmocka_unit_test(deterministic_needs_more_than_its_base),
		cmocka_unit_test(real_path_rates_and_percentages),
		cmocka_unit_test(real_path_counts_that_cross_are_zero),
		cmocka_unit_test(real_path_takes_a_base_that_was_slower),
		cmocka_unit_test(real_path_refuses_a_run_without_io),
		WITH_BOOT(a_good_boot_is_read),
		WITH_BOOT(counts_of_the_plugin_are_found_by_number),
		WITH_BOOT(counts_of_the_plugin_that_are_too_few_are_refused),
		WITH_BOOT(counts_of_the_plugin_without_user_mode_are_refused),
		WITH_BOOT(counts_of_the_plugin_cut_short_are_refused),
		WITH_BOOT(the_real_path_needs_no_clock_file),
		WITH_BOOT(a_missing_file_is_refused),
		WITH_BOOT(a_file_cut_short_is_refused),
		WITH_BOOT(an_empty_file_is_refused),
		WITH_BOOT(what_is_no_object_is_refused),
		WITH_BOOT(a_negative_count_is_refused),
		WITH_BOOT(a_count_that_is_a_text_is_refused),
		WITH_BOOT(a_missing_count_is_refused),
		WITH_BOOT(more_idle_time_than_time_is_refused),
		WITH_BOOT(fio_without_jobs_is_refused),
		WITH_BOOT(an_error_of_fio_is_refused),
		WITH_BOOT(an_exit_status_of_fio_is_refused),
		WITH_BOOT(too_few_ios_are_refused),
		WITH_BOOT(a_run_below_its_base_is_refused),
		WITH_BOOT(an_unknown_setting_is_refused),
		WITH_BOOT(an_unknown_part_is_refused),
		WITH_BOOT(both_directions_and_all_jobs_are_summed),
		cmocka_unit_test(deterministic_rows),
		cmocka_unit_test(real_rows_compare_within_a_round),
		cmocka_unit_test(a_setting_that_was_not_measured_is_refused),
		cmocka_unit_test(rows_are_those_that_the_kernel_has),
		cmocka_unit_test(a_scan_that_was_not_measured_is_refused),
		cmocka_unit_test(a_run_without_its_stock_is_refused),
		cmocka_unit_test(two_deterministic_runs_of_one_setting_are_refused),
		cmocka_unit_test(tables_show_four_decimals_and_the_spread),
		cmocka_unit_test(a_table_with_a_hole_is_refused),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
