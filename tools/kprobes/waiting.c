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

#define NR_CHAINS	1024

/**
 * struct waiting - a call
 * @next: in its chain
 * @pid: the task
 * @function: where it begins
 * @event: the entry's event
 * @record: the record; its data and its stack trace are behind this
 */
struct waiting {
	struct waiting *next;
	int pid;
	u64 function;
	const char *event;
	struct record record;
	u8 data[];
};

static struct waiting *chains[NR_CHAINS];

static struct waiting **find(int pid, u64 function, const char *event)
{
	struct waiting **at = &chains[(pid + function / 16) % NR_CHAINS];

	for (; *at; at = &(*at)->next)
		if ((*at)->pid == pid && (*at)->function == function &&
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
}

void waiting_keep(const struct format *format, const struct record *record)
{
	u64 function = symbol_start(format_number(format, record, "__probe_ip"));
	struct waiting **at = find(record_pid(record), function, format->spec->event), *new;

	forget(at);
	new = allocate(sizeof(*new) + record->size + record->stack_size);
	new->pid = record_pid(record);
	new->function = function;
	new->event = format->spec->event;
	new->record = *record;
	new->record.data = memcpy(new->data, record->data, record->size);
	if (record->stack)
		new->record.stack = memcpy(new->data + record->size, record->stack,
					   record->stack_size);
	new->next = *at;
	*at = new;
}

const struct record *waiting_take(const struct format *format, const struct record *back)
{
	static struct waiting *taken;
	u64 function = symbol_start(format_number(format, back, "__probe_func"));
	struct waiting **at = find(record_pid(back), function, format->spec->entry);

	free(taken);
	taken = *at;
	if (!taken)
		return NULL;
	*at = taken->next;
	return &taken->record;
}
