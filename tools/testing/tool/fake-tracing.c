// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets a directory behave as tracefs does, for a program that has this preloaded: a new instance of
 * tracing has files, which are copied from FAKE_INSTANCE, and so has its group of events, from
 * FAKE_EVENTS; and both go at once.  What ends with FAKE_OFFLINE belongs to a CPU without a buffer.
 * What ends with FAKE_ENDLESS begins again at its end, for as long as the events are on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int run(const char *format, const char *a, const char *b, const char *c)
{
	char command[4096];

	/* What is run here reads files as they are. */
	unsetenv("LD_PRELOAD");
	snprintf(command, sizeof(command), format, a, b, c);
	return system(command) ? -1 : 0;
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

int mkdir(const char *path, mode_t mode)
{
	(void)mode;
	if (run("cp -r '%s' '%s'%s", getenv("FAKE_INSTANCE"), path, ""))
		return -1;
	if (run("mv '%s/events/group' '%s/events/%s'", path, path, name_of(path)))
		return -1;
	return run("cp -r '%s' '%s'/../../events/%s", getenv("FAKE_EVENTS"), path, name_of(path));
}

int rmdir(const char *path)
{
	return run("rm -r '%s/../../events/%s' '%s'", path, name_of(path), path);
}

/* Does the name of the open file end with what the variable holds? */
static int is_file(int fd, const char *variable, char *path, size_t size)
{
	const char *wanted = getenv(variable);
	size_t end = wanted ? strlen(wanted) : 0;
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = wanted ? readlink(link, path, size - 1) : -1;
	if (length < (ssize_t)end)
		return 0;
	path[length] = '\0';
	return !strcmp(path + length - end, wanted);
}

/* Are the events of the instance on that the file belongs to? */
static int is_on(char *path)
{
	char *instance = strstr(path, "/instances/") + strlen("/instances/"), byte = '0', *enable;
	int fd;

	instance[strcspn(instance, "/")] = '\0';
	if (asprintf(&enable, "%s/events/%s/enable", path, instance) < 0)
		abort();
	fd = open(enable, O_RDONLY);
	syscall(SYS_read, fd, &byte, 1);
	close(fd);
	free(enable);
	return byte == '1';
}

ssize_t read(int fd, void *buffer, size_t size)
{
	char path[PATH_MAX];
	ssize_t got;

	if (is_file(fd, "FAKE_OFFLINE", path, sizeof(path))) {
		errno = ENODEV;
		return -1;
	}
	got = syscall(SYS_read, fd, buffer, size);
	if (got || !is_file(fd, "FAKE_ENDLESS", path, sizeof(path)) || !is_on(path))
		return got;
	lseek(fd, 0, SEEK_SET);
	return syscall(SYS_read, fd, buffer, size);
}
