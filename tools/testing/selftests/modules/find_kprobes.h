/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module under test, as the list of modules has it.
 */
#ifndef FIND_KPROBES_H
#define FIND_KPROBES_H

#include <linux/list.h>
#include <linux/module.h>
#include <linux/string.h>

static inline struct module *find_kprobes(void)
{
	struct module *mod;

	list_for_each_entry(mod, &THIS_MODULE->list, list)
		if (!strcmp(mod->name, "kprobes"))
			return mod;
	return NULL;
}

#endif /* FIND_KPROBES_H */
