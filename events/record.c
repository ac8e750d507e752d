// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a hit to the buffers of tracing and perf; and who wants an event's records.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event.h"

/**
 * struct event_file - an instance of tracing that records an event
 * @list: in the event's list
 * @file: the instance's part of the event
 * @rcu: for when it goes
 */
struct event_file {
	struct list_head list;
	struct trace_event_file *file;
	struct rcu_head rcu;
};

/**
 * struct scratch - a record of what is in memory that is being made, on one CPU
 * @busy: this one is in use
 * @record: the record
 *
 * kprobes.ko calls no handler while another runs on this CPU, so @busy is never found set.  If it
 * were, the record would be one of two events.
 */
struct scratch {
	bool busy;
	u8 record[RECORD_MAX_SIZE] __aligned(8);
};

static struct scratch __percpu *scratches;

/* ---- hits ---- */

/* @record: its values; NULL: they are plain, and fetched to where they stay. */
static __always_inline void fill(u8 *entry, const struct probe *probe, const struct fetched *from,
				 const u8 *record, unsigned int size)
{
	if (record)
		memcpy(entry + RECORD_COMMON_SIZE, record + RECORD_COMMON_SIZE,
		       size - RECORD_COMMON_SIZE);
	else if (probe->def.registers)
		fetch_registers(&probe->def, from, entry);
	else
		fetch_plain(&probe->def, from, entry);
}

static __always_inline void record_in_file(struct trace_event_file *file, const struct probe *probe,
					   const struct fetched *from, const u8 *record,
					   unsigned int size)
{
	struct trace_event_buffer buffer;
	u8 *entry;

	/* Triggers may run here, too. */
	if (trace_trigger_soft_disabled(file))
		return;
	entry = trace_event_buffer_reserve(&buffer, file, size);
	if (!entry)
		return;
	buffer.regs = from->regs;
	fill(entry, probe, from, record, size);
	trace_event_buffer_commit(&buffer);
}

#ifdef CONFIG_PERF_EVENTS
static noinline void record_in_perf(const struct probe *probe, const struct fetched *from,
				    const u8 *record, unsigned int size)
{
	struct trace_event_call *call = &probe->event->call;
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	unsigned int whole = ALIGN(size + sizeof(u32), sizeof(u64)) - sizeof(u32);
	u8 *entry;
	int context;

	if (hlist_empty(head) && !bpf_prog_array_valid(call))
		return;
	entry = perf_trace_buf_alloc(whole, NULL, &context);
	if (!entry)
		return;
	memset(entry, 0, RECORD_COMMON_SIZE);
	fill(entry, probe, from, record, size);
	memset(entry + size, 0, whole - size);
	perf_trace_run_bpf_submit(entry, whole, context, call, 1, from->regs, head, NULL);
}
#else
static void record_in_perf(const struct probe *probe, const struct fetched *from, const u8 *record,
			   unsigned int size)
{
}
#endif

static __always_inline void record_hit(const struct probe *probe, const struct fetched *from,
				       const u8 *record, unsigned int size)
{
	struct event *event = probe->event;
	struct event_file *at;

	this_cpu_inc(probe->counts->hits);
	list_for_each_entry_rcu(at, &event->files, list)
		record_in_file(at->file, probe, from, record, size);
	/* With the release in open_perf().  perf waits for RCU before it takes anything back. */
	if (smp_load_acquire(&event->perf))
		record_in_perf(probe, from, record, size);
}

/*
 * How long strings are is known when they are there.  And what reads memory may fault: that may have an
 * event of its own, and the buffers have little room for one within another.
 */
static noinline void record_memory(const struct probe *probe, const struct fetched *from)
{
	struct scratch *scratch = this_cpu_ptr(scratches);
	unsigned int size;

	if (scratch->busy) {
		this_cpu_inc(probe->counts->missed);
		return;
	}
	scratch->busy = true;
	barrier();
	size = fetch_record(&probe->def, from, scratch->record);
	record_hit(probe, from, scratch->record, size);
	barrier();
	scratch->busy = false;
}

/**
 * probe_hit() - record a hit
 * @probe: the probe
 * @from: where its values come from
 *
 * Tracing and perf rely on RCU, which does not watch a CPU that is going idle, or just back from
 * there: such hits are missed.
 *
 * Context: any, NMI too; interrupts off.
 */
void probe_hit(struct probe *probe, const struct fetched *from)
{
	if (!rcu_is_watching()) {
		this_cpu_inc(probe->counts->missed);
		return;
	}
	/* The kernel takes this one off when it notes how deep preemption was off. */
	preempt_disable_notrace();
	if (probe->def.plain)
		record_hit(probe, from, NULL, probe->def.fixed);
	else
		record_memory(probe, from);
	preempt_enable_notrace();
}

/* ---- users ---- */

static int open_file(struct event *event, struct trace_event_file *file)
{
	struct event_file *new = kzalloc(sizeof(*new), GFP_KERNEL);
	int err;

	if (!new)
		return -ENOMEM;
	new->file = file;
	list_add_tail_rcu(&new->list, &event->files);
	err = event_use(event);
	if (err) {
		list_del_rcu(&new->list);
		kfree_rcu(new, rcu);
	}
	return err;
}

static int close_file(struct event *event, struct trace_event_file *file)
{
	struct event_file *at;

	list_for_each_entry(at, &event->files, list) {
		if (at->file != file)
			continue;
		event_unuse(event);
		list_del_rcu(&at->list);
		/* The file may be freed next, with its instance. */
		synchronize_rcu();
		kfree(at);
		return 0;
	}
	return -ENOENT;
}

static int open_perf(struct event *event)
{
	int err;

	/* With the acquire in record_hit(): who sees this sees the kernel's perf_events. */
	smp_store_release(&event->perf, true);
	err = event_use(event);
	if (err) {
		WRITE_ONCE(event->perf, false);
		/* perf does not wait when it takes back what it prepared for nothing. */
		synchronize_rcu();
	}
	return err;
}

static int close_perf(struct event *event)
{
	event_unuse(event);
	WRITE_ONCE(event->perf, false);
	return 0;
}

/**
 * event_register() - somebody begins or ceases to want an event's records
 * @call: the event
 * @type: which of the two, and who
 * @data: the instance of tracing
 *
 * Context: event_mutex held; may sleep.
 * Return: 0; -ENOMEM; an error of event_use().
 */
int event_register(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct event *event = event_of(call);

	switch (type) {
	case TRACE_REG_REGISTER:
		return open_file(event, data);
	case TRACE_REG_UNREGISTER:
		return close_file(event, data);
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return open_perf(event);
	case TRACE_REG_PERF_UNREGISTER:
		return close_perf(event);
#endif
	default:
		return 0;
	}
}

/**
 * record_init() - get memory for records
 *
 * Return: 0 or -ENOMEM.
 */
int record_init(void)
{
	scratches = alloc_percpu(struct scratch);
	return scratches ? 0 : -ENOMEM;
}

/**
 * record_exit() - the opposite of record_init()
 */
void record_exit(void)
{
	free_percpu(scratches);
}
