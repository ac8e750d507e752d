// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets a directory behave as tracefs does, for a program that has this preloaded: a new instance of
 * tracing has files, which are copied from FAKE_INSTANCE, and so has its group of events, from
 * FAKE_EVENTS; and both go at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int run(const char *format, const char *a, const char *b, const char *c)
{
	char command[4096];

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
