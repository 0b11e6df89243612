// SPDX-License-Identifier: GPL-2.0
/*
 * Partition tables that lie, and whether lookups answer as the kernel has understood them.
 *
 *	label list
 *		print the names of the cases
 *	label write CASE DISK SEED
 *		write the label of that case to the disk, and have the kernel read it
 *	label check DISK SEED
 *		with part_stats=2 (5.10: 1): reads of the whole disk, at the borders of all partitions
 *		that sysfs shows and at random places, count on the lowest-numbered one that holds
 *		the first sector.
 *		Prints the number of partitions and of reads.
 *
 * The cases named after a kind of label and "random" draw their fields, by SEED, from numbers that
 *are often taken for granted.
 *
 * Exit status: 0; 1 when something is not as it should be, which is said on standard output; 2 for
 * usage and when the disk cannot be used.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define SECTOR	     512
/* What a label may take at the start of the disk: GPT entries are the longest. */
#define LABEL_BYTES  (128 * SECTOR)
#define MAX_PARTS    1024
#define MAX_LENGTH   97
#define RANDOM_READS 200

#define GPT_ENTRY   128
#define MBR_ENTRIES 446

static unsigned char *label;
static uint64_t capacity;
static const char *disk;
static uint64_t state;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("label: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

static uint64_t any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 5) % below;
}

/* --- writing labels */

static void le16(size_t at, uint64_t n)
{
	label[at] = n & 255;
	label[at + 1] = n >> 8 & 255;
}

static void le32(size_t at, uint64_t n)
{
	le16(at, n);
	le16(at + 2, n >> 16);
}

static void le64(size_t at, uint64_t n)
{
	le32(at, n);
	le32(at + 4, n >> 32);
}

static void be16(size_t at, uint64_t n)
{
	label[at] = n >> 8 & 255;
	label[at + 1] = n & 255;
}

static void be32(size_t at, uint64_t n)
{
	be16(at, n >> 16);
	be16(at + 2, n);
}

static uint32_t crc32(size_t at, size_t len)
{
	uint32_t crc = ~0U;
	size_t i;
	int bit;

	for (i = at; i < at + len; i++) {
		crc ^= label[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

static void mbr_entry(size_t sector, unsigned int nr, unsigned int type, uint64_t start,
		      uint64_t size)
{
	size_t at = sector * SECTOR + MBR_ENTRIES + nr * 16;

	label[at + 4] = (unsigned char)type;
	le32(at + 8, start);
	le32(at + 12, size);
	label[sector * SECTOR + 510] = 0x55;
	label[sector * SECTOR + 511] = 0xaa;
}

static void gpt_entry(unsigned int nr, uint64_t first, uint64_t last)
{
	size_t at = 2 * SECTOR + (size_t)nr * GPT_ENTRY;

	/* Linux data; an identifier of its own */
	static const unsigned char type[16] = {0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47,
					       0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4};

	memcpy(label + at, type, sizeof(type));
	le32(at + 16, nr + 1);
	le64(at + 32, first);
	le64(at + 40, last);
}

/* The header of @nr entries, once these are there. */
static void gpt_header(unsigned int nr)
{
	size_t at = SECTOR;

	mbr_entry(0, 0, 0xee, 1, capacity - 1 < UINT32_MAX ? capacity - 1 : UINT32_MAX);
	memcpy(label + at, "EFI PART", 8);
	le32(at + 8, 0x10000);
	le32(at + 12, 92);
	le64(at + 24, 1);
	le64(at + 32, capacity - 1);
	le64(at + 40, 2 + (nr + 3) / 4);
	le64(at + 48, capacity - 34);
	le32(at + 56, 0x70617274);
	le64(at + 72, 2);
	le32(at + 80, nr);
	le32(at + 84, GPT_ENTRY);
	le32(at + 88, crc32(2 * SECTOR, (size_t)nr * GPT_ENTRY));
	le32(at + 16, crc32(at, 92));
}

/* Slices have a start in cylinders, here of 64 sectors. */
#define SUN_CYLINDER 64

static void sun_slice(unsigned int nr, unsigned int tag, uint64_t start, uint64_t size)
{
	be16(142 + nr * 4, tag);
	be32(444 + nr * 8, start / SUN_CYLINDER);
	be32(448 + nr * 8, size);
}

static void sun_header(void)
{
	unsigned int i, sum = 0;

	be32(128, 1);
	be16(140, 8);
	be32(188, 0x600ddeee);
	be16(432, capacity / SUN_CYLINDER);
	be16(436, 1);
	be16(438, SUN_CYLINDER);
	be16(508, 0xdabe);
	for (i = 0; i < 510; i += 2)
		sum ^= (unsigned int)(label[i] << 8 | label[i + 1]);
	be16(510, sum);
}

/* In the second sector of a partition of the MBR, which begins at @parent. */
static void bsd_slice(size_t parent, unsigned int nr, uint64_t start, uint64_t size)
{
	size_t at = (parent + 1) * SECTOR + 148 + nr * 16;

	le32(at, size);
	le32(at + 4, start);
	label[at + 12] = 7;
}

static void bsd_header(size_t parent, unsigned int nr)
{
	size_t at = (parent + 1) * SECTOR;

	le32(at, 0x82564557);
	le32(at + 132, 0x82564557);
	le16(at + 138, nr);
}

/* A sector number that somebody may not have thought of. */
static uint64_t odd_number(void)
{
	const uint64_t odd[] = {0,
				1,
				2047,
				capacity - 1,
				capacity,
				capacity + 1,
				capacity / 2,
				1ULL << 31,
				UINT32_MAX,
				1ULL << 32,
				(1ULL << 63) - 1,
				1ULL << 63,
				UINT64_MAX};

	if (any(3) == 0)
		return odd[any(sizeof(odd) / sizeof(*odd))];
	return any(any(2) ? capacity : 40000);
}

/* --- the cases */

static void gpt_overlap(void)
{
	gpt_entry(0, 10000, 19999);
	gpt_entry(1, 4096, 40000);
	gpt_entry(2, 15000, 15000);
	gpt_entry(3, 30000, 60000);
	gpt_entry(4, 2048, capacity - 34);
	gpt_header(128);
}

static void gpt_beyond(void)
{
	gpt_entry(0, 2048, 4095);
	gpt_entry(1, 8192, capacity + 100000);
	gpt_entry(2, capacity, capacity + 10);
	gpt_entry(3, capacity - 100, capacity - 1);
	gpt_entry(4, capacity - 50, capacity);
	gpt_header(128);
}

static void gpt_huge(void)
{
	gpt_entry(0, 2048, 1ULL << 63);
	gpt_entry(1, 1ULL << 63, UINT64_MAX);
	gpt_entry(2, 4096, 8191);
	gpt_entry(3, UINT64_MAX, UINT64_MAX);
	gpt_entry(4, 0, UINT64_MAX);
	gpt_entry(5, 1ULL << 40, 1ULL << 41);
	gpt_entry(6, capacity / 2, capacity - 34);
	gpt_header(128);
}

static void gpt_empty(void)
{
	gpt_entry(0, 2048, 2047);
	gpt_entry(1, 4096, 4000);
	gpt_entry(2, 8192, 8192);
	gpt_entry(3, 10000, 10);
	gpt_entry(4, 2000, 20000);
	gpt_header(128);
}

static void gpt_many(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		gpt_entry(i, 2048 + i * 100, 2048 + i * 100 + (i % 3 ? 99 : 89));
	gpt_header(nr);
}

static void gpt_255(void)
{
	gpt_many(255);
}

static void gpt_300(void)
{
	gpt_many(300);
}

static void gpt_random(void)
{
	unsigned int i, nr = 1 + (unsigned int)any(40);

	for (i = 0; i < nr; i++)
		gpt_entry(i, odd_number(), odd_number());
	gpt_header(128);
}

static void mbr_overlap(void)
{
	mbr_entry(0, 0, 0x83, 10000, 30000);
	mbr_entry(0, 1, 0x83, 20000, 60000);
	mbr_entry(0, 2, 0x83, 63, 100000);
	mbr_entry(0, 3, 0x83, 25000, 1);
}

static void mbr_beyond(void)
{
	mbr_entry(0, 0, 0x83, 2048, UINT32_MAX);
	mbr_entry(0, 1, 0x83, UINT32_MAX, UINT32_MAX);
	mbr_entry(0, 2, 0x83, capacity, 100);
	mbr_entry(0, 3, 0x83, capacity - 1, 100);
}

static void mbr_empty(void)
{
	mbr_entry(0, 0, 0x83, 2048, 0);
	mbr_entry(0, 1, 0x83, 0, 0);
	mbr_entry(0, 2, 0x83, 0, 5000);
	mbr_entry(0, 3, 0x83, 4096, 4096);
}

static void mbr_logical(void)
{
	mbr_entry(0, 0, 0x83, 64, 16);
	mbr_entry(0, 1, 0x05, 80, 50000);
	mbr_entry(0, 3, 0x83, 100, 60000);
	/* two logical ones which overlap, and the next link */
	mbr_entry(80, 0, 0x83, 20, 30000);
	mbr_entry(80, 1, 0x05, 10, 40000);
	mbr_entry(90, 0, 0x83, 30, 20000);
	mbr_entry(90, 2, 0x83, 5, 300);
	mbr_entry(90, 1, 0x05, 40, 10000);
	mbr_entry(120, 0, 0x83, 1, 60);
}

static void mbr_loop(void)
{
	mbr_entry(0, 0, 0x05, 64, 60000);
	/* The second links to the first, which links to the second. */
	mbr_entry(64, 0, 0x83, 10, 100);
	mbr_entry(64, 1, 0x05, 16, 1000);
	mbr_entry(80, 0, 0x83, 20, 200);
	mbr_entry(80, 1, 0x05, 0, 1000);
}

static void mbr_self(void)
{
	mbr_entry(0, 0, 0x05, 64, 60000);
	mbr_entry(0, 1, 0x05, 0, 60000);
	/* links to itself, without and with a partition */
	mbr_entry(64, 1, 0x05, 0, 1000);
}

static void mbr_random(void)
{
	static const unsigned int types[] = {0x83, 0x05, 0x0f, 0x85, 0xa5, 0xee, 0, 0x82};
	unsigned int sector, i;

	for (sector = 0; sector < 128; sector += sector ? 8 : 64)
		for (i = 0; i < 4; i++) {
			unsigned int type = types[any(sector ? 4 : 8)];
			/* A link has to lead to where a table is. */
			uint64_t start = (type == 5 || type == 15) && any(4)
						 ? (sector ? any(8) * 8 : 64 + any(8) * 8)
						 : odd_number();

			mbr_entry(sector, i, type, start, odd_number());
		}
}

static void sun_whole(void)
{
	sun_slice(0, 2, 0, 20000);
	sun_slice(1, 3, 20032, 30000);
	sun_slice(2, 5, 0, capacity);
	sun_slice(6, 7, 50048, capacity - 50048);
	sun_header();
}

static void sun_lies(void)
{
	sun_slice(0, 5, 0, capacity + 5000);
	sun_slice(1, 2, 64000, UINT32_MAX);
	sun_slice(2, 2, UINT32_MAX, 100);
	sun_slice(3, 2, 12800, 12800);
	sun_slice(4, 2, 6400, 100000);
	sun_slice(7, 2, 12800, 1);
	sun_header();
}

static void sun_random(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		sun_slice(i, any(2) ? 5 : 2, odd_number() & UINT32_MAX, odd_number());
	sun_header();
}

static void bsd_whole(void)
{
	mbr_entry(0, 0, 0x83, 40000, 20000);
	mbr_entry(0, 1, 0xa5, 63, 30000);
	bsd_slice(63, 0, 80, 10000);
	bsd_slice(63, 1, 10080, 5000);
	/* all of the parent, and all of the disk */
	bsd_slice(63, 2, 63, 30000);
	bsd_slice(63, 3, 0, capacity);
	bsd_slice(63, 4, 5000, 15000);
	bsd_header(63, 8);
}

static void bsd_lies(void)
{
	mbr_entry(0, 0, 0xa5, 63, capacity - 63);
	bsd_slice(63, 0, 100, UINT32_MAX);
	bsd_slice(63, 1, UINT32_MAX, UINT32_MAX);
	bsd_slice(63, 2, 100, 0);
	bsd_slice(63, 3, 5000, 9000);
	bsd_slice(63, 4, 6000, 100);
	bsd_slice(63, 5, 4000, 20000);
	bsd_slice(63, 7, 70, capacity - 70);
	bsd_header(63, 300);
}

static void bsd_random(void)
{
	unsigned int i;

	mbr_entry(0, 0, 0xa5, 63, capacity - 63);
	for (i = 0; i < 8; i++)
		bsd_slice(63, i, odd_number(), odd_number());
	bsd_header(63, (unsigned int)any(20));
}

static const struct {
	const char *name;
	void (*make)(void);
} cases[] = {
	{"gpt-overlap", gpt_overlap},
	{"gpt-beyond-the-end", gpt_beyond},
	{"gpt-2^63", gpt_huge},
	{"gpt-zero-length", gpt_empty},
	{"gpt-255", gpt_255},
	{"gpt-300", gpt_300},
	{"gpt-random", gpt_random},
	{"mbr-overlap", mbr_overlap},
	{"mbr-beyond-the-end", mbr_beyond},
	{"mbr-zero-length", mbr_empty},
	{"mbr-logical-overlap", mbr_logical},
	{"mbr-extended-loop", mbr_loop},
	{"mbr-extended-self", mbr_self},
	{"mbr-random", mbr_random},
	{"sun-whole-disk", sun_whole},
	{"sun-lies", sun_lies},
	{"sun-random", sun_random},
	{"bsd-whole-disk", bsd_whole},
	{"bsd-lies", bsd_lies},
	{"bsd-random", bsd_random},
};

static int open_disk(const char *path)
{
	static char real[PATH_MAX];
	uint64_t bytes;
	int fd;

	if (!realpath(path, real))
		die("%s: %s", path, strerror(errno));
	disk = strrchr(real, '/') + 1;
	fd = open(real, O_RDWR | O_DIRECT);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes))
		die("%s: %s", path, strerror(errno));
	capacity = bytes / SECTOR;
	if (capacity < 100000)
		die("%s: only %llu sectors, 100000 are needed", path, (unsigned long long)capacity);
	return fd;
}

static int write_label(int fd, const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, name))
			break;
	if (i == sizeof(cases) / sizeof(*cases))
		die("%s: no such case; see label list", name);
	memset(label, 0, LABEL_BYTES);
	/* No second GPT from an earlier case at the end. */
	if (pwrite(fd, label, SECTOR, (off_t)(capacity - 1) * SECTOR) != SECTOR)
		die("%s: writing the last sector: %s", disk, strerror(errno));
	cases[i].make();
	if (pwrite(fd, label, LABEL_BYTES, 0) != LABEL_BYTES)
		die("%s: writing the label: %s", disk, strerror(errno));
	/* A table that makes no sense at all is refused: then there are no partitions. */
	for (i = 0; ioctl(fd, BLKRRPART) && errno == EBUSY; i++) {
		if (i == 100)
			die("%s: its partitions are in use", disk);
		usleep(20000);
	}
	return 0;
}

/* --- checking lookups */

struct part {
	unsigned int nr;
	char name[64];
	uint64_t start, size;
	uint64_t reads, sectors;	   /* before */
	uint64_t want_reads, want_sectors; /* by how much they are to grow */
};

static struct part parts[MAX_PARTS], whole;
static unsigned int nr_parts;

static uint64_t read_number(const char *part, const char *file)
{
	char path[PATH_MAX];
	unsigned long long n;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/block/%s/%s", part, file);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu", &n) != 1)
		die("%s: %s", path, strerror(errno));
	fclose(f);
	return n;
}

static void read_stat(const char *name, uint64_t *reads, uint64_t *sectors)
{
	unsigned long long n, merges, s;
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/block/%s/stat", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu %llu %llu", &n, &merges, &s) != 3)
		die("%s: %s", path, strerror(errno));
	fclose(f);
	*reads = n + merges;
	*sectors = s;
}

static int by_number(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->nr > y->nr) - (x->nr < y->nr);
}

static void list_parts(void)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/sys/block/%s", disk);
	d = opendir(path);
	if (!d)
		die("%s: %s", path, strerror(errno));
	while ((e = readdir(d))) {
		struct part *p = &parts[nr_parts];

		if (strncmp(e->d_name, disk, strlen(disk)))
			continue;
		if (nr_parts++ == MAX_PARTS)
			die("%s: more than %d partitions", disk, MAX_PARTS);
		snprintf(p->name, sizeof(p->name), "%.63s", e->d_name);
		p->nr = (unsigned int)read_number(p->name, "partition");
		p->start = read_number(p->name, "start");
		p->size = read_number(p->name, "size");
	}
	closedir(d);
	qsort(parts, nr_parts, sizeof(*parts), by_number);
}

static void one_read(int fd, uint64_t sector)
{
	static unsigned int length;
	unsigned int i;

	if (sector >= capacity)
		return;
	/* Of different lengths: one that counts on the wrong partition then shows. */
	length = length % MAX_LENGTH + 1;
	if (length > capacity - sector)
		length = (unsigned int)(capacity - sector);
	if (pread(fd, label, length * SECTOR, (off_t)(sector * SECTOR)) != length * SECTOR)
		die("%s: reading sector %llu: %s", disk, (unsigned long long)sector,
		    strerror(errno));
	whole.want_reads++;
	whole.want_sectors += length;
	for (i = 0; i < nr_parts; i++)
		if (sector >= parts[i].start && sector - parts[i].start < parts[i].size) {
			parts[i].want_reads++;
			parts[i].want_sectors += length;
			return;
		}
}

static int compare(const struct part *p)
{
	uint64_t reads, sectors;

	read_stat(p->name, &reads, &sectors);
	reads -= p->reads;
	sectors -= p->sectors;
	if (reads == p->want_reads && sectors == p->want_sectors)
		return 0;
	printf("%s, %llu+%llu: %llu reads of %llu sectors, should be %llu of %llu\n", p->name,
	       (unsigned long long)p->start, (unsigned long long)p->size, (unsigned long long)reads,
	       (unsigned long long)sectors, (unsigned long long)p->want_reads,
	       (unsigned long long)p->want_sectors);
	return 1;
}

/*
 * The value of part_stats at which reads of the whole disk count on partitions: 5.10 looks every
 * request up by its sector, and does so at its default.
 */
static const char *mapping_value(void)
{
	struct utsname name;

	if (uname(&name))
		die("uname: %s", strerror(errno));
	return strncmp(name.release, "5.10.", 5) ? "2" : "1";
}

static int check(int fd)
{
	char path[PATH_MAX];
	int wrong = 0, toggle;
	unsigned int i;

	list_parts();
	snprintf(path, sizeof(path), "/sys/block/%s/queue/part_stats", disk);
	toggle = open(path, O_RDWR);
	if (toggle < 0 || write(toggle, mapping_value(), 1) != 1)
		die("%s: %s", path, strerror(errno));
	snprintf(whole.name, sizeof(whole.name), "%.63s", disk);
	whole.size = capacity;
	for (i = 0; i < nr_parts; i++)
		read_stat(parts[i].name, &parts[i].reads, &parts[i].sectors);
	read_stat(whole.name, &whole.reads, &whole.sectors);
	one_read(fd, 0);
	one_read(fd, capacity - 1);
	for (i = 0; i < nr_parts; i++) {
		uint64_t start = parts[i].start, end = start + parts[i].size;

		/* A number below 0 is beyond the end, and not read. */
		one_read(fd, start - 1);
		one_read(fd, start);
		one_read(fd, start + parts[i].size / 2);
		one_read(fd, end - 1);
		one_read(fd, end);
	}
	for (i = 0; i < RANDOM_READS; i++)
		one_read(fd, any(any(2) ? capacity : 65536));
	/* The end of an I/O is counted after its issuer has been woken up. */
	usleep(50000);
	wrong += compare(&whole);
	for (i = 0; i < nr_parts; i++)
		wrong += compare(&parts[i]);
	if (write(toggle, "1", 1) != 1)
		die("%s: %s", path, strerror(errno));
	printf("%u partitions, %llu reads\n", nr_parts, (unsigned long long)whole.want_reads);
	return wrong > 0;
}

int main(int argc, char **argv)
{
	static const char usage[] =
		"usage: label list | label write CASE DISK SEED | label check DISK SEED";
	unsigned int i;
	int fd;

	if (posix_memalign((void **)&label, 4096, LABEL_BYTES))
		die("no memory");
	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			puts(cases[i].name);
		return 0;
	}
	if (!(argc == 5 && !strcmp(argv[1], "write")) && !(argc == 4 && !strcmp(argv[1], "check")))
		die("%s", usage);
	state = (strtoull(argv[argc - 1], NULL, 10) + 1) * 0x9e3779b97f4a7c15ULL;
	fd = open_disk(argv[argc - 2]);
	return argc == 5 ? write_label(fd, argv[2]) : check(fd);
}
