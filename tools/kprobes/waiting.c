// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of calls that have not returned, by task, function and probe.
 *
 * Returns of which the filter is not true are not seen.  So of a task's calls of a function only the
 * last one is kept: that is the one which returns, unless the function calls itself.
 */
#include <stdlib.h>
#include <string.h>

#include "waiting.h"

#define MIN_CHAINS	1024

/**
 * struct waiting - a call
 * @next: in its chain
 * @task: as record_task() has it
 * @function: where it begins
 * @event: the entry's event
 * @gone: the task has gone
 * @record: the record; its data and its stack trace are behind this
 */
struct waiting {
	struct waiting *next;
	int task;
	u64 function;
	const char *event;
	bool gone;
	struct record record;
	u8 data[];
};

static struct waiting **chains;
static size_t nr_chains, nr_waiting;

static struct waiting **chain_of(int task, u64 function)
{
	return &chains[(task + function / 16) % nr_chains];
}

/* There are always some, and no more than two in a chain on average. */
static void grow(void)
{
	struct waiting **old = chains, *waiting, *next, **chain;
	size_t nr = nr_chains, i;

	if (nr_waiting < 2 * nr_chains)
		return;
	nr_chains = nr ? 4 * nr : MIN_CHAINS;
	chains = allocate(nr_chains * sizeof(*chains));
	for (i = 0; i < nr; i++) {
		for (waiting = old[i]; waiting; waiting = next) {
			next = waiting->next;
			chain = chain_of(waiting->task, waiting->function);
			waiting->next = *chain;
			*chain = waiting;
		}
	}
	free(old);
}

static struct waiting **find(int task, u64 function, const char *event)
{
	struct waiting **at;

	grow();
	for (at = chain_of(task, function); *at; at = &(*at)->next)
		if ((*at)->task == task && (*at)->function == function &&
		    !strcmp((*at)->event, event))
			break;
	return at;
}

static void forget(struct waiting **at)
{
	struct waiting *old = *at;

	if (!old)
		return;
	*at = old->next;
	free(old);
	nr_waiting--;
}

void waiting_keep(const struct format *format, const struct record *record)
{
	u64 function = symbol_start(format_number(format, record, "__probe_ip"));
	struct waiting **at = find(record_task(record), function, format->spec->event), *new;

	forget(at);
	new = allocate(sizeof(*new) + record->size + record->stack_size);
	new->task = record_task(record);
	new->function = function;
	new->event = format->spec->event;
	new->record = *record;
	new->record.data = memcpy(new->data, record->data, record->size);
	if (record->stack)
		new->record.stack = memcpy(new->data + record->size, record->stack,
					   record->stack_size);
	new->next = *at;
	*at = new;
	nr_waiting++;
}

const struct record *waiting_take(const struct format *format, const struct record *back)
{
	static struct waiting *taken;
	u64 function = symbol_start(format_number(format, back, "__probe_func"));
	struct waiting **at = find(record_task(back), function, format->spec->entry);

	free(taken);
	taken = *at;
	if (!taken)
		return NULL;
	*at = taken->next;
	nr_waiting--;
	return &taken->record;
}

void waiting_sweep(u64 taken)
{
	static struct sweep sweep;
	enum sweep_step step = sweep_next(&sweep, nr_waiting, taken);
	struct waiting **at;
	size_t i;

	for (i = 0; step != SWEEP_NOTHING && i < nr_chains; i++) {
		for (at = &chains[i]; *at;) {
			if (step == SWEEP_FREE && (*at)->gone) {
				forget(at);
				continue;
			}
			if (step == SWEEP_MARK)
				(*at)->gone = task_has_gone((*at)->task);
			at = &(*at)->next;
		}
	}
	sweep_done(&sweep, step, nr_waiting);
}
