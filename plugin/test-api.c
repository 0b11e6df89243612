// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin in a program that is not the QEMU it was made for: it loads, and refuses with the
 * reason. usage: test-api BLKPROF.so
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "qemu-api.h"

static int (*install)(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);
static int *version;

/* Call install as QEMU would, and keep what it says. */
static int refusal(int min, int cur, const char *target, char *said, size_t size)
{
	qemu_info_t info = {.target_name = target, .system_emulation = true};
	int saved, ret, pipe_fd[2];
	ssize_t n;

	info.version.min = min;
	info.version.cur = cur;
	info.system.smp_vcpus = info.system.max_vcpus = 1;
	assert_int_equal(pipe(pipe_fd), 0);
	saved = dup(STDERR_FILENO);
	dup2(pipe_fd[1], STDERR_FILENO);
	ret = install(1, &info, 0, NULL);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(pipe_fd[1]);
	n = read(pipe_fd[0], said, size - 1);
	close(pipe_fd[0]);
	said[n > 0 ? n : 0] = '\0';
	return ret;
}

static void the_version_it_was_made_for_is_declared(void **state)
{
	(void)state;
	assert_int_equal(*version, 1);
}

static void an_interface_that_has_moved_on_is_refused(void **state)
{
	char said[512];

	(void)state;
	assert_int_not_equal(refusal(2, 4, "x86_64", said, sizeof(said)), 0);
	assert_non_null(strstr(said, "offers plugin API 2 to 4, and version 1 is needed"));
}

static void an_interface_that_is_too_old_is_refused(void **state)
{
	char said[512];

	(void)state;
	assert_int_not_equal(refusal(0, 0, "x86_64", said, sizeof(said)), 0);
	assert_non_null(strstr(said, "version 1 is needed"));
}

/* This program offers none of the functions, as a later QEMU may lack one. */
static void missing_functions_are_refused_and_do_not_crash(void **state)
{
	char said[512];

	(void)state;
	assert_int_not_equal(refusal(0, 1, "x86_64", said, sizeof(said)), 0);
	assert_non_null(strstr(said, "lacks functions of plugin API 1"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_version_it_was_made_for_is_declared),
		cmocka_unit_test(an_interface_that_has_moved_on_is_refused),
		cmocka_unit_test(an_interface_that_is_too_old_is_refused),
		cmocka_unit_test(missing_functions_are_refused_and_do_not_crash),
	};
	void *plugin;

	if (argc != 2) {
		fprintf(stderr, "usage: %s BLKPROF.so\n", argv[0]);
		return 2;
	}
	/* As QEMU opens it: every reference is resolved at once. */
	plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&install = dlsym(plugin, "qemu_plugin_install");
	version = dlsym(plugin, "qemu_plugin_version");
	if (!install || !version) {
		fprintf(stderr, "%s: not a plugin\n", argv[1]);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
