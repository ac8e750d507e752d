/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event: a definition, its probe, and the trace event that the kernel knows of.
 *
 * Locks, the outer one first: definitions_mutex (main.c), the kernel's event_mutex, place_mutex
 * (place.c), those of kprobes.ko.
 */
#ifndef LKP_EVENTS_EVENT_H
#define LKP_EVENTS_EVENT_H

#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "definition.h"

/* For the name of an array's type. */
#define EVENT_TYPE_SIZE	32

/**
 * struct event_counts - what happened at the probe, on one CPU
 * @hits: records were made
 * @missed: hits where that was not possible
 */
struct event_counts {
	unsigned long hits;
	unsigned long missed;
};

/**
 * struct event - an event
 * @list: in the list of all; guarded by definitions_mutex, and by place_mutex
 * @def: what it is
 * @line: what @def points into
 * @call: what the kernel knows of it
 * @class: of @call, for this event alone
 * @tracepoint: gives @call its name, and lets programs of BPF attach to it
 * @types: names of the types of arrays, by argument
 * @files: the instances of tracing that record it; changed under event_mutex, read by hits
 * @perf: does perf record it
 * @users: how many of these there are; guarded by place_mutex
 * @placed: is the probe registered; guarded by place_mutex
 * @lost: hits that probes missed which are gone; guarded by place_mutex
 * @counts: what happened
 * @kp: the probe; which of them says @def
 * @rp: the same
 * @fp: the same
 */
struct event {
	struct list_head list;
	struct definition def;
	char *line;
	struct trace_event_call call;
	struct trace_event_class class;
	struct tracepoint tracepoint;
	char (*types)[EVENT_TYPE_SIZE];
	struct list_head files;
	bool perf;
	unsigned int users;
	bool placed;
	unsigned long lost;
	struct event_counts __percpu *counts;
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct fprobe fp;
	};
};

static inline struct event *event_of(struct trace_event_call *call)
{
	return container_of(call, struct event, call);
}

/* main.c */
extern struct list_head all_events;

/* place.c */
extern struct mutex place_mutex;
int event_place(struct event *event, const char **why);
void event_displace(struct event *event);
int event_use(struct event *event);
void event_unuse(struct event *event);
unsigned long event_missed(struct event *event);
int place_init(void);
void place_exit(void);

/* record.c */
void event_hit(struct event *event, struct pt_regs *regs, unsigned long ip,
	       unsigned long return_ip);
int event_register(struct trace_event_call *call, enum trace_reg type, void *data);
int record_init(void);
void record_exit(void);

/* output.c */
extern struct trace_event_functions event_functions;
extern struct trace_event_fields event_fields[];
char *event_print_format(const struct definition *def);
int event_name_types(struct event *event);

/* locked.c */
int locked_call(int (*fn)(void *data), void *data);

/* symbols.c */
unsigned long symbol_address(const char *name);

/* refused.c */
void refused_add(const char *line, unsigned int column, const char *reason);
void refused_clear(void);
extern const struct file_operations refused_fops;

#endif /* LKP_EVENTS_EVENT_H */
