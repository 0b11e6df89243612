// SPDX-License-Identifier: GPL-2.0
/*
 * Reading recorded I/O: fio's iolog (versions 2 and 3), and the text of blkparse.
 *
 * An iolog names files. A file whose name ends like that of a partition (sda7,
 * nvme0n1p7, lun03p07, 03.07) is that partition of the disk which the rest of the name
 * stands for; any other is a whole disk. blkparse gives device numbers and sectors from
 * the start of the disk: whole disks. Disks are numbered as they first appear.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <linux/blkdev.h>
#include "model/model.h"

#define MAX_PART  (DISK_MAX_PARTS - 1)
#define MAX_DISKS 4096
#define MiB	  ((u64)2048) /* in sectors */

struct reader {
	FILE *f;
	const char *name;
	unsigned long line_nr;
	char *line; /* without the newline */
	size_t room;
	struct trace *trace;
	size_t io_room;
	char *disk[MAX_DISKS];
	u64 whole[MAX_DISKS];	   /* sectors that whole-disk I/O reaches to */
	u64 (*size)[MAX_PART + 1]; /* [disk][partition], likewise */
};

/* Say what is wrong with the current line; always false. */
static bool __attribute__((format(printf, 2, 3))) wrong(struct reader *r, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s:%lu: ", r->name, r->line_nr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	if (r->line && *r->line)
		fprintf(stderr, "; found '%.60s'", r->line);
	fprintf(stderr, "\n");
	return false;
}

static void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "trace: out of memory\n");
		exit(1);
	}
	return p;
}

static bool next_line(struct reader *r)
{
	ssize_t len = getline(&r->line, &r->room, r->f);

	if (len < 0)
		return false;
	r->line_nr++;
	while (len && (r->line[len - 1] == '\n' || r->line[len - 1] == '\r'))
		r->line[--len] = 0;
	return true;
}

/* The fields of a line, at most @max of them; cuts the copy of it at @buf. */
static unsigned int split(char *buf, char **field, unsigned int max)
{
	unsigned int n = 0;
	char *save, *s;

	for (s = strtok_r(buf, " \t", &save); s && n < max; s = strtok_r(NULL, " \t", &save))
		field[n++] = s;
	return n;
}

static bool to_number(const char *s, u64 *n)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*n = strtoull(s, &end, 10);
	return !*end && !errno;
}

/* Number of the disk of that name; -1, having complained, if there are too many. */
static int disk_number(struct reader *r, const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < r->trace->nr_disks; i++)
		if (strlen(r->disk[i]) == len && !memcmp(r->disk[i], name, len))
			return i;
	if (i == MAX_DISKS) {
		wrong(r, "more than %d disks", MAX_DISKS);
		return -1;
	}
	r->disk[i] = need(strndup(name, len));
	r->size = need(realloc(r->size, (i + 1) * sizeof(*r->size)));
	memset(r->size[i], 0, sizeof(*r->size));
	r->trace->nr_disks++;
	return i;
}

/* "sda7" is "sda" and 7. The length of the disk's part of @name; *@partno is 0 for a disk. */
static size_t name_split(const char *name, u64 *partno)
{
	static const char *const lettered[] = {"sd", "hd", "vd", "xvd"};
	size_t len = strlen(name), digits = len, i;
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	*partno = 0;
	if (digits == len || name + digits <= base || !to_number(name + digits, partno))
		return len;
	if (name[digits - 1] == '.' && name + digits - 1 > base)
		return digits - 1;
	if (name[digits - 1] == 'p' && name + digits - 1 > base &&
	    isdigit((unsigned char)name[digits - 2]))
		return digits - 1;
	for (i = 0; i < sizeof(lettered) / sizeof(lettered[0]); i++) {
		size_t n = strlen(lettered[i]);

		if (!strncmp(base, lettered[i], n) && islower((unsigned char)base[n]))
			return digits;
	}
	*partno = 0;
	return len;
}

static bool add_io(struct reader *r, const char *name, u64 sector, u64 sectors)
{
	struct trace *t = r->trace;
	u64 partno, end = sector + (sectors ? sectors : 1);
	int disk;

	if (end < sector || end > 1ULL << 62)
		return wrong(r, "sector %" PRIu64 " with %" PRIu64 " more is beyond 2^62", sector,
			     sectors);
	disk = disk_number(r, name, name_split(name, &partno));
	if (disk < 0)
		return false;
	if (partno > MAX_PART)
		return wrong(r, "partition %" PRIu64 ": expected 1 to %d", partno, MAX_PART);
	if (t->nr == r->io_room) {
		r->io_room = r->io_room ? 2 * r->io_room : 1024;
		t->io = need(realloc(t->io, r->io_room * sizeof(*t->io)));
	}
	t->io[t->nr++] = (struct trace_io){disk, partno, sector};
	if (!partno) {
		if (end > r->whole[disk])
			r->whole[disk] = end;
	} else {
		if (end > r->size[disk][partno])
			r->size[disk][partno] = end;
		if (partno > t->nr_parts)
			t->nr_parts = partno;
	}
	return true;
}

static bool is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
}

/* "name action" or "name action offset length", with a time before it in version 3. */
static bool iolog_line(struct reader *r, unsigned int version)
{
	static const char *const files[] = {"add", "open", "close", NULL};
	static const char *const data[] = {"read", "write", "trim", NULL};
	static const char *const other[] = {"wait", "sync", "datasync", NULL};
	const char *form = version == 2 ? "'file action [offset length]'"
					: "'time file action [offset length]'";
	char *copy = need(strdup(r->line)), *field[8], **at = field;
	unsigned int n = split(copy, field, 8);
	u64 time, offset, length;
	bool ok = false;

	if (version == 3) {
		if (n < 1 || !to_number(field[0], &time)) {
			wrong(r, "expected %s with a whole number of milliseconds", form);
			goto out;
		}
		at++;
		n--;
	}
	if (n != 2 && n != 4) {
		wrong(r, "expected %s", form);
	} else if (n == 2) {
		ok = is_one_of(at[1], files);
		if (!ok)
			wrong(r, "expected add, open or close, or an offset and a length");
	} else if (!is_one_of(at[1], data) && !is_one_of(at[1], other)) {
		wrong(r, "expected read, write, trim, sync, datasync or wait as action");
	} else if (!to_number(at[2], &offset) || !to_number(at[3], &length)) {
		wrong(r, "expected offset and length in bytes");
	} else if (is_one_of(at[1], data)) {
		ok = add_io(r, at[0], offset >> SECTOR_SHIFT,
			    (length + SECTOR_SIZE - 1) >> SECTOR_SHIFT);
	} else {
		ok = true;
	}
out:
	free(copy);
	return ok;
}

/*
 * "8,0  3  1  0.000000000  697  Q  R 223490 + 8 [name]". Of the events only Q is an I/O
 * as it was asked for. True also for one that is none of ours.
 */
static bool blkparse_event(struct reader *r, unsigned long *events)
{
	static const char form[] =
		"'major,minor cpu sequence time pid action rwbs [sector + sectors] [name]'";
	char *copy = need(strdup(r->line)), *field[10], *comma;
	unsigned int n = split(copy, field, 10);
	u64 major, minor, x, sector, sectors;
	bool ok = false;

	comma = n ? strchr(field[0], ',') : NULL;
	if (!comma || n < 7) {
		wrong(r, "expected %s", form);
		goto out;
	}
	*comma = 0;
	if (!to_number(field[0], &major) || !to_number(comma + 1, &minor)) {
		wrong(r, "expected a device as 'major,minor'");
		goto out;
	}
	*comma = ',';
	if (!to_number(field[1], &x) || !to_number(field[2], &x) ||
	    !isdigit((unsigned char)field[3][0]) || !to_number(field[4], &x)) {
		wrong(r, "expected %s", form);
		goto out;
	}
	++*events;
	ok = true;
	if (strcmp(field[5], "Q"))
		goto out;
	/* A flush that carries nothing has no sector. */
	if (n < 10 || strcmp(field[8], "+")) {
		if (n >= 8 && isdigit((unsigned char)field[7][0]))
			ok = wrong(r, "expected 'sector + sectors' after the queue event");
		goto out;
	}
	if (!to_number(field[7], &sector) || !to_number(field[9], &sectors))
		ok = wrong(r, "expected 'sector + sectors' after the queue event");
	else
		ok = add_io(r, field[0], sector, sectors);
out:
	free(copy);
	return ok;
}

/* Below the events blkparse prints its sums, which begin so. */
static bool is_summary(const char *line)
{
	return !*line || !strncmp(line, "CPU", 3) || !strncmp(line, "Total", 5) ||
	       !strncmp(line, "Input file", 10);
}

static bool parse_lines(struct reader *r)
{
	unsigned long events = 0;
	unsigned int version;
	char tail;

	if (!next_line(r))
		return wrong(r, "empty: expected 'fio version 2 iolog', 'fio version 3 iolog' or "
				"events of blkparse");
	if (sscanf(r->line, "fio version %u iolog%c", &version, &tail) == 1 &&
	    strstr(r->line, "iolog")) {
		if (version != 2 && version != 3)
			return wrong(r, "iolog of version %u: expected 2 or 3", version);
		while (next_line(r))
			if (*r->line && !iolog_line(r, version))
				return false;
		if (!r->trace->nr)
			return wrong(r, "the iolog ends without a read, write or trim");
		return true;
	}
	if (!strchr(r->line, ',') || !isdigit((unsigned char)r->line[strspn(r->line, " ")]))
		return wrong(r,
			     "expected 'fio version 2 iolog', 'fio version 3 iolog' or events of "
			     "blkparse");
	do {
		if (is_summary(r->line))
			break;
		if (!blkparse_event(r, &events))
			return false;
	} while (next_line(r));
	if (!r->trace->nr)
		return wrong(r, "%lu events and no queue event (Q) with a sector among them",
			     events);
	return true;
}

/* How large each partition has to be for all of the trace to fall into the disk. */
static void lay_out(struct reader *r, unsigned int parts)
{
	struct trace *t = r->trace;
	unsigned int d, p;

	if (parts > t->nr_parts)
		t->nr_parts = parts;
	t->size = need(calloc((size_t)t->nr_disks * t->nr_parts, sizeof(*t->size)));
	for (d = 0; d < t->nr_disks; d++) {
		u64 share = r->whole[d] / t->nr_parts;

		for (p = 0; p < t->nr_parts; p++) {
			u64 size = r->size[d][p + 1];

			if (size < share)
				size = share;
			t->size[(size_t)d * t->nr_parts + p] = (size / MiB + 1) * MiB;
		}
	}
}

struct trace *trace_parse(FILE *f, const char *name, unsigned int parts)
{
	struct reader *r = need(calloc(1, sizeof(*r)));
	struct trace *trace = need(calloc(1, sizeof(*trace)));
	unsigned int i;
	bool ok;

	r->f = f;
	r->name = name;
	r->trace = trace;
	ok = parse_lines(r);
	if (ok && ferror(f))
		ok = wrong(r, "cannot be read: %s", strerror(errno));
	if (ok)
		lay_out(r, parts);
	for (i = 0; i < trace->nr_disks; i++)
		free(r->disk[i]);
	if (!ok) {
		trace_free(trace);
		trace = NULL;
	}
	free(r->size);
	free(r->line);
	free(r);
	return trace;
}

struct trace *trace_read(const char *path, unsigned int parts)
{
	struct trace *trace;
	FILE *f = fopen(path, "r");

	if (!f) {
		fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
		return NULL;
	}
	trace = trace_parse(f, path, parts);
	fclose(f);
	return trace;
}

void trace_free(struct trace *trace)
{
	if (!trace)
		return;
	free(trace->io);
	free(trace->size);
	free(trace);
}
