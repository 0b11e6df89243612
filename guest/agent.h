/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PARTSTATS_AGENT_H
#define PARTSTATS_AGENT_H

/* The geometry of every guest: what guest/run asks QEMU for and guest/gpt.sfdisk writes. */
#define PS_LUNS	 30
#define PS_PARTS 15

/**
 * struct disk_set - one kind of SCSI host whose LUNs get names below /dev/ps
 * @dev: what ps.dev on the kernel command line calls it
 * @name: directory below /dev/ps
 * @driver: what the driver shows in /sys/class/scsi_host/hostN/proc_name
 * @blank: its LUNs come up without a partition table, so that one must be written
 */
struct disk_set {
	const char *dev;
	const char *name;
	const char *driver;
	int blank;
};

void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int run_quiet(const char *stdin_path, const char *const argv[]);

int disks_setup(const struct disk_set *set);
int measure(const char *out, char *const argv[]);

#endif
