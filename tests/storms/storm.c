// SPDX-License-Identifier: GPL-2.0
/*
 * Does to block devices, at random and for a given time, what must do no harm.
 *
 * storm toggles [OPTION]... DISK...
 *	write values at random to queue/iostats and queue/part_stats
 *
 * storm partitions [OPTION]... DISK...
 *	add, delete and resize partitions by BLKPG; with -R, have the table read anew as well
 *
 * storm io [OPTION]... DISK...
 *	open disks and partitions, as they come, for a batch of asynchronous direct I/O each
 *
 * storm keep [OPTION]... DISK...
 *	open disks and partitions, read, and read again after a while: the device may have gone
 *	under the open file by then
 *
 * storm removals [OPTION]... DISK...
 *	delete SCSI devices and have their hosts scanned for them again
 *
 * storm probe DEVICE...
 *	after at least GAP_MS of rest, one read of each device: it adds its own time to io_ticks and
 *	not the time of rest, which it would if anything were counted as in flight
 *
 * storm held DEVICE...
 *	one read of each device, which must take at least a second: while it lasts, one request is
 *	in flight on the device (none, if a request too few had been counted before)
 *
 * storm reread DISK...
 *	have the partition table read until it works; for the end of a storm
 *
 * -t SECONDS	for how long (default: 5)
 * -s SEED	of the random numbers (default: 1)
 * -j JOBS	so many processes at once (default: 1)
 * -f FILES	toggles: i, p or ip for iostats, part_stats or both (default: ip)
 * -p LOW-HIGH	partitions: the numbers that may be touched (default: 1-15)
 * -R		partitions: BLKRRPART too
 * -w		io: writes too, except to the first and the last MiB of a disk
 * -e		io: I/O errors and devices that are gone are failures
 * -W		io: whole disks only
 *
 * A DISK or DEVICE is a path, or @TEXT: one of the disks, whichever there are at that moment, whose
 * path in sysfs holds TEXT.
 *
 * What is random is what is tried; what comes of it depends on the timing.  What was done is
 * printed as NAME=NUMBER, the sum of all processes in one line.  Errors that go with devices which
 * come and go are part of the figures; any other ends the program with status 1.  2 is for usage.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECTOR	     512ULL
#define MAX_TARGETS  1024
#define MAX_BATCH    32
#define MAX_IO	     65536
#define MAX_JOBS     64
#define GAP_MS	     3000
/* guest/gpt.sfdisk: where partitions are, and how long */
#define FIRST	     2048ULL
#define PART_SECTORS 8192ULL
#define KEEP	     2048ULL

enum figure {
	FLIPS,
	REFUSED,
	ADDED,
	DELETED,
	RESIZED,
	REREAD,
	BUSY,
	READS,
	READ_SECTORS,
	WRITES,
	WRITE_SECTORS,
	FAILED,
	OPENS,
	KEPT,
	OUTLIVED,
	REMOVED,
	SCANS,
	GONE,
	NR_FIGURES
};

static const char *const figure_names[NR_FIGURES] = {
	[FLIPS] = "flips",
	[REFUSED] = "refused",
	[ADDED] = "added",
	[DELETED] = "deleted",
	[RESIZED] = "resized",
	[REREAD] = "reread",
	[BUSY] = "busy",
	[READS] = "reads",
	[READ_SECTORS] = "read_sectors",
	[WRITES] = "writes",
	[WRITE_SECTORS] = "write_sectors",
	[FAILED] = "failed",
	[OPENS] = "opens",
	[KEPT] = "kept_open",
	[OUTLIVED] = "outlived_their_device",
	[REMOVED] = "removed",
	[SCANS] = "scans",
	[GONE] = "gone",
};

static unsigned long long (*figures)[NR_FIGURES];
static unsigned long long *mine;

static char **targets;
static unsigned int nr_targets;
static unsigned int seconds = 5, jobs = 1, low = 1, high = 15;
static unsigned long long seed = 1;
static int flip_iostats = 1, flip_part_stats = 1, rereads, writes, strict, whole_only;

static void __attribute__((noreturn, format(printf, 2, 3))) die(int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("storm: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(status);
}

static uint64_t state;

/* xorshift: the same numbers everywhere for a seed */
static uint64_t any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void nap(unsigned int ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

/* --- which device */

/* @TEXT: one of the disks that match, at random */
static int pick_matching(const char *text, char *name, size_t size)
{
	char link[PATH_MAX], path[PATH_MAX];
	unsigned int n = 0;
	struct dirent *e;
	ssize_t len;
	DIR *d;

	d = opendir("/sys/block");
	if (!d)
		die(1, "/sys/block: %s", strerror(errno));
	while ((e = readdir(d))) {
		snprintf(link, sizeof(link), "/sys/block/%s", e->d_name);
		len = readlink(link, path, sizeof(path) - 1);
		if (len < 0)
			continue;
		path[len] = '\0';
		if (strstr(path, text) && any(++n) == 0)
			snprintf(name, size, "%.63s", e->d_name);
	}
	closedir(d);
	return n > 0;
}

/* The kernel's name of one of the disks that were given; 0 if there is none just now. */
static int pick(char *name, size_t size)
{
	const char *target = targets[any(nr_targets)];
	char path[PATH_MAX];

	if (*target == '@')
		return pick_matching(target + 1, name, size);
	if (!realpath(target, path))
		return 0;
	snprintf(name, size, "%s", strrchr(path, '/') + 1);
	return 1;
}

static void part_node(const char *disk, unsigned int part, char *node, size_t size)
{
	int digit = disk[strlen(disk) - 1] >= '0' && disk[strlen(disk) - 1] <= '9';

	snprintf(node, size, "/dev/%s%s%u", disk, digit ? "p" : "", part);
}

/* Errors that are to be expected when a device goes. */
static int is_gone(int err)
{
	return err == ENOENT || err == ENODEV || err == ENXIO || err == EIO;
}

/* Write to a file in sysfs: 0 or an error number. */
static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

/* --- toggles */

static void flip(void)
{
	static const char *const values[] = {"0", "1", "2"};
	char name[64], path[PATH_MAX];
	int part_stats, err;

	if (!pick(name, sizeof(name))) {
		mine[GONE]++;
		nap(1);
		return;
	}
	part_stats = flip_part_stats && (!flip_iostats || any(3));
	snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", name,
		 part_stats ? "part_stats" : "iostats");
	err = put(path, values[any(part_stats ? 3 : 2)]);
	if (!err)
		mine[FLIPS]++;
	else if (err == EINVAL && part_stats)
		mine[REFUSED]++; /* 2, of a bio-based disk */
	else if (is_gone(err))
		mine[GONE]++;
	else
		die(1, "%s: %s", path, strerror(err));
}

/* --- partitions */

static unsigned long long slot_of(unsigned int part)
{
	return FIRST + PART_SECTORS * (part - 1) + FIRST * ((part - 1) / 5);
}

static void edit(void)
{
	struct blkpg_partition p = {0};
	struct blkpg_ioctl_arg arg = {.datalen = sizeof(p), .data = &p};
	unsigned int what = (unsigned int)any(rereads ? 40 : 39);
	unsigned long long bytes = 0;
	char name[64], path[PATH_MAX];
	enum figure done;
	int fd, err = 0;

	if (!pick(name, sizeof(name))) {
		mine[GONE]++;
		nap(1);
		return;
	}
	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0) {
		if (!is_gone(errno))
			die(1, "%s: %s", path, strerror(errno));
		mine[GONE]++;
		return;
	}
	p.pno = (int)(low + any(high - low + 1));
	p.start = (long long)((slot_of((unsigned int)p.pno) + any(64) * 8) * SECTOR);
	p.length = (long long)((8 + any(960) * 8) * SECTOR);
	if (what == 39) {
		done = REREAD;
		if (ioctl(fd, BLKRRPART))
			err = errno;
	} else {
		arg.op = what < 13   ? BLKPG_ADD_PARTITION
			 : what < 26 ? BLKPG_DEL_PARTITION
				     : BLKPG_RESIZE_PARTITION;
		done = what < 13 ? ADDED : what < 26 ? DELETED : RESIZED;
		if (ioctl(fd, BLKPG, &arg))
			err = errno;
		/* A resize has to say where the partition starts: not known here.  Ask. */
		if (err == EINVAL && done == RESIZED) {
			char attr[PATH_MAX + 128];
			FILE *f;

			part_node(name, (unsigned int)p.pno, path, sizeof(path));
			snprintf(attr, sizeof(attr), "/sys/block/%s/%s/start", name, path + 5);
			f = fopen(attr, "r");
			if (f) {
				if (fscanf(f, "%lld", &p.start) == 1)
					p.start *= (long long)SECTOR;
				fclose(f);
			}
			err = ioctl(fd, BLKPG, &arg) ? errno : 0;
		}
	}
	/* A disk that is going has no room left: not a bad request of ours. */
	if (err == EINVAL && (ioctl(fd, BLKGETSIZE64, &bytes) || !bytes))
		err = ENXIO;
	close(fd);
	if (!err)
		mine[done]++;
	else if (err == EBUSY)
		mine[BUSY]++; /* there already, or open, or overlapping */
	else if (err == EINVAL && done == RESIZED)
		mine[BUSY]++; /* another process has put it elsewhere meanwhile */
	else if (is_gone(err))
		mine[GONE]++;
	else
		die(1, "%s: partition %d: operation %u: %s", name, p.pno, what, strerror(err));
}

/* --- I/O */

static void *buffer;

static void batch(const char *path, int fd, unsigned long long sectors, unsigned long long keep)
{
	struct iocb iocbs[MAX_BATCH], *list[MAX_BATCH];
	struct io_event events[MAX_BATCH];
	static aio_context_t ctx;
	long n = 1 + (long)any(MAX_BATCH), done, got, i;

	if (!ctx && syscall(SYS_io_setup, MAX_BATCH, &ctx))
		die(1, "io_setup: %s", strerror(errno));
	if (sectors < 2 * keep + 2 * MAX_IO / SECTOR)
		keep = 0;
	memset(iocbs, 0, sizeof(iocbs));
	for (i = 0; i < n; i++) {
		unsigned long long len = 8 * (1 + any(MAX_IO / SECTOR / 8));
		int write = writes && any(2) && sectors > 2 * keep + len;
		unsigned long long from = write ? keep : 0, room = sectors - 2 * from;

		if (len > room)
			len = room / 8 * 8;
		if (!len)
			len = 1;
		list[i] = &iocbs[i];
		iocbs[i].aio_lio_opcode = write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
		iocbs[i].aio_fildes = (uint32_t)fd;
		iocbs[i].aio_buf = (uint64_t)(uintptr_t)buffer + (uint64_t)i * MAX_IO;
		iocbs[i].aio_nbytes = len * SECTOR;
		iocbs[i].aio_offset = (int64_t)((from + any(room - len + 1)) / 8 * 8 * SECTOR);
	}
	for (i = 0; i < n; i += got) {
		got = syscall(SYS_io_submit, ctx, n - i, list + i);
		if (got > 0)
			continue;
		/* This one is refused: the end of the device has come nearer.  Leave the rest. */
		if (got < 0 && errno != EAGAIN && errno != EINTR && !is_gone(errno) &&
		    errno != EINVAL && errno != ENOSPC)
			die(1, "%s: io_submit: %s", path, strerror(errno));
		mine[FAILED] += (unsigned long long)(n - i);
		n = i;
		break;
	}
	for (done = 0; done < n; done += got) {
		got = syscall(SYS_io_getevents, ctx, 1, n - done, events, NULL);
		if (got < 0 && errno != EINTR)
			die(1, "io_getevents: %s", strerror(errno));
		if (got < 0)
			got = 0;
		for (i = 0; i < got; i++) {
			const struct iocb *cb = (const void *)(uintptr_t)events[i].obj;
			int write = cb->aio_lio_opcode == IOCB_CMD_PWRITE;

			mine[write ? WRITES : READS]++;
			mine[write ? WRITE_SECTORS : READ_SECTORS] += cb->aio_nbytes / SECTOR;
			if (events[i].res == (int64_t)cb->aio_nbytes)
				continue;
			mine[FAILED]++;
			if (strict)
				die(1, "%s: sector %llu: %s", path,
				    (unsigned long long)cb->aio_offset / SECTOR,
				    events[i].res < 0 ? strerror((int)-events[i].res)
						      : "cut short");
		}
	}
}

static void io(void)
{
	unsigned long long bytes = 0;
	char name[64], path[PATH_MAX];
	int fd, part;

	if (!pick(name, sizeof(name))) {
		mine[GONE]++;
		nap(1);
		return;
	}
	part = !whole_only && any(2);
	if (part)
		part_node(name, (unsigned int)(low + any(high - low + 1)), path, sizeof(path));
	else
		snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_DIRECT);
	if (fd < 0) {
		if (!is_gone(errno) && errno != EBUSY && errno != EINTR)
			die(1, "%s: %s", path, strerror(errno));
		if (strict && !part)
			die(1, "%s: %s", path, strerror(errno));
		mine[GONE]++;
		return;
	}
	mine[OPENS]++;
	if (!ioctl(fd, BLKGETSIZE64, &bytes) && bytes >= SECTOR * 8)
		batch(path, fd, bytes / SECTOR, part ? 0 : KEEP);
	close(fd);
}

/* Two reads with a pause between them; the second one may find its device gone. */
static void keep(void)
{
	char name[64], path[PATH_MAX];
	ssize_t got;
	int fd;

	if (!pick(name, sizeof(name))) {
		mine[GONE]++;
		nap(1);
		return;
	}
	if (any(2))
		part_node(name, (unsigned int)(low + any(high - low + 1)), path, sizeof(path));
	else
		snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_DIRECT);
	if (fd < 0) {
		if (!is_gone(errno) && errno != EBUSY && errno != EINTR)
			die(1, "%s: %s", path, strerror(errno));
		mine[GONE]++;
		return;
	}
	mine[KEPT]++;
	got = pread(fd, buffer, 4096, 0);
	if (got < 0 && !is_gone(errno))
		die(1, "%s: %s", path, strerror(errno));
	nap((unsigned int)(20 + any(300)));
	got = got < 0 ? got : pread(fd, buffer, 4096, 4096);
	if (got < 0 && !is_gone(errno))
		die(1, "%s: %s", path, strerror(errno));
	/* Nothing left to read: the device has no size any more. */
	if (got <= 0)
		mine[OUTLIVED]++;
	close(fd);
}

/* --- removals */

static void removal(void)
{
	char name[64], link[PATH_MAX], path[PATH_MAX], scan[PATH_MAX], text[64];
	unsigned int host, channel, target, lun;
	const char *last;
	int err;

	if (!pick(name, sizeof(name))) {
		mine[GONE]++;
		nap(1);
		return;
	}
	snprintf(link, sizeof(link), "/sys/block/%s/device", name);
	if (!realpath(link, path)) {
		mine[GONE]++;
		return;
	}
	last = strrchr(path, '/') + 1;
	if (sscanf(last, "%u:%u:%u:%u", &host, &channel, &target, &lun) != 4)
		die(1, "%s: %s is no SCSI device", name, last);
	strncat(path, "/delete", sizeof(path) - strlen(path) - 1);
	err = put(path, "1");
	if (!err)
		mine[REMOVED]++;
	else if (is_gone(err))
		mine[GONE]++;
	else
		die(1, "%s: %s", path, strerror(err));
	nap((unsigned int)any(20));
	snprintf(scan, sizeof(scan), "/sys/class/scsi_host/host%u/scan", host);
	snprintf(text, sizeof(text), "%u %u %u", channel, target, lun);
	err = put(scan, text);
	if (!err)
		mine[SCANS]++;
	else if (is_gone(err))
		mine[GONE]++; /* the host has gone, too */
	else
		die(1, "%s: %s", scan, strerror(err));
	nap((unsigned int)any(20));
}

/* --- checks at rest */

struct device {
	char name[64];
	char path[80];
	int fd;
	unsigned long long io_ticks;
	unsigned int in_flight;
};

static struct device *devices;
static unsigned int nr_devices;

static void add_device(const char *name)
{
	struct device *d;

	devices = realloc(devices, (nr_devices + 1) * sizeof(*devices));
	if (!devices)
		die(1, "no memory");
	d = &devices[nr_devices++];
	memset(d, 0, sizeof(*d));
	snprintf(d->name, sizeof(d->name), "%s", name);
	snprintf(d->path, sizeof(d->path), "/dev/%s", name);
	d->fd = -1;
}

/* @TEXT stands for all disks that match here, and if @parts for their partitions, too. */
static void add_matching(const char *text, int parts)
{
	char link[PATH_MAX], path[PATH_MAX];
	struct dirent *e, *sub;
	ssize_t len;
	DIR *d, *disk;

	d = opendir("/sys/block");
	if (!d)
		die(1, "/sys/block: %s", strerror(errno));
	while ((e = readdir(d))) {
		snprintf(link, sizeof(link), "/sys/block/%s", e->d_name);
		len = readlink(link, path, sizeof(path) - 1);
		if (len < 0)
			continue;
		path[len] = '\0';
		if (!strstr(path, text))
			continue;
		add_device(e->d_name);
		disk = parts ? opendir(link) : NULL;
		while (disk && (sub = readdir(disk)))
			if (!strncmp(sub->d_name, e->d_name, strlen(e->d_name)))
				add_device(sub->d_name);
		if (disk)
			closedir(disk);
	}
	closedir(d);
}

static void add_devices(int parts)
{
	char path[PATH_MAX];
	unsigned int i;

	for (i = 0; i < nr_targets; i++) {
		if (targets[i][0] == '@') {
			add_matching(targets[i] + 1, parts);
			continue;
		}
		if (!realpath(targets[i], path))
			die(1, "%s: %s", targets[i], strerror(errno));
		add_device(strrchr(path, '/') + 1);
	}
	if (!nr_devices)
		die(1, "no device to look at");
}

static void take(void)
{
	FILE *f = fopen("/proc/diskstats", "r");
	unsigned long long ticks;
	unsigned int in_flight, i, hint = 0;
	char line[512], name[64];

	if (!f)
		die(1, "/proc/diskstats: %s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %*u %*u %63s %*u %*u %*u %*u %*u %*u %*u %*u %u %llu", name,
			   &in_flight, &ticks) != 3)
			die(1, "/proc/diskstats: what is this? %s", line);
		for (i = 0; i < nr_devices; i++) {
			struct device *d = &devices[(hint + i) % nr_devices];

			if (strcmp(d->name, name))
				continue;
			d->in_flight = in_flight;
			d->io_ticks = ticks;
			hint = (hint + i + 1) % nr_devices;
			break;
		}
	}
	fclose(f);
}

static int open_direct(const struct device *d)
{
	int fd = open(d->path, O_RDONLY | O_DIRECT);

	if (fd < 0)
		die(1, "%s: %s", d->path, strerror(errno));
	return fd;
}

/*
 * Counted as in flight without being there: the next request then adds all the time since the one
 * before it.  A host that is busy may make one read take long, hence a second round for those.
 */
static int probe(void)
{
	unsigned long long *before;
	unsigned int i, round, wrong = 0;

	add_devices(1);
	before = calloc(nr_devices, sizeof(*before));
	if (!before)
		die(1, "no memory");
	for (round = 0; round < 3; round++) {
		wrong = 0;
		nap(GAP_MS);
		take();
		for (i = 0; i < nr_devices; i++)
			before[i] = devices[i].io_ticks;
		for (i = 0; i < nr_devices; i++) {
			int fd = open_direct(&devices[i]);

			if (pread(fd, buffer, 4096, 0) < 0)
				die(1, "%s: %s", devices[i].path, strerror(errno));
			close(fd);
		}
		take();
		for (i = 0; i < nr_devices; i++) {
			if (devices[i].io_ticks - before[i] < GAP_MS)
				continue;
			wrong++;
			if (round == 2)
				printf("%s: a read after %d ms of rest made it busy for %llu ms\n",
				       devices[i].name, GAP_MS, devices[i].io_ticks - before[i]);
		}
		if (!wrong)
			break;
	}
	if (!wrong)
		printf("probed=%u\n", nr_devices);
	return wrong > 0;
}

/* One read each, all at once; then look. */
static int held(void)
{
	struct iocb *iocbs, **list;
	struct io_event *events;
	unsigned int i, wrong = 0;
	aio_context_t ctx = 0;
	long got, done;

	add_devices(1);
	iocbs = calloc(nr_devices, sizeof(*iocbs));
	list = calloc(nr_devices, sizeof(*list));
	events = calloc(nr_devices, sizeof(*events));
	if (!iocbs || !list || !events)
		die(1, "no memory");
	if (syscall(SYS_io_setup, nr_devices, &ctx))
		die(1, "io_setup: %s", strerror(errno));
	for (i = 0; i < nr_devices; i++) {
		list[i] = &iocbs[i];
		iocbs[i].aio_lio_opcode = IOCB_CMD_PREAD;
		iocbs[i].aio_fildes = (uint32_t)open_direct(&devices[i]);
		iocbs[i].aio_buf = (uint64_t)(uintptr_t)buffer;
		iocbs[i].aio_nbytes = 4096;
	}
	if (syscall(SYS_io_submit, ctx, nr_devices, list) != nr_devices)
		die(1, "io_submit did not take all: %s", strerror(errno));
	take();
	for (done = 0; done < nr_devices; done += got) {
		got = syscall(SYS_io_getevents, ctx, 0, nr_devices, events, NULL);
		if (got < 0)
			die(1, "io_getevents: %s", strerror(errno));
		if (!done && got)
			die(3, "%ld reads ended too early to be looked at", got);
		if (!done)
			got = syscall(SYS_io_getevents, ctx, 1, nr_devices, events, NULL);
		else if (!got)
			nap(10);
	}
	for (i = 0; i < nr_devices; i++) {
		if (devices[i].in_flight == 1)
			continue;
		printf("%s: %u in flight during one read\n", devices[i].name, devices[i].in_flight);
		wrong++;
	}
	if (!wrong)
		printf("held=%u\n", nr_devices);
	return wrong > 0;
}

static int reread(void)
{
	unsigned int i, tries;
	int fd;

	add_devices(0);
	for (i = 0; i < nr_devices; i++) {
		for (tries = 0;; tries++) {
			fd = open(devices[i].path, O_RDONLY);
			if (fd >= 0 && !ioctl(fd, BLKRRPART))
				break;
			if (fd < 0 || errno != EBUSY || tries == 200)
				die(1, "%s: %s", devices[i].path, strerror(errno));
			close(fd);
			nap(20);
		}
		close(fd);
	}
	return 0;
}

/* --- several of them */

static int run(void (*step)(void))
{
	double end = now() + seconds;
	unsigned int i, f;
	int status, bad = 0;
	const char *gap = "";

	figures = mmap(NULL, sizeof(*figures) * MAX_JOBS, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (figures == MAP_FAILED)
		die(1, "mmap: %s", strerror(errno));
	for (i = 0; i < jobs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die(1, "fork: %s", strerror(errno));
		if (pid)
			continue;
		mine = figures[i];
		state = (seed + 1) * 0x9e3779b97f4a7c15ULL + i;
		while (now() < end)
			step();
		exit(0);
	}
	while (wait(&status) > 0)
		if (status)
			bad = 1;
	for (i = 1; i < jobs; i++)
		for (f = 0; f < NR_FIGURES; f++)
			figures[0][f] += figures[i][f];
	for (f = 0; f < NR_FIGURES; f++)
		if (figures[0][f]) {
			printf("%s%s=%llu", gap, figure_names[f], figures[0][f]);
			gap = " ";
		}
	putchar('\n');
	return bad;
}

static unsigned long long number(const char *what, const char *text, unsigned long long most)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n > most)
		die(2, "%s: '%s' is not a number up to %llu", what, text, most);
	return n;
}

int main(int argc, char **argv)
{
	static const char usage[] =
		"usage: storm toggles|partitions|io|keep|removals|probe|held|reread [-t SECONDS]"
		" [-s SEED] [-j JOBS] [-f i|p|ip] [-p LOW-HIGH] [-R] [-w] [-e] [-W] DEVICE...";
	const char *what = argc > 1 ? argv[1] : "";
	int opt;

	if (argc < 3)
		die(2, "%s", usage);
	argc--;
	argv++;
	while ((opt = getopt(argc, argv, "t:s:j:f:p:RweW")) != -1)
		switch (opt) {
		case 't':
			seconds = (unsigned int)number("-t", optarg, 86400);
			break;
		case 's':
			seed = number("-s", optarg, UINT32_MAX);
			break;
		case 'j':
			jobs = (unsigned int)number("-j", optarg, MAX_JOBS);
			break;
		case 'f':
			flip_iostats = strchr(optarg, 'i') != NULL;
			flip_part_stats = strchr(optarg, 'p') != NULL;
			if (!*optarg || optarg[strspn(optarg, "ip")])
				die(2, "-f: '%s' is not i, p or ip", optarg);
			break;
		case 'p':
			if (sscanf(optarg, "%u-%u", &low, &high) != 2 || !low || low > high ||
			    high > 255)
				die(2, "-p: '%s' is not LOW-HIGH, of 1 to 255", optarg);
			break;
		case 'R':
			rereads = 1;
			break;
		case 'w':
			writes = 1;
			break;
		case 'e':
			strict = 1;
			break;
		case 'W':
			whole_only = 1;
			break;
		default:
			die(2, "%s", usage);
		}
	targets = argv + optind;
	nr_targets = (unsigned int)(argc - optind);
	if (!nr_targets || nr_targets > MAX_TARGETS || !jobs)
		die(2, "%s", usage);
	if (posix_memalign(&buffer, 4096, MAX_BATCH * MAX_IO))
		die(1, "no memory");
	memset(buffer, 0x5a, MAX_BATCH * MAX_IO);
	if (!strcmp(what, "toggles"))
		return run(flip);
	if (!strcmp(what, "partitions"))
		return run(edit);
	if (!strcmp(what, "io"))
		return run(io);
	if (!strcmp(what, "keep"))
		return run(keep);
	if (!strcmp(what, "removals"))
		return run(removal);
	if (!strcmp(what, "probe"))
		return probe();
	if (!strcmp(what, "held"))
		return held();
	if (!strcmp(what, "reread"))
		return reread();
	die(2, "%s: not known; %s", what, usage);
}
