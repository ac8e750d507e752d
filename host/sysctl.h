/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How sysctls differ between kernels: whether the table passed to a handler is
 * constant, and whether a table's end is marked or its size is passed.
 */
#ifndef LKP_HOST_SYSCTL_H
#define LKP_HOST_SYSCTL_H

#include <linux/sysctl.h>

#ifdef LKP_SYSCTL_CONST
#define HOST_SYSCTL_CONST const
#else
#define HOST_SYSCTL_CONST
#endif

/**
 * host_sysctl_register() - make the files of a table
 * @path: the directory below /proc/sys
 * @table: the files, with an empty entry behind the last
 * @count: how many, without that entry
 *
 * Context: process context, sleeps.
 * Return: the handle for unregister_sysctl_table(), or NULL.
 */
static inline struct ctl_table_header *host_sysctl_register(const char *path,
							    struct ctl_table *table, size_t count)
{
#ifndef CONFIG_SYSCTL
	return NULL;
#elif defined(register_sysctl)	/* a macro where it passes the size */
	return register_sysctl_sz(path, table, count);
#else
	return register_sysctl(path, table);
#endif
}

#endif
