/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event: the trace event that the kernel knows of, and its probes, each with its definition.
 *
 * Locks, the outer one first: definitions_mutex (list.c), the kernel's event_mutex, place_mutex
 * (place.c), lookup_mutex (symbols.c), those of kprobes.ko.
 */
#ifndef LKP_EVENTS_EVENT_H
#define LKP_EVENTS_EVENT_H

#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#ifdef LKP_EVENTS_TRACED
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#endif

#include "definition.h"
#include "fetch.h"

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

struct event;

/**
 * struct probe - a probe of an event
 * @list: in the list of all; guarded by definitions_mutex, and by place_mutex
 * @siblings: in its event's list; guarded by the same
 * @event: its event
 * @def: what it is
 * @line: what @def points into
 * @written: the line as it was written
 * @placed: is it registered; guarded by place_mutex
 * @lost: hits that it missed and no longer counts itself; guarded by place_mutex
 * @counts: what happened
 * @kp: the kprobe, kretprobe or fprobe; which of them says @def
 * @rp: the same
 * @fp: the same
 */
struct probe {
	struct list_head list;
	struct list_head siblings;
	struct event *event;
	struct definition def;
	char *line;
	char *written;
	bool placed;
	unsigned long lost;
	struct event_counts __percpu *counts;
	union {
		struct kprobe kp;
		struct kretprobe rp;
		struct fprobe fp;
	};
};

/**
 * struct event - an event
 * @first: the probe by which it was defined: says its name and what its records are like.  It may
 *	have been removed since, and is freed with the event
 * @probes: those that it has
 * @going: in a list of those that are being removed, or empty; guarded by definitions_mutex
 * @users: how many use it; guarded by place_mutex
 * @number: in our own buffer; guarded by definitions_mutex, as the next two
 * @directory: there
 * @gone: nobody turns it on any more; set under definitions_mutex and turn_mutex (own.c)
 * @call: what the kernel knows of it
 * @class: of @call, for this event alone
 * @tracepoint: gives @call its name, and lets programs of BPF attach to it
 * @types: names of the types of arrays, by argument
 * @files: the instances of tracing that record it; changed under event_mutex, read by hits
 * @perf: does perf record it
 */
struct event {
	struct probe *first;
	struct list_head probes;
	struct list_head going;
	unsigned int users;
	unsigned int number;
	struct dentry *directory;
	bool gone;
#ifdef LKP_EVENTS_TRACED
	struct trace_event_call call;
	struct trace_event_class class;
	struct tracepoint tracepoint;
	char (*types)[EVENT_TYPE_SIZE];
	struct list_head files;
	bool perf;
#endif
};

/* list.c */
extern struct mutex definitions_mutex;
extern struct list_head all_probes;
struct probe *probe_new(const char *line, unsigned int room);
void probe_free(struct probe *probe);
int probe_add(struct probe *probe, struct definition_error *error);
int probes_remove(const struct definition *def, struct definition_error *error);
int probes_remove_all(void);
void probes_remove_idle(void);

/* place.c */
extern struct mutex place_mutex;
int probe_place(struct probe *probe, struct definition_error *error);
void probe_displace(struct probe *probe);
int event_use(struct event *event);
void event_unuse(struct event *event);
unsigned long probe_missed(struct probe *probe);
int place_init(void);
void place_exit(void);

/* own.c */
void own_hit(const struct probe *probe, const struct fetched *from);
int own_publish(struct event *event);
int own_withdraw(struct list_head *going, struct list_head *gone);
int own_init(struct dentry *parent);
void own_exit(void);

#ifdef LKP_EVENTS_TRACED

static inline struct event *event_of(struct trace_event_call *call)
{
	return container_of(call, struct event, call);
}

/* Are records kept in our own buffer?  Says a parameter of the module. */
extern bool own_buffer;

/* record.c */
void probe_hit(struct probe *probe, const struct fetched *from);
int event_register(struct trace_event_call *call, enum trace_reg type, void *data);
int record_init(void);
void record_exit(void);

/* call.c */
int call_make(struct event *event);
void call_unmake(struct event *event);
int call_publish(struct event *event);
int call_withdraw(struct list_head *going, struct list_head *gone);
bool call_is_held(const struct event *event);
bool call_is_taken(const struct definition *def);

/* format.c */
extern struct trace_event_functions event_functions;
extern struct trace_event_fields event_fields[];
char *event_print_format(const struct definition *def);
int event_name_types(struct event *event);

/* locked.c */
int locked_call(int (*fn)(void *data), void *data);
struct trace_event_call *locked_event(void);

/* files.c */
#ifdef LKP_EVENT_FILES_LINGER
void format_files_init(void);
void format_files_leave(const struct list_head *gone);
int format_files_end(void *unused);
#else
static inline void format_files_init(void) {}
static inline void format_files_leave(const struct list_head *gone) {}
static inline int format_files_end(void *unused) { return 0; }
#endif

#else

/* The kernel's tracing takes no events. */
#define own_buffer	true

static inline void probe_hit(struct probe *probe, const struct fetched *from) {}
static inline int record_init(void) { return 0; }
static inline void record_exit(void) {}
static inline int call_make(struct event *event) { return -ENODEV; }
static inline void call_unmake(struct event *event) {}
static inline int call_publish(struct event *event) { return -ENODEV; }
static inline int call_withdraw(struct list_head *going, struct list_head *gone) { return -ENODEV; }
static inline bool call_is_held(const struct event *event) { return false; }
static inline bool call_is_taken(const struct definition *def) { return false; }
static inline int locked_call(int (*fn)(void *data), void *data) { return -ENODEV; }
static inline void format_files_init(void) {}
static inline int format_files_end(void *unused) { return 0; }

#endif

/* symbols.c */
bool symbols_has_module(const char *name);
const struct module *symbols_get_module(const char *name, struct kobject **held);
unsigned long symbols_function(const char *name);
void symbols_call(unsigned long function);
bool symbols_are_missing(const struct definition *def);
int symbols_find(struct definition *def, const struct module *coming, struct definition_error *error);
void symbols_forget(struct definition *def, const struct module *mod, bool init_only);

/* refused.c */
void refused_add(const char *line, unsigned int column, const char *reason);
void refused_clear(void);
extern const struct file_operations refused_fops;

#endif /* LKP_EVENTS_EVENT_H */
