// SPDX-License-Identifier: GPL-2.0
/*
 * From results to tables. Reads result JSON only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results.h"
#include "table.h"

static int usage(void)
{
	fprintf(stderr, "usage: report run -o RUN.json -m HOST.json BOOT-DIRECTORY...\n"
			"       report table RUN.json\n"
			"run: turn the results of several boots into RUN.json\n"
			"     HOST.json: an object with what the host knows, taken over as 'host'\n"
			"table: print the tables of a RUN.json\n");
	return 2;
}

static int complain(const struct failure *f)
{
	fprintf(stderr, "report: %s\n", f->text);
	return 2;
}

/* Written aside and renamed: a reader never sees half a file, a failure leaves the old one. */
static int write_json(const char *path, const json_t *j, struct failure *f)
{
	char tmp[4096];

	snprintf(tmp, sizeof(tmp), "%s.tmp", path);
	if (json_dump_file(j, tmp, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) || rename(tmp, path)) {
		unlink(tmp);
		return refuse(f, "%s: cannot be written", path);
	}
	return 0;
}

/*
 * Facts of the boots, once each: kernels by name, the rest from the boots of each part. Boots
 * that contradict each other were not made from one build.
 */
static int add_facts(json_t *run, const struct results *r, struct failure *f)
{
	json_t *kernels = json_object(), *parts = json_object(), *boot;
	size_t i;

	json_object_set_new(run, "kernels", kernels);
	json_object_set_new(run, "setup", parts);
	json_array_foreach(r->boots, i, boot) {
		const char *kernel = json_string_value(json_object_get(boot, "kernel"));
		const char *part = json_string_value(json_object_get(boot, "part"));
		const json_t *release = json_object_get(boot, "release"), *old;
		json_t *facts;

		old = json_object_get(kernels, kernel);
		if (old && !json_equal(old, release))
			return refuse(f, "two kernels called '%s': %s and %s", kernel,
				      json_string_value(old), json_string_value(release));
		json_object_set(kernels, kernel, (json_t *)release);
		facts = json_deep_copy(boot);
		json_object_del(facts, "kernel");
		json_object_del(facts, "part");
		json_object_del(facts, "release");
		json_object_del(facts, "round");
		old = json_object_get(parts, part);
		if (old && !json_equal(old, facts)) {
			json_decref(facts);
			return refuse(f, "the boots of part '%s' differ in geometry or commands",
				      part);
		}
		json_object_set_new(parts, part, facts);
	}
	return 0;
}

static int make_run(char **dirs, const char *host_path, const char *out, struct failure *f)
{
	struct results r = {0};
	json_t *run = json_object(), *list, *host;
	int err = -1, p;

	host = load_json(host_path, f);
	if (!run || !host)
		goto out;
	json_object_set(run, "host", host);
	for (; *dirs; dirs++)
		if (load_boot(*dirs, &r, f))
			goto out;
	if (add_facts(run, &r, f))
		goto out;
	for (p = 0; p < PARTS; p++) {
		if (aggregate(&r, (enum part)p, &list, f))
			goto out;
		json_object_set_new(run, part_names[p], list);
	}
	err = write_json(out, run, f);
out:
	json_decref(host);
	json_decref(run);
	free_results(&r);
	return err;
}

static int table(const char *path, struct failure *f)
{
	json_t *run = load_json(path, f);
	int err;

	if (!run)
		return -1;
	err = print_tables(stdout, run, path, f);
	json_decref(run);
	return err;
}

int main(int argc, char **argv)
{
	const char *out = NULL, *host = NULL;
	struct failure f = {{0}};
	int c;

	if (argc == 3 && !strcmp(argv[1], "table"))
		return table(argv[2], &f) ? complain(&f) : 0;
	if (argc < 2 || strcmp(argv[1], "run"))
		return usage();
	optind = 2;
	while ((c = getopt(argc, argv, "o:m:")) != -1) {
		switch (c) {
		case 'o':
			out = optarg;
			break;
		case 'm':
			host = optarg;
			break;
		default:
			return usage();
		}
	}
	if (!out || !host || optind == argc)
		return usage();
	return make_run(argv + optind, host, out, &f) ? complain(&f) : 0;
}
