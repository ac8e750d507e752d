// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives another kernel for the running one to a program that has this preloaded: what it reads from
 * /proc/kcore and /proc/kallsyms is in FAKE_KCORE and FAKE_KALLSYMS.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path_of(const char *path)
{
	if (!strcmp(path, "/proc/kcore"))
		return getenv("FAKE_KCORE");
	return strcmp(path, "/proc/kallsyms") ? path : getenv("FAKE_KALLSYMS");
}

/* The program creates no files. */
int open(const char *path, int flags, ...)
{
	int (*real)(const char *path, int flags, ...) = dlsym(RTLD_NEXT, "open");

	return real(path_of(path), flags);
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *path, const char *mode) = dlsym(RTLD_NEXT, "fopen");

	return real(path_of(path), mode);
}
