/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameter fail_nth of a kprobes.ko whose steps can be made to fail.
 */
#ifndef FAIL_NTH_H
#define FAIL_NTH_H

#include "find_kprobes.h"
#include "ktap.h"

/* More than the number of steps of any operation. */
#define MAX_STEPS	200

static int *fail_nth;

static inline int *find_parameter(const struct module *mod)
{
	unsigned int i;

	for (i = 0; i < mod->num_kp; i++)
		if (!strcmp(mod->kp[i].name, "fail_nth"))
			return mod->kp[i].arg;
	return NULL;
}

static inline bool find_fail_nth(struct ktap *t)
{
	struct module *mod = find_kprobes();

	if (mod)
		fail_nth = find_parameter(mod);
	return EXPECT(t, fail_nth);
}

static inline void fail_step(int nr)
{
	WRITE_ONCE(*fail_nth, nr);
}

/* Was the failing step reached?  No step fails from now on. */
static inline bool step_was_reached(void)
{
	return xchg(fail_nth, 0) <= 0;
}

#endif /* FAIL_NTH_H */
