// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept for tasks goes with them.  Records of a task may come after its end; so it is marked
 * when the task has gone, and freed when all that was recorded until then has been taken.
 */
#include <errno.h>
#include <signal.h>

#include "ring.h"

/* Fewer are left alone. */
#define AT_LEAST	16384

enum sweep_step sweep_next(struct sweep *sweep, size_t nr, u64 taken)
{
	if (sweep->marked)
		return taken > sweep->marked ? SWEEP_FREE : SWEEP_NOTHING;
	return nr > AT_LEAST && nr > sweep->limit ? SWEEP_MARK : SWEEP_NOTHING;
}

void sweep_done(struct sweep *sweep, enum sweep_step step, size_t nr)
{
	if (step == SWEEP_MARK)
		sweep->marked = now();
	if (step != SWEEP_FREE)
		return;
	sweep->marked = 0;
	sweep->limit = 2 * nr;
}

/* Idle tasks stay. */
bool task_has_gone(int task)
{
	return task > 0 && kill(task, 0) && errno == ESRCH;
}
