// SPDX-License-Identifier: GPL-2.0
/*
 * The names below /dev/ps.  Which sdX is which LUN depends on the order of probing, so plans and
 *jobs use names made from the SCSI address instead:
 *
 *	/dev/ps/SET/lun07	/dev/ps/SET/lun07p03	the disk, its partition
 *	/dev/ps/SET/d/07	/dev/ps/SET/d/07.03	the same, short
 *
 * The short ones are there because fio cuts a list of files at 4096 characters: relative to
 * /dev/ps/SET all 450 partitions fit.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

/* In guest time.  A debug kernel under TCG needs about ten seconds for 30 LUNs. */
#define WAIT_SECONDS 120
#define POLL_MS	     20

struct lun {
	unsigned int addr[4]; /* host, channel, target, LUN */
	char name[32];
};

static int cmp_addr(const void *a, const void *b)
{
	const struct lun *x = a, *y = b;
	int i;

	for (i = 0; i < 4; i++)
		if (x->addr[i] != y->addr[i])
			return x->addr[i] < y->addr[i] ? -1 : 1;
	return 0;
}

static int read_word(const char *path, char *word, size_t size)
{
	FILE *f = fopen(path, "re");
	char *got;

	if (!f)
		return -errno;
	got = fgets(word, (int)size, f);
	fclose(f);
	if (!got)
		return -EIO;
	word[strcspn(word, " \n")] = '\0';
	return 0;
}

/* Is this block device a LUN of the set?  Then fill in its address. */
static int match(const struct disk_set *set, const char *name, struct lun *lun)
{
	char path[PATH_MAX], target[PATH_MAX], driver[32];
	const char *last;

	if (strncmp(name, "sd", 2) || strlen(name) >= sizeof(lun->name))
		return 0;
	snprintf(path, sizeof(path), "/sys/block/%s/device", name);
	if (!realpath(path, target))
		return 0;
	last = strrchr(target, '/') + 1;
	if (sscanf(last, "%u:%u:%u:%u", &lun->addr[0], &lun->addr[1], &lun->addr[2],
		   &lun->addr[3]) != 4)
		return 0;
	snprintf(path, sizeof(path), "/sys/class/scsi_host/host%u/proc_name", lun->addr[0]);
	if (read_word(path, driver, sizeof(driver)) || strcmp(driver, set->driver))
		return 0;
	strcpy(lun->name, name);
	return 1;
}

/* Fill in at most PS_LUNS of the LUNs there are now, in the order of their addresses; count all. */
static unsigned int find(const struct disk_set *set, struct lun *luns)
{
	unsigned int n = 0;
	struct lun lun;
	struct dirent *e;
	DIR *d;

	d = opendir("/sys/block");
	if (!d)
		return 0;
	while ((e = readdir(d)))
		if (match(set, e->d_name, &lun)) {
			if (n < PS_LUNS)
				luns[n] = lun;
			n++;
		}
	closedir(d);
	qsort(luns, n < PS_LUNS ? n : PS_LUNS, sizeof(*luns), cmp_addr);
	return n;
}

/* How many of the partitions 1..PS_PARTS are there, in sysfs and as a node? */
static unsigned int count_parts(const struct lun *lun)
{
	unsigned int p, n = 0;
	char path[PATH_MAX];

	for (p = 1; p <= PS_PARTS; p++) {
		snprintf(path, sizeof(path), "/sys/block/%s/%s%u/partition", lun->name, lun->name,
			 p);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/dev/%s%u", lun->name, p);
		n += !access(path, F_OK);
	}
	return n;
}

static int reread(const char *dev)
{
	int fd, err = 0;

	fd = open(dev, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, BLKRRPART))
		err = -errno;
	close(fd);
	return err;
}

/*
 * The LUNs of one scsi_debug host share one store: the table written through the first shows on all
 * of them.  With a store each (scsi_debug.per_host_store=1 and one LUN a host) it does not, which
 * is seen here by reading the table again before writing one.
 */
static int write_table(const struct lun *lun)
{
	char dev[PATH_MAX];
	const char *const argv[] = {"sfdisk", "-q", "--no-reread", "--no-tell-kernel", dev, NULL};
	int err;

	snprintf(dev, sizeof(dev), "/dev/%s", lun->name);
	err = reread(dev);
	if (!err && count_parts(lun) == PS_PARTS)
		return 0;
	if (!err)
		err = run_quiet("/lib/gpt.sfdisk", argv);
	if (!err)
		err = reread(dev);
	if (err)
		say("error: %s: no partition table could be written: %s", dev,
		    err < 0 ? strerror(-err) : "sfdisk failed");
	return err;
}

static int link_one(const char *target, const char *fmt, const char *set, unsigned int lun,
		    unsigned int part)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), fmt, set, lun, part);
	if (symlink(target, path) && errno != EEXIST) {
		say("error: symlink %s: %s", path, strerror(errno));
		return -errno;
	}
	return 0;
}

static int link_all(const struct disk_set *set, const struct lun *luns)
{
	char path[PATH_MAX], dev[PATH_MAX];
	unsigned int i, p;
	int err = 0;

	mkdir("/dev/ps", 0755);
	snprintf(path, sizeof(path), "/dev/ps/%s", set->name);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "/dev/ps/%s/d", set->name);
	mkdir(path, 0755);
	for (i = 0; i < PS_LUNS && !err; i++) {
		snprintf(dev, sizeof(dev), "/dev/%s", luns[i].name);
		err = link_one(dev, "/dev/ps/%s/lun%02u", set->name, i, 0);
		if (!err)
			err = link_one(dev, "/dev/ps/%s/d/%02u", set->name, i, 0);
		for (p = 1; p <= PS_PARTS && !err; p++) {
			snprintf(dev, sizeof(dev), "/dev/%s%u", luns[i].name, p);
			err = link_one(dev, "/dev/ps/%s/lun%02up%02u", set->name, i, p);
			if (!err)
				err = link_one(dev, "/dev/ps/%s/d/%02u.%02u", set->name, i, p);
		}
	}
	return err;
}

static void nap(void)
{
	struct timespec t = {.tv_nsec = POLL_MS * 1000000L};

	nanosleep(&t, NULL);
}

/**
 * disks_setup - wait for all LUNs of a set and their partitions, and give them their names
 * @set: which
 *
 * Return: 0, or non-zero when they did not all appear in time; what is missing has been said.
 */
int disks_setup(const struct disk_set *set)
{
	unsigned int polls = WAIT_SECONDS * 1000 / POLL_MS;
	struct lun luns[PS_LUNS];
	unsigned int i, n, parts;

	while ((n = find(set, luns)) < PS_LUNS && polls--)
		nap();
	if (n != PS_LUNS) {
		say("error: %s: %u LUNs of driver %s after %d s, want %d", set->name, n,
		    set->driver, WAIT_SECONDS, PS_LUNS);
		return -ENODEV;
	}
	for (i = 0; i < PS_LUNS && set->blank; i++)
		if (write_table(&luns[i]))
			return -EIO;
	for (;;) {
		for (i = 0, parts = 0; i < PS_LUNS; i++)
			parts += count_parts(&luns[i]);
		if (parts == PS_LUNS * PS_PARTS)
			break;
		if (!polls--) {
			say("error: %s: %u partitions after %d s, want %d", set->name, parts,
			    WAIT_SECONDS, PS_LUNS * PS_PARTS);
			return -ENODEV;
		}
		nap();
	}
	say("%s: %d LUNs, %d partitions", set->name, PS_LUNS, PS_LUNS * PS_PARTS);
	return link_all(set, luns);
}
