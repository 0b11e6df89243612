// SPDX-License-Identifier: GPL-2.0
/*
 * Reading traces: what each format means, and that a malformed one is refused with the
 * number of the line and what was expected there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include "model/model.h"

static char said[4096]; /* on stderr, by the last parse() */

static struct trace *parse(const char *text, unsigned int parts)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r"), *err = tmpfile();
	struct trace *trace;
	int saved;
	size_t n;

	/* fmemopen() does not open nothing. */
	if (!*text)
		in = fopen("/dev/null", "r");
	assert_non_null(in);
	assert_non_null(err);
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	dup2(fileno(err), STDERR_FILENO);
	trace = trace_parse(in, "t", parts);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(in);
	rewind(err);
	n = fread(said, 1, sizeof(said) - 1, err);
	said[n] = 0;
	fclose(err);
	return trace;
}

static void refused(const char *text, const char *where, const char *expected)
{
	struct trace *trace = parse(text, 15);

	if (trace)
		fail_msg("accepted: %s", text);
	if (strncmp(said, where, strlen(where)) || !strstr(said, expected))
		fail_msg("'%s' was to begin with '%s' and to contain '%s'", said, where, expected);
}

static void io_is(const struct trace *t, size_t i, unsigned int disk, unsigned int part, u64 sector)
{
	assert_true(i < t->nr);
	assert_int_equal(t->io[i].disk, disk);
	assert_int_equal(t->io[i].part, part);
	assert_int_equal(t->io[i].sector, sector);
}

static void iolog_version_2(void **state)
{
	struct trace *t = parse("fio version 2 iolog\n"
				"/dev/sda1 add\n/dev/sdb2 add\n"
				"/dev/sda1 open\n/dev/sdb2 open\n"
				"/dev/sda1 read 4096 8192\n"
				"/dev/sda1 wait 1000 0\n"
				"/dev/sdb2 write 0 512\n"
				"/dev/sdb2 datasync 0 0\n"
				"/dev/sda1 trim 1048576 65536\n"
				"/dev/sda1 close\n/dev/sdb2 close\n",
				1);

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->nr, 3);
	assert_int_equal(t->nr_disks, 2);
	assert_int_equal(t->nr_parts, 2);
	io_is(t, 0, 0, 1, 8);
	io_is(t, 1, 1, 2, 0);
	io_is(t, 2, 0, 1, 2048);
	trace_free(t);
}

static void iolog_version_3(void **state)
{
	struct trace *t = parse("fio version 3 iolog\n"
				"0 d/03.07 add\n0 d/03.07 open\n"
				"1 d/03.07 read 1024 4096\n"
				"12 d/04.15 write 2048 512\n"
				"13 d/03.07 close\n",
				15);

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->nr, 2);
	assert_int_equal(t->nr_disks, 2);
	assert_int_equal(t->nr_parts, 15);
	io_is(t, 0, 0, 7, 2);
	io_is(t, 1, 1, 15, 4);
	trace_free(t);
}

/* The same file twice is one disk; what names a partition, and what does not. */
static void names(void **state)
{
	static const struct {
		const char *name;
		unsigned int part;
	} name[] = {
		{"/dev/sda7", 7},
		{"/dev/vdb12", 12},
		{"/dev/xvdc1", 1},
		{"/dev/nvme0n1p3", 3},
		{"/dev/loop0p2", 2},
		{"/dev/ps/det/lun03p07", 7},
		{"d/03.07", 7},
		{"/dev/sda", 0},
		{"/dev/nvme0n1", 0},
		{"/dev/loop0", 0},
		{"/dev/dm-3", 0},
		{"/srv/data/file1", 0},
		{"/dev/mapper/backup1", 0},
		{"job.0", 0},
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(name); i++) {
		char text[256];
		struct trace *t;

		snprintf(text, sizeof(text),
			 "fio version 2 iolog\n%s read 0 512\n%s read 512 512\n", name[i].name,
			 name[i].name);
		t = parse(text, 1);
		assert_non_null(t);
		assert_int_equal(t->nr_disks, 1);
		assert_int_equal(t->io[0].part, name[i].part);
		assert_int_equal(t->io[1].sector, 1);
		trace_free(t);
	}
}

static const char blkparse_sample[] =
	"  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 221442\n"
	"  8,0    3        2     0.000001829   697  Q   W 223490 + 8 [kjournald]\n"
	"  8,0    3        3     0.000002419   697  G   W 223490 + 8 [kjournald]\n"
	"  8,0    3        4     0.000003229   697  P   N [kjournald]\n"
	"  8,16   1        1     0.000149990  4823  Q   R 5000 + 16 [fio]\n"
	"  8,0    0        0     0.000149999     0  m   N cfq697 unplug\n"
	"  8,0    3       11     0.000151000   697  Q FWS [kjournald]\n"
	"  8,0    3       12     0.000160000     0  C   W 223490 + 8 [0]\n"
	"CPU3 (8,0):\n"
	" Reads Queued:           0,        0KiB\n"
	"\n"
	"Total (8,0):\n";

static void blkparse_text(void **state)
{
	struct trace *t = parse(blkparse_sample, 15);

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->nr, 2);
	assert_int_equal(t->nr_disks, 2);
	io_is(t, 0, 0, 0, 223490);
	io_is(t, 1, 1, 0, 5000);
	trace_free(t);
}

/* Partitions are as large as the I/O in them needs; a disk's together, as whole-disk I/O. */
static void sizes(void **state)
{
	struct trace *t = parse("fio version 2 iolog\n"
				"sda1 read 10737418240 512\n"
				"sdb read 107374182400 4096\n",
				4);
	u64 whole = 0;
	unsigned int p;

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->nr_parts, 4);
	assert_true(t->size[0] > 10737418240 / 512);
	for (p = 0; p < 4; p++) {
		assert_true(t->size[p] >= 2048);
		whole += t->size[4 + p];
	}
	assert_true(whole > 107374182400 / 512);
	trace_free(t);
}

/* A trace can be replayed: all of it falls into the disks that are made for it. */
static void replayed(void **state)
{
	struct trace *t = parse("fio version 2 iolog\n"
				"sda1 read 10737418240 512\n"
				"sda3 write 0 512\n"
				"sdb read 107374182400 4096\n"
				"sdb read 0 4096\n",
				4);
	struct fleet_spec spec = {.layout = LAYOUT_TRACE, .seed = 1};
	struct model_bio bio[8];
	struct fleet *fleet;

	(void)state;
	assert_non_null(t);
	spec.disks = t->nr_disks;
	spec.parts = t->nr_parts;
	spec.size = t->size;
	fleet = fleet_new(&spec);
	stream_fill(bio, 8, PATTERN_REPLAY, fleet, 0, 1, t, 1);
	assert_int_equal(bdev_partno(bio[0].bdev), 1);
	assert_int_equal(bdev_partno(bio[1].bdev), 3);
	assert_int_equal(bio[1].sector, bio[1].bdev->bd_start_sect);
	assert_int_equal(bdev_partno(bio[2].bdev), 4);
	assert_int_equal(bdev_partno(bio[3].bdev), 0); /* before the first partition */
	/* From the beginning again. */
	assert_int_equal(bio[4].sector, bio[0].sector);
	fleet_free(fleet);
	trace_free(t);
}

static void malformed_header(void **state)
{
	(void)state;
	refused("", "t:0: ", "empty");
	refused("hello\n", "t:1: ", "expected 'fio version 2 iolog'");
	refused("fio version 1 iolog\n", "t:1: ", "expected 2 or 3");
	refused("fio version 4 iolog\nx read 0 512\n", "t:1: ", "expected 2 or 3");
	refused("fio version x iolog\n", "t:1: ", "expected 'fio version 2 iolog'");
	refused("fio version 2 iolog\n", "t:1: ", "without a read, write or trim");
}

static void malformed_iolog(void **state)
{
	(void)state;
	refused("fio version 2 iolog\nsda1\n", "t:2: ", "expected 'file action [offset length]'");
	refused("fio version 2 iolog\nsda1 read 0\n", "t:2: ", "expected 'file action");
	refused("fio version 2 iolog\nsda1 read 0 512 9\n", "t:2: ", "expected 'file action");
	refused("fio version 2 iolog\nsda1 add\nsda1 jump 0 512\n",
		"t:3: ", "expected read, write");
	refused("fio version 2 iolog\nsda1 read\n", "t:2: ", "expected add, open or close");
	refused("fio version 2 iolog\nsda1 read zero 512\n", "t:2: ", "offset and length in bytes");
	refused("fio version 2 iolog\nsda1 read -1 512\n", "t:2: ", "offset and length in bytes");
	refused("fio version 2 iolog\nsda1 read 99999999999999999999 512\n",
		"t:2: ", "offset and length in bytes");
	refused("fio version 2 iolog\nsda300 read 0 512\n", "t:2: ", "expected 1 to 255");
	refused("fio version 3 iolog\nsda1 read 0 512\n", "t:2: ", "'time file action");
	refused("fio version 3 iolog\n5 sda1 read 0\n", "t:2: ", "'time file action");
}

static void malformed_blkparse(void **state)
{
	(void)state;
	refused("  8,0 3 1 0.0 697 Q\n", "t:1: ", "expected 'major,minor cpu");
	refused("  8,x 3 1 0.0 697 Q R 1 + 8 [fio]\n", "t:1: ", "'major,minor'");
	refused("  8,0 3 1 0.0 697 Q R 1 + 8 [fio]\n  8,0 3 2 0.1 697 Q R 1 8 [fio]\n",
		"t:2: ", "'sector + sectors'");
	refused("  8,0 3 1 0.0 697 Q R 1 + 8 [fio]\nnonsense\n",
		"t:2: ", "expected 'major,minor cpu");
	refused("  8,0 three 1 0.0 697 Q R 1 + 8 [fio]\n", "t:1: ", "expected 'major,minor cpu");
	refused("  8,0 3 1 0.0 697 C R 1 + 8 [fio]\n", "t:1: ", "no queue event");
}

static void unreadable(void **state)
{
	(void)state;
	assert_null(trace_read("/nonexistent/trace", 15));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iolog_version_2),
		cmocka_unit_test(iolog_version_3),
		cmocka_unit_test(names),
		cmocka_unit_test(blkparse_text),
		cmocka_unit_test(sizes),
		cmocka_unit_test(replayed),
		cmocka_unit_test(malformed_header),
		cmocka_unit_test(malformed_iolog),
		cmocka_unit_test(malformed_blkparse),
		cmocka_unit_test(unreadable),
	};

	rcu_register_thread();
	return cmocka_run_group_tests_name("traces", tests, NULL, NULL);
}
