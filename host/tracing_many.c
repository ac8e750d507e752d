// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracings of very many functions, where the tracer takes one site at a time.
 *
 * For each site such a tracer copies the whole filter, twice: 40 000 sites took more than a minute on a real
 * processor, with its locks held, and a quarter of an hour on an emulated one.  So these tracings have no
 * filter, which stands for all functions, and look for the site themselves.
 *
 * Who else is called then?  Functions that are not in the tracing, also those that may not be probed, and
 * those of modules that are loaded later: for them the callback reads the table, and nothing else.  It is
 * called for what the kernel's own function tracer is called for, and calls nothing that can be traced.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "host.h"
#include "inject.h"
#include "tracing.h"

#if defined(LKP_HAVE_FTRACE) && !defined(LKP_FTRACE_TAKES_SITES)

/* With fewer the filter is ready in less than a second, and other functions are not slowed down. */
#define MANY	2048

/**
 * struct host_many - the sites of a tracing without a filter
 * @callback: the callback for tracings
 * @left: a bit for each site, set when its text goes
 * @nr: how many sites
 * @sites: the sites, sorted
 */
struct host_many {
	ftrace_func_t callback;
	unsigned long *left;
	unsigned int nr;
	unsigned long sites[];
};

static bool is_among(const struct host_many *many, unsigned long site)
{
	unsigned int i = host_first_from(many->sites, many->nr, site);

	return i < many->nr && many->sites[i] == site && !test_bit(i, many->left);
}

static void notrace on_any(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			   struct ftrace_regs *fregs)
{
	const struct host_many *many = container_of(ops, struct host_tracing, ops)->many;

	if (is_among(many, ip))
		many->callback(ip, parent_ip, ops, fregs);
}

bool host_many_are(unsigned int nr)
{
	return nr > MANY;
}

int host_many_take(struct host_tracing *tracing, const unsigned long *sites, unsigned int nr)
{
	struct host_many *many;

	many = inject_failure() ? NULL : kvzalloc(struct_size(many, sites, nr), GFP_KERNEL);
	if (!many)
		return -ENOMEM;
	many->left = inject_failure() ? NULL :
		     kvcalloc(BITS_TO_LONGS(nr), sizeof(*many->left), GFP_KERNEL);
	if (!many->left) {
		kvfree(many);
		return -ENOMEM;
	}
	memcpy(many->sites, sites, nr * sizeof(*sites));
	many->nr = nr;
	many->callback = tracing->ops.func;
	tracing->ops.func = on_any;
	tracing->many = many;
	return 0;
}

/* A function of a later module may have the address of one that goes: it is not the one that was meant. */
void host_many_leave(struct host_many *many, const unsigned long *sites, unsigned int nr)
{
	unsigned int i, at;

	for (i = 0; i < nr; i++) {
		at = host_first_from(many->sites, many->nr, sites[i]);
		if (at < many->nr && many->sites[at] == sites[i])
			set_bit(at, many->left);
	}
}

void host_many_free(struct host_many *many)
{
	if (!many)
		return;
	kvfree(many->left);
	kvfree(many);
}

#endif
