// SPDX-License-Identifier: GPL-2.0
/*
 * Issue I/O of known number and size to a block device, past the page cache.
 *
 *	issue [-a | -s | -f] DEV OP...
 *
 *	read:SECTOR+SECTORS[xCOUNT]	COUNT reads of so many sectors, each behind the one before
 *it write:SECTOR+SECTORS[xCOUNT]	writes of the same kind discard:SECTOR+SECTORS one discard
 *	flush[:COUNT]			COUNT times fsync()
 *
 * Sectors are of 512 bytes and counted from the start of DEV.  One I/O is waited for before the
 *next is issued: no two of them can be merged, and each is one request if it fits the limits of the
 * device.
 *
 *	-a	hand all reads and writes to the kernel in one system call and then wait for all:
 *those next to each other are merged -s	writes are O_DSYNC -f	do it all over and over
 *again until SIGTERM comes; then finish what is in flight, and print the number of rounds
 *
 * Exit status: 0, 1 when I/O failed or was cut short, 2 for usage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTOR	    512ULL
#define MAX_OPS	    1024
#define MAX_AT_ONCE 1024
/* Strict enough for any logical block size here. */
#define ALIGNMENT   4096
#define MAX_BYTES   (4ULL << 20)

enum what {
	READ,
	WRITE,
	DISCARD,
	FLUSH
};

struct op {
	enum what what;
	unsigned long long sector, sectors, count;
};

static struct op ops[MAX_OPS];
static unsigned int nr_ops;
static void *buffer;
static volatile sig_atomic_t stopped;

static void __attribute__((noreturn, format(printf, 2, 3))) die(int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("issue: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(status);
}

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void parse(const char *arg)
{
	struct op *op = &ops[nr_ops];
	int end = 0;

	if (nr_ops++ == MAX_OPS)
		die(2, "more than %d operations", MAX_OPS);
	op->count = 1;
	if (!strncmp(arg, "flush", 5)) {
		op->what = FLUSH;
		if (!arg[5] || (sscanf(arg, "flush:%llu%n", &op->count, &end) == 1 && !arg[end]))
			return;
	} else {
		op->what = !strncmp(arg, "read:", 5)	? READ
			   : !strncmp(arg, "write:", 6) ? WRITE
							: DISCARD;
		/* Each of the two may be what the argument ends with. */
		if ((sscanf(arg, "%*[a-z]:%llu+%llu%n", &op->sector, &op->sectors, &end) == 2 &&
		     end && !arg[end]) ||
		    (op->what != DISCARD &&
		     sscanf(arg, "%*[a-z]:%llu+%llux%llu%n", &op->sector, &op->sectors, &op->count,
			    &end) == 3 &&
		     !arg[end]))
			if ((op->what != DISCARD || !strncmp(arg, "discard:", 8)) && op->sectors &&
			    op->count && (op->what == DISCARD || op->sectors * SECTOR <= MAX_BYTES))
				return;
	}
	die(2,
	    "%s: not read:SECTOR+SECTORS[xCOUNT], write:SECTOR+SECTORS[xCOUNT],"
	    " discard:SECTOR+SECTORS or flush[:COUNT]",
	    arg);
}

static void transfer(int fd, const struct op *op, const char *dev)
{
	size_t bytes = op->sectors * SECTOR;
	unsigned long long i;

	for (i = 0; i < op->count; i++) {
		off_t offset = (off_t)((op->sector + i * op->sectors) * SECTOR);
		ssize_t n = op->what == READ ? pread(fd, buffer, bytes, offset)
					     : pwrite(fd, buffer, bytes, offset);

		if (n != (ssize_t)bytes)
			die(1, "%s: sector %llu: %s", dev, op->sector + i * op->sectors,
			    n < 0 ? strerror(errno) : "cut short");
	}
}

static void one_by_one(int fd, const struct op *op, const char *dev)
{
	uint64_t range[2] = {op->sector * SECTOR, op->sectors * SECTOR};
	unsigned long long i;

	switch (op->what) {
	case READ:
	case WRITE:
		transfer(fd, op, dev);
		break;
	case DISCARD:
		if (ioctl(fd, BLKDISCARD, range))
			die(1, "%s: discard: %s", dev, strerror(errno));
		break;
	case FLUSH:
		for (i = 0; i < op->count; i++)
			if (fsync(fd))
				die(1, "%s: fsync: %s", dev, strerror(errno));
		break;
	}
}

static void all_at_once(int fd, const char *dev)
{
	static struct iocb iocbs[MAX_AT_ONCE], *list[MAX_AT_ONCE];
	static struct io_event events[MAX_AT_ONCE];
	aio_context_t ctx = 0;
	unsigned long long k;
	unsigned int i;
	long n = 0, done, got;

	for (i = 0; i < nr_ops; i++) {
		const struct op *op = &ops[i];

		if (op->what != READ && op->what != WRITE)
			die(2, "-a is for reads and writes");
		for (k = 0; k < op->count; k++) {
			if (n == MAX_AT_ONCE)
				die(2, "more than %d at once", MAX_AT_ONCE);
			list[n] = &iocbs[n];
			iocbs[n].aio_lio_opcode =
				op->what == READ ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
			iocbs[n].aio_fildes = (uint32_t)fd;
			iocbs[n].aio_buf = (uint64_t)(uintptr_t)buffer;
			iocbs[n].aio_nbytes = op->sectors * SECTOR;
			iocbs[n].aio_offset = (int64_t)((op->sector + k * op->sectors) * SECTOR);
			n++;
		}
	}
	if (syscall(SYS_io_setup, MAX_AT_ONCE, &ctx))
		die(1, "io_setup: %s", strerror(errno));
	if (syscall(SYS_io_submit, ctx, n, list) != n)
		die(1, "%s: io_submit did not take all: %s", dev, strerror(errno));
	for (done = 0; done < n; done += got) {
		got = syscall(SYS_io_getevents, ctx, 1, n - done, events, NULL);
		if (got < 0 && errno == EINTR)
			got = 0;
		if (got < 0)
			die(1, "io_getevents: %s", strerror(errno));
		for (i = 0; i < got; i++) {
			const struct iocb *iocb = (const void *)(uintptr_t)events[i].obj;

			if (events[i].res != (int64_t)iocb->aio_nbytes)
				die(1, "%s: sector %llu: %s", dev,
				    (unsigned long long)iocb->aio_offset / SECTOR,
				    events[i].res < 0 ? strerror((int)-events[i].res)
						      : "cut short");
		}
	}
	syscall(SYS_io_destroy, ctx);
}

int main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = stop, .sa_flags = SA_RESTART};
	int at_once = 0, sync = 0, forever = 0, reading = 1, opt, fd;
	unsigned long long rounds = 0, largest = 1;
	const char *dev;
	unsigned int i;

	while ((opt = getopt(argc, argv, "asf")) != -1)
		switch (opt) {
		case 'a':
			at_once = 1;
			break;
		case 's':
			sync = O_DSYNC;
			break;
		case 'f':
			forever = 1;
			break;
		default:
			argc = 0;
		}
	if (argc - optind < 2)
		die(2, "usage: issue [-a | -s | -f] DEV OP...");
	dev = argv[optind];
	while (++optind < argc)
		parse(argv[optind]);
	for (i = 0; i < nr_ops; i++) {
		reading &= ops[i].what == READ;
		if (ops[i].what == READ || ops[i].what == WRITE)
			largest = ops[i].sectors > largest ? ops[i].sectors : largest;
	}
	if (posix_memalign(&buffer, ALIGNMENT, largest * SECTOR))
		die(1, "no memory");
	memset(buffer, 0xa5, largest * SECTOR);
	/* Opened for writing only where something is written: the last close then has work to do.
	 */
	fd = open(dev, (reading ? O_RDONLY : O_RDWR) | O_DIRECT | sync);
	if (fd < 0)
		die(1, "%s: %s", dev, strerror(errno));
	sigaction(SIGTERM, &act, NULL);
	do {
		if (at_once)
			all_at_once(fd, dev);
		else
			for (i = 0; i < nr_ops; i++)
				one_by_one(fd, &ops[i], dev);
		rounds++;
	} while (forever && !stopped);
	if (forever)
		printf("%llu\n", rounds);
	return 0;
}
