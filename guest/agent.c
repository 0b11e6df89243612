// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's process 1, and the helper that plans call as `agent`.
 *
 * As process 1: mount what a plan needs, make the disks ready, run the plan under a time limit,
 *send /results to the host and end the guest.  What to do is on the kernel command line:
 *
 *	ps.dev=scsi_debug|virtio|both|none	the disks to wait for
 *	ps.settle=SECONDS			wait this long before the plan
 *	ps.limit=SECONDS			time limit of the plan, in guest time; 0: none
 *	ps.alive=SECONDS			print a sign of life this often; 0: never
 *	ps.shell=1				after the plan, an interactive shell on the console
 *
 * Everything said on the console begins with "partstats: ", which guest/run looks for.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

#define PLAN	  "/payload/plan"
#define RESULTS	  "/results"
#define PORT_NAME "partstats.results"

/* What a status file holds when no plan's own exit status can be given. */
#define STATUS_TIME_LIMIT 124
#define STATUS_SETUP	  125

static const struct disk_set sets[] = {
	{.dev = "scsi_debug", .name = "det", .driver = "scsi_debug", .blank = 1},
	{.dev = "virtio", .name = "real", .driver = "virtio_scsi", .blank = 0},
};

/**
 * say - one line on the console, with the prefix that the host looks for
 * @fmt: as printf, without the newline
 */
void say(const char *fmt, ...)
{
	char line[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	/* One write: a line of the kernel's must not fall into the middle. */
	dprintf(STDOUT_FILENO, "partstats: %s\n", line);
}

static void child_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Move an open file to a standard descriptor, or end the child. */
static void child_fd(int fd, int to)
{
	if (fd < 0 || dup2(fd, to) < 0)
		_exit(126);
}

static int wait_for(pid_t pid)
{
	int status;
	pid_t got;

	/* As process 1 we also inherit, and drop, other people's children. */
	do {
		got = waitpid(-1, &status, 0);
		if (got < 0 && errno != EINTR)
			return -errno;
	} while (got != pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/**
 * run_quiet - run a command to its end
 * @stdin_path: what it reads
 * @argv: the command, looked up in PATH; its errors go to the console
 *
 * Return: its exit status, or a negative error number.
 */
int run_quiet(const char *stdin_path, const char *const argv[])
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		child_signals();
		child_fd(open(stdin_path, O_RDONLY), STDIN_FILENO);
		child_fd(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	return wait_for(pid);
}

static void mount_all(void)
{
	static const struct {
		const char *type, *dir, *data;
	} mounts[] = {
		{"proc", "/proc", NULL},
		{"sysfs", "/sys", NULL},
		{"devtmpfs", "/dev", NULL},
		{"devpts", "/dev/pts", "ptmxmode=0666"},
		{"tmpfs", "/dev/shm", NULL},
		{"tmpfs", "/tmp", "mode=1777"},
		{"debugfs", "/sys/kernel/debug", NULL},
	};
	unsigned int i;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].dir, 0755);
		/* ENODEV: a kernel without it; the plan that needs it will say so */
		if (mount(mounts[i].type, mounts[i].dir, mounts[i].type, 0, mounts[i].data) &&
		    errno != EBUSY && errno != ENODEV && errno != ENOENT)
			say("error: mount %s: %s", mounts[i].dir, strerror(errno));
	}
	mkdir(RESULTS, 0755);
}

static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* The value of "name=value" on the kernel command line, the last one when there are several. */
static const char *option(const char *name, const char *otherwise)
{
	static char line[4096], value[64];
	const char *p, *found = NULL;
	size_t len = strlen(name);
	ssize_t n;
	int fd;

	fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return otherwise;
	line[n] = '\0';
	for (p = line; (p = strstr(p, name)); p += len)
		if ((p == line || p[-1] == ' ') && p[len] == '=')
			found = p + len + 1;
	if (!found)
		return otherwise;
	snprintf(value, sizeof(value), "%.*s", (int)strcspn(found, " \n"), found);
	return value;
}

static unsigned int option_number(const char *name)
{
	return (unsigned int)strtoul(option(name, "0"), NULL, 10);
}

static int setup_disks(void)
{
	char dev[64];
	unsigned int i;
	int err = 0;

	snprintf(dev, sizeof(dev), "%s", option("ps.dev", "none"));
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]) && !err; i++)
		if (!strcmp(dev, sets[i].dev) || !strcmp(dev, "both"))
			err = disks_setup(&sets[i]);
	return err;
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/*
 * Wait for the plan's end, at most @limit seconds (0: for ever), with a sign of life every @alive
 * seconds (0: none).  This sleeps until there is something to do and does not poll: under icount
 * every instruction of ours would be among those that are measured.
 */
static int wait_for_plan(pid_t pid, time_t limit, time_t alive)
{
	time_t start = seconds(), next = alive;
	sigset_t chld;
	int status;
	pid_t got;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	for (;;) {
		struct timespec t = {.tv_sec = INT_MAX};
		time_t now;

		while ((got = waitpid(-1, &status, WNOHANG)) > 0)
			if (got == pid)
				return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
							   : WEXITSTATUS(status);
		now = seconds() - start;
		if (limit && now >= limit) {
			say("time limit of %ld s reached, plan ended", (long)limit);
			return STATUS_TIME_LIMIT;
		}
		if (alive && now >= next) {
			say("alive after %ld s", (long)now);
			next = now + alive;
		}
		if (limit)
			t.tv_sec = limit - now;
		if (alive && next - now < t.tv_sec)
			t.tv_sec = next - now;
		sigtimedwait(&chld, NULL, &t);
	}
}

static int run_plan(void)
{
	pid_t pid;
	int code;

	pid = fork();
	if (pid < 0) {
		say("error: fork: %s", strerror(errno));
		return STATUS_SETUP;
	}
	if (pid == 0) {
		child_signals();
		setsid();
		child_fd(open("/dev/null", O_RDONLY), STDIN_FILENO);
		execl("/bin/sh", "sh", PLAN, NULL);
		_exit(127);
	}
	code = wait_for_plan(pid, option_number("ps.limit"), option_number("ps.alive"));
	/* What the plan left running must not write to /results while it is sent. */
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	return code;
}

static void run_shell(void)
{
	char path[80], tty[32] = "ttyS0";
	FILE *f;
	pid_t pid;

	/* Job control needs a terminal of its own, which /dev/console cannot be. */
	f = fopen("/sys/class/tty/console/active", "re");
	if (f) {
		if (fscanf(f, "%31s", tty) != 1)
			strcpy(tty, "ttyS0");
		fclose(f);
	}
	snprintf(path, sizeof(path), "/dev/%s", tty);
	pid = fork();
	if (pid == 0) {
		int fd;

		child_signals();
		setsid();
		fd = open(path, O_RDWR);
		child_fd(fd, STDIN_FILENO);
		child_fd(fd, STDOUT_FILENO);
		child_fd(fd, STDERR_FILENO);
		ioctl(fd, TIOCSCTTY, 1);
		setenv("ENV", "/lib/shell.sh", 1);
		execl("/bin/sh", "sh", "-i", NULL);
		_exit(127);
	}
	if (pid > 0)
		wait_for(pid);
}

static int open_port(void)
{
	char path[PATH_MAX], name[64];
	struct dirent *e;
	int fd = -1;
	DIR *d;

	d = opendir("/sys/class/virtio-ports");
	while (d && fd < 0 && (e = readdir(d))) {
		FILE *f;

		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "%63s", name) == 1 && !strcmp(name, PORT_NAME)) {
			snprintf(path, sizeof(path), "/dev/%s", e->d_name);
			fd = open(path, O_WRONLY | O_CLOEXEC);
		}
		fclose(f);
	}
	if (d)
		closedir(d);
	return fd;
}

static void send_results(int code)
{
	int fd, err;
	pid_t pid;
	FILE *f;

	f = fopen(RESULTS "/status", "we");
	if (!f || fprintf(f, "%d\n", code) < 0 || fclose(f))
		say("error: %s/status: %s", RESULTS, strerror(errno));
	fd = open_port();
	if (fd < 0) {
		say("error: no virtio-serial port %s", PORT_NAME);
		return;
	}
	pid = fork();
	if (pid == 0) {
		child_signals();
		child_fd(fd, STDOUT_FILENO);
		execl("/bin/tar", "tar", "-c", "-f", "-", "-C", "/", "results", NULL);
		_exit(127);
	}
	err = pid < 0 ? -errno : wait_for(pid);
	close(fd);
	if (err)
		say("error: sending the results: tar: %d", err);
}

/* Process 1: never returns. */
static void init(void)
{
	sigset_t chld;
	int code = 0;

	umask(022);
	mount_all();
	open_console();
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	clearenv();
	setenv("PATH", "/bin", 1);
	setenv("HOME", "/", 1);
	setenv("TERM", "vt100", 1);
	setenv("LC_ALL", "C", 1);
	setenv("TZ", "UTC", 1);

	if (setup_disks()) {
		code = STATUS_SETUP;
	} else {
		sleep(option_number("ps.settle"));
		say("ready");
		if (!access(PLAN, F_OK))
			code = run_plan();
		if (option_number("ps.shell"))
			run_shell();
	}
	send_results(code);
	sync();
	say("end, status %d", code);
	/* A reset ends QEMU under -no-reboot whether the kernel knows how to power off or not. */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (getpid() == 1)
		init();
	if (argc >= 5 && !strcmp(argv[1], "measure") && !strcmp(argv[3], "--"))
		return measure(argv[2], argv + 4);
	fprintf(stderr, "usage: agent measure OUT.json -- COMMAND [ARGUMENT]...\n");
	return 2;
}
