/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log that handlers write to, from any context, and that a file in debugfs shows.
 *
 * It keeps the last EVENTS events.  Nobody waits: a writer that finds its entry in use, by
 * one that is slower by a whole round, drops its event and counts it.
 */
#ifndef EVENT_LOG_H
#define EVENT_LOG_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#define EVENTS		256
#define EVENT_ARGS	4

struct event {
	u64 ns;				/* since boot */
	void *where;			/* in the text of the probed function */
	unsigned long args[EVENT_ARGS];
	long result;
	u64 took;			/* ns */
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

/* The number of an entry's event, from 1; 0: none; EVENT_BUSY: it is being written. */
#define EVENT_BUSY	ULONG_MAX

static struct {
	unsigned long nr;
	struct event event;
} event_log[EVENTS];

static atomic_long_t events, events_dropped;

/* Adds time and process to the event, which the caller has filled in. */
static inline void log_event(struct event *event)
{
	unsigned long nr = atomic_long_inc_return(&events);
	unsigned int i = nr % EVENTS;
	unsigned long old = READ_ONCE(event_log[i].nr);

	/* Who has taken the entry with cmpxchg() is its only writer. */
	if (old == EVENT_BUSY || cmpxchg(&event_log[i].nr, old, EVENT_BUSY) != old) {
		atomic_long_inc(&events_dropped);
		return;
	}
	event->ns = ktime_get_mono_fast_ns();
	event->pid = task_tgid_nr(current);
	memcpy(event->comm, current->comm, TASK_COMM_LEN);
	event_log[i].event = *event;
	/* The number tells readers that the event is complete. */
	smp_store_release(&event_log[i].nr, nr);
}

/* Copies event number nr; false if it is not, or no longer, in the log. */
static inline bool read_event(unsigned long nr, struct event *event)
{
	unsigned int i = nr % EVENTS;

	/* Pairs with smp_store_release() in log_event(). */
	if (smp_load_acquire(&event_log[i].nr) != nr)
		return false;
	*event = event_log[i].event;
	/* The copy is good if nobody has begun to write meanwhile. */
	smp_rmb();
	return READ_ONCE(event_log[i].nr) == nr;
}

/* Shows all events with the function show(), the oldest first. */
static inline void show_events(struct seq_file *m,
			       void (*show)(struct seq_file *m, const struct event *event))
{
	unsigned long last = atomic_long_read(&events);
	unsigned long nr = last > EVENTS ? last - EVENTS : 0;
	struct event event;

	while (nr++ < last) {
		if (!read_event(nr, &event))
			continue;
		event.comm[TASK_COMM_LEN - 1] = '\0';
		seq_printf(m, "%llu.%06llu %s-%d ", event.ns / NSEC_PER_SEC,
			   event.ns % NSEC_PER_SEC / NSEC_PER_USEC, event.comm, event.pid);
		show(m, &event);
	}
	seq_printf(m, "%lu events, %ld dropped\n", last, atomic_long_read(&events_dropped));
}

#endif /* EVENT_LOG_H */
