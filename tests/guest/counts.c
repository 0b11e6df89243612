// SPDX-License-Identifier: GPL-2.0
/*
 * Hold the I/O counters of all block devices against what they should be.
 *
 *	counts save FILE
 *		write down all counters
 *	counts check FILE [DEV:FIELD=MORE[,FIELD=MORE]...]...
 *		since FILE was written these fields have grown by exactly so much, and nothing else
 *		has moved on any device; then write FILE anew
 *	counts delta FILE DEV...
 *		print by how much the fields of these devices have grown, times left out; then write
 *		FILE anew
 *	counts rest SECONDS
 *		nothing is in flight, all places to read counters from agree, and for so long
 *nothing moves
 *
 * There are three such places, and all must be right: /proc/diskstats, /sys/block/DISK/stat and
 * /sys/block/DISK/PARTITION/stat.  The first shows all devices in one read, so it is what is
 * compared.  The others have to show the same numbers: `check' looks at all of each disk that is
 * named, `rest' at all there are.
 *
 * How long I/O took cannot be told beforehand.  A time may grow where the count that belongs to it
 * was to grow, and nowhere else.
 *
 * The end of an I/O is counted after its issuer has been woken up.  So all commands first wait
 *until nothing is in flight, at most SETTLE_SECONDS.
 *
 * Exit status: 0; 1 when something is not as it should be, which is said on standard output; 2 for
 * usage and when there are no counters to be had.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_SECONDS 20
#define MAX_DEVICES    4096
#define MAX_COMPLAINTS 20

enum {
	READS,
	READ_MERGES,
	READ_SECTORS,
	READ_MS,
	WRITES,
	WRITE_MERGES,
	WRITE_SECTORS,
	WRITE_MS,
	IN_FLIGHT,
	IO_MS,
	WEIGHTED_MS,
	DISCARDS,
	DISCARD_MERGES,
	DISCARD_SECTORS,
	DISCARD_MS,
	FLUSHES,
	FLUSH_MS,
	NR_FIELDS
};

static const char *const field_names[NR_FIELDS] = {
	[READS] = "reads",
	[READ_MERGES] = "read_merges",
	[READ_SECTORS] = "read_sectors",
	[READ_MS] = "read_ms",
	[WRITES] = "writes",
	[WRITE_MERGES] = "write_merges",
	[WRITE_SECTORS] = "write_sectors",
	[WRITE_MS] = "write_ms",
	[IN_FLIGHT] = "in_flight",
	[IO_MS] = "io_ms",
	[WEIGHTED_MS] = "weighted_ms",
	[DISCARDS] = "discards",
	[DISCARD_MERGES] = "discard_merges",
	[DISCARD_SECTORS] = "discard_sectors",
	[DISCARD_MS] = "discard_ms",
	[FLUSHES] = "flushes",
	[FLUSH_MS] = "flush_ms",
};

struct counters {
	char name[64];
	unsigned long long value[NR_FIELDS];
};

struct snapshot {
	unsigned int nr;
	struct counters dev[MAX_DEVICES];
};

static struct snapshot before, now;
/* What has been asked for: the fields of a device that are to grow. */
static struct snapshot expected;
static unsigned int nr_complaints;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("counts: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

static void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...)
{
	va_list args;

	if (++nr_complaints > MAX_COMPLAINTS)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/* @hint: where it most likely is, since devices mostly keep their order */
static struct counters *find(struct snapshot *s, const char *name, unsigned int hint)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		struct counters *c = &s->dev[(hint + i) % s->nr];

		if (!strcmp(c->name, name))
			return c;
	}
	return NULL;
}

static struct counters *add(struct snapshot *s, const char *name)
{
	struct counters *c = &s->dev[s->nr];

	if (s->nr == MAX_DEVICES || strlen(name) >= sizeof(c->name))
		die("%s: too many devices, or too long a name", name);
	s->nr++;
	memset(c, 0, sizeof(*c));
	strcpy(c->name, name);
	return c;
}

/* --- /proc/diskstats */

/* All the fields there are; a missing one would otherwise pass for one that stands still. */
static void parse(struct counters *c, const char *text)
{
	char *end;
	int i;

	for (i = 0; i < NR_FIELDS; i++, text = end) {
		c->value[i] = strtoull(text, &end, 10);
		if (end == text)
			die("%s: no field %s", c->name, field_names[i]);
	}
	if (text[strspn(text, " \n")])
		die("%s: more fields than are known: %s", c->name, text);
}

static void take(struct snapshot *s)
{
	FILE *f = fopen("/proc/diskstats", "r");
	char line[1024], name[64];
	int skip;

	if (!f)
		die("/proc/diskstats: %s", strerror(errno));
	s->nr = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %*u %*u %63s%n", name, &skip) != 1)
			die("/proc/diskstats: what is this? %s", line);
		parse(add(s, name), line + skip);
	}
	fclose(f);
}

static void nap(long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

static int is_busy(const struct snapshot *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->dev[i].value[IN_FLIGHT])
			return 1;
	return 0;
}

static void take_at_rest(struct snapshot *s)
{
	time_t end = time(NULL) + SETTLE_SECONDS;
	unsigned int i;

	take(s);
	while (is_busy(s) && time(NULL) < end) {
		nap(10);
		take(s);
	}
	for (i = 0; i < s->nr; i++)
		if (s->dev[i].value[IN_FLIGHT])
			complain("%s: %llu in flight after %d s", s->dev[i].name,
				 s->dev[i].value[IN_FLIGHT], SETTLE_SECONDS);
}

/* --- sysfs */

static int read_line(const char *dir, const char *file, char *line, int size)
{
	char path[PATH_MAX];
	char *got;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	if (!f)
		return 0;
	got = fgets(line, size, f);
	fclose(f);
	return got != NULL;
}

/* The files of a device, in its directory, show what /proc/diskstats does. */
static void device_agrees(const char *dir, const char *name)
{
	const struct counters *proc = find(&now, name, 0);
	unsigned long long inflight[2];
	struct counters c = {0};
	char line[1024];
	int i;

	if (!read_line(dir, "stat", line, sizeof(line)) || !proc) {
		complain("%s: is not in %s", name, proc ? "sysfs" : "/proc/diskstats");
		return;
	}
	snprintf(c.name, sizeof(c.name), "%s", name);
	parse(&c, line);
	for (i = 0; i < NR_FIELDS; i++)
		if (c.value[i] != proc->value[i])
			complain("%s: %s: %llu in %s/stat, %llu in /proc/diskstats", name,
				 field_names[i], c.value[i], dir, proc->value[i]);
	if (!read_line(dir, "inflight", line, sizeof(line)) ||
	    sscanf(line, "%llu %llu", &inflight[0], &inflight[1]) != 2)
		complain("%s: no %s/inflight", name, dir);
	else if (inflight[0] || inflight[1])
		complain("%s: %s/inflight: %llu %llu", name, dir, inflight[0], inflight[1]);
}

/* A disk and all its partitions: these have directories in its own, and begin with its name. */
static void disk_agrees(const char *disk)
{
	char dir[256], path[512];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "/sys/block/%s", disk);
	device_agrees(dir, disk);
	d = opendir(dir);
	if (!d)
		return;
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, disk, strlen(disk)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		device_agrees(path, e->d_name);
	}
	closedir(d);
}

static void all_disks_agree(void)
{
	struct dirent *e;
	DIR *d;

	d = opendir("/sys/block");
	if (!d)
		die("/sys/block: %s", strerror(errno));
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			disk_agrees(e->d_name);
	closedir(d);
}

/* The disk that a device is, or is a partition of. */
static void disk_of(const char *name, char *disk, size_t size)
{
	char link[PATH_MAX], path[PATH_MAX], *slash;

	snprintf(link, sizeof(link), "/sys/class/block/%s", name);
	if (!realpath(link, path))
		die("%s: %s", link, strerror(errno));
	snprintf(link, sizeof(link), "/sys/class/block/%s/partition", name);
	slash = strrchr(path, '/');
	if (!access(link, F_OK)) {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	snprintf(disk, size, "%s", slash + 1);
}

static void expected_agree(void)
{
	char disk[64], last[64] = "";
	unsigned int i;

	for (i = 0; i < expected.nr; i++) {
		disk_of(expected.dev[i].name, disk, sizeof(disk));
		if (strcmp(disk, last))
			disk_agrees(disk);
		strcpy(last, disk);
	}
}

/* --- the file */

static void save(const struct snapshot *s, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(s->dev, sizeof(*s->dev), s->nr, f) != s->nr || fclose(f))
		die("%s: %s", path, strerror(errno));
}

static void load(struct snapshot *s, const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f)
		die("%s: %s", path, strerror(errno));
	s->nr = (unsigned int)fread(s->dev, sizeof(*s->dev), MAX_DEVICES, f);
	if (!s->nr)
		die("%s: not a file that `counts save' has written", path);
	fclose(f);
}

/* --- comparing */

/* May this time have grown? */
static int may_grow(int field, const unsigned long long *more)
{
	switch (field) {
	case READ_MS:
		return more[READS] != 0;
	case WRITE_MS:
		return more[WRITES] != 0;
	case DISCARD_MS:
		return more[DISCARDS] != 0;
	case FLUSH_MS:
		return more[FLUSHES] != 0;
	case IO_MS:
	case WEIGHTED_MS:
		return more[READS] || more[WRITES] || more[DISCARDS] || more[FLUSHES];
	}
	return 0;
}

static void compare(const struct counters *old, const struct counters *new)
{
	static const struct counters nothing;
	const struct counters *e = find(&expected, old->name, 0);
	int i;

	if (!e)
		e = &nothing;
	for (i = 0; i < NR_FIELDS; i++) {
		long long more = (long long)(new->value[i] - old->value[i]);

		if (i == IN_FLIGHT)
			continue; /* not a sum; take_at_rest() has looked at it */
		if (may_grow(i, e->value) && more >= 0)
			continue;
		if (more != (long long)e->value[i])
			complain("%s: %s: %+lld, should be %+lld", old->name, field_names[i], more,
				 (long long)e->value[i]);
	}
}

static void compare_all(void)
{
	const struct counters *c;
	unsigned int i;

	for (i = 0; i < expected.nr; i++)
		if (!find(&before, expected.dev[i].name, 0))
			complain("%s: there was no such device", expected.dev[i].name);
	for (i = 0; i < now.nr; i++)
		if (!find(&before, now.dev[i].name, i))
			complain("%s: was not there before", now.dev[i].name);
	for (i = 0; i < before.nr; i++) {
		c = find(&now, before.dev[i].name, i);
		if (c)
			compare(&before.dev[i], c);
		else
			complain("%s: is gone", before.dev[i].name);
	}
}

/* --- arguments */

/* /dev/ps/det/lun00p01, or /dev/sda1: the kernel's name for it */
static void kernel_name(const char *dev, char *name, size_t size)
{
	char path[PATH_MAX];

	if (!realpath(dev, path))
		die("%s: %s", dev, strerror(errno));
	if (strlen(strrchr(path, '/') + 1) >= size)
		die("%s: name too long", dev);
	strcpy(name, strrchr(path, '/') + 1);
}

static int field_of(const char *name, size_t len)
{
	int i;

	for (i = 0; i < NR_FIELDS; i++)
		if (strlen(field_names[i]) == len && !strncmp(field_names[i], name, len))
			return i;
	return -1;
}

/* DEV:FIELD=MORE[,FIELD=MORE]...; what is said twice of one device adds up */
static void expect(char *arg)
{
	char *colon = strrchr(arg, ':'), *p, *end;
	struct counters *e;
	char name[64];

	if (!colon)
		die("%s: not DEV:FIELD=MORE", arg);
	*colon = '\0';
	kernel_name(arg, name, sizeof(name));
	e = find(&expected, name, 0);
	if (!e)
		e = add(&expected, name);
	for (p = colon + 1; *p; p = end) {
		size_t len = strcspn(p, "=");
		int field = field_of(p, len);

		if (field < 0 || p[len] != '=')
			die("%s: not FIELD=MORE", p);
		p += len + 1;
		e->value[field] += strtoull(p, &end, 10);
		if (end == p || (*end && *end != ','))
			die("%s: not a number", p);
		end += *end == ',';
	}
}

static void print_delta(const char *dev)
{
	const struct counters *old, *new;
	char name[64];
	int i;

	kernel_name(dev, name, sizeof(name));
	old = find(&before, name, 0);
	new = find(&now, name, 0);
	if (!old || !new)
		die("%s: there was, or is, no such device", dev);
	printf("%s", dev);
	for (i = 0; i < NR_FIELDS; i++)
		if (!strstr(field_names[i], "_ms") && i != IN_FLIGHT)
			printf(" %s=%lld", field_names[i],
			       (long long)(new->value[i] - old->value[i]));
	putchar('\n');
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 3 && !strcmp(argv[1], "save")) {
		take_at_rest(&now);
		save(&now, argv[2]);
	} else if (argc >= 3 && !strcmp(argv[1], "check")) {
		load(&before, argv[2]);
		for (i = 3; i < argc; i++)
			expect(argv[i]);
		take_at_rest(&now);
		save(&now, argv[2]);
		compare_all();
		expected_agree();
	} else if (argc >= 4 && !strcmp(argv[1], "delta")) {
		load(&before, argv[2]);
		take_at_rest(&now);
		save(&now, argv[2]);
		for (i = 3; i < argc; i++)
			print_delta(argv[i]);
	} else if (argc == 3 && !strcmp(argv[1], "rest") && argv[2][0] >= '0' &&
		   argv[2][0] <= '9') {
		take_at_rest(&before);
		nap(atoi(argv[2]) * 1000L);
		take_at_rest(&now);
		compare_all();
		all_disks_agree();
	} else {
		die("usage: counts save FILE | check FILE [DEV:FIELD=MORE,...]... |"
		    " delta FILE DEV... | rest SECONDS");
	}
	if (nr_complaints > MAX_COMPLAINTS)
		printf("and %u more\n", nr_complaints - MAX_COMPLAINTS);
	return nr_complaints != 0;
}
