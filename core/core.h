/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the core share: the probe point, and who may do what to it.
 */
#ifndef LKP_CORE_H
#define LKP_CORE_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "../arch/arch.h"
#include "../host/host.h"
#include "kind.h"
#include "state.h"

/**
 * enum point_mechanism - how hits of a probe point reach us
 * @POINT_TRAP: a breakpoint in the text
 * @POINT_FTRACE: a call that the kernel's function tracer makes
 *
 * Chosen when the point is made and kept for its life: what armed it disarms it.
 */
enum point_mechanism {
	POINT_TRAP,
	POINT_FTRACE,
};

/**
 * enum jump_verdict - can a jump ever stand at a place, as far as the text around it goes
 * @JUMP_UNKNOWN: that has not been found out
 * @JUMP_POSSIBLE: it can
 * @JUMP_NEVER: it cannot, and probe_point.stays says why
 */
enum jump_verdict {
	JUMP_UNKNOWN,
	JUMP_POSSIBLE,
	JUMP_NEVER,
};

/**
 * struct probe_point - an address with at least one probe
 * @addr: where it is
 * @solo: the kprobe here whose pre_handler is all that a hit has to run; NULL
 *	if there is more to it, or less
 * @probes: the kprobes here, in order of registration; RCU
 * @all: in the list of all points, points_list; RCU
 * @gone_all: in the list of those that are gone, too, gone_list, or empty
 * @todo: in a batch that is being armed or disarmed
 * @mechanism: enum point_mechanism
 * @state: enum point_state, changed by point_move() only
 * @verdict: enum jump_verdict
 * @internal: our own probe, which runs while a handler is running
 * @has_post: a kprobe that is enabled has a post_handler
 * @module: whose text it is; NULL: the kernel's
 * @optimize: in a list of the optimiser's, or empty
 * @stays: why this place can never become a jump; NULL if it can, or @verdict is unknown
 * @arch: the instruction and how it is executed
 *
 * All but what a hit reads is guarded by kprobe_mutex.
 */
struct probe_point {
	unsigned long addr;
	struct kprobe *solo;
	struct list_head probes;
	struct list_head all;
	struct list_head gone_all;
	struct list_head todo;
	u8 mechanism;
	u8 state;
	u8 verdict;
	bool internal;
	bool has_post;
	struct module *module;
	struct list_head optimize;
	const char *stays;
	struct arch_point arch;
};

static inline bool point_is_armed(const struct probe_point *pt)
{
	return state_is_armed(READ_ONCE(pt->state));
}

static inline bool point_is_jump(const struct probe_point *pt)
{
	return point_facts[pt->state].head == HEAD_JUMP;
}

static inline bool point_has_tail(const struct probe_point *pt)
{
	return point_facts[pt->state].tail;
}

static inline bool point_is_disputed(const struct probe_point *pt)
{
	return point_facts[pt->state].disputed;
}

static inline bool point_is_gone(const struct probe_point *pt)
{
	return pt->state == STATE_GONE || pt->state == STATE_GONE_TRACED;
}

static inline bool point_has_detour(const struct probe_point *pt)
{
	return point_facts[pt->state].gate != GATE_NONE;
}

/* Context: kprobe_mutex held.  @why as probe_point.stays. */
static inline void point_judge(struct probe_point *pt, const char *why)
{
	pt->verdict = why ? JUMP_NEVER : JUMP_POSSIBLE;
	pt->stays = why;
}

extern struct mutex kprobe_mutex;
extern struct list_head points_list;
extern struct list_head gone_list;
extern bool kprobes_all_disarmed;

/* ---- table.c: from address to point ---- */

int table_init(void);
void table_exit(void);
int table_insert(struct probe_point *pt);
void table_remove(struct probe_point *pt);
struct probe_point *table_find(unsigned long addr);

/* ---- point.c: making and ending points ---- */

struct probe_point *point_create(unsigned long addr, u8 mechanism, struct module *mod,
				 const char **why);
struct probe_point *point_of(const struct kprobe *p);
bool point_wants_arming(const struct probe_point *pt);
void point_attach(struct probe_point *pt, struct kprobe *p);
void point_detach(struct probe_point *pt, struct kprobe *p);
void point_refresh(struct probe_point *pt);
bool point_move(struct probe_point *pt, enum point_event event);
void point_mark_gone(struct probe_point *pt);
void points_sort(struct list_head *points, size_t link);
void points_release(struct list_head *points);
void points_retry_zombies(void);
void point_exit(void);

/* ---- original.c: text as the kernel means it ---- */

extern const char * const text_foreign;

/* What a walk reads at a time, and how much of what follows it always sees. */
#define TEXT_WINDOW	128
#define TEXT_AHEAD	32

/**
 * struct text_walk - a walk over instructions
 * @at: the next one
 * @end: of the function
 * @flow_ended: execution does not come there from the instruction before it
 * @from: address of @bytes
 * @len: how many there are
 * @known: how many of them are original
 * @bytes: the text
 */
struct text_walk {
	unsigned long at;
	unsigned long end;
	bool flow_ended;
	unsigned long from;
	size_t len;
	size_t known;
	u8 bytes[TEXT_WINDOW];
};

size_t text_original(unsigned long addr, u8 *to, size_t len);
void text_walk_begin(struct text_walk *walk, unsigned long at, unsigned long end);
int text_walk_step(struct text_walk *walk, struct arch_step *step);
#ifdef ARCH_SITE_NOP
bool text_function(unsigned long start, u8 *to, size_t size);
#endif

/* ---- arm.c: text and tracer ---- */

int points_arm(struct list_head *todo);
int points_disarm(struct list_head *todo);
int points_jump(struct list_head *todo);
int points_unjump(struct list_head *todo);

/* ---- optprobe.c: which points become jumps, and when ---- */

extern bool kprobes_optimization;

void optimize_exit(void);
void optimize_consider(struct probe_point *pt);
void optimize_consider_around(unsigned long addr);
void optimize_forget(struct probe_point *pt);
int optimize_unjump_over(struct probe_point *pt, struct list_head *todo);
int optimize_all(bool on);
const char *optimize_obstacle(struct probe_point *pt);

/* ---- status.c ---- */

struct dentry;
void status_files(struct dentry *folder);

/* ---- sysctl.c ---- */

int sysctl_init(void);
void sysctl_exit(void);

/* ---- address.c: what may be probed ---- */

/**
 * struct probe_address - an address that passed every check
 * @addr: the probe point
 * @mechanism: enum point_mechanism
 * @module: whose text it is, with a reference held; NULL: the kernel's
 * @on_entry: it is the first thing a function does
 */
struct probe_address {
	unsigned long addr;
	u8 mechanism;
	struct module *module;
	bool on_entry;
};

void addresses_begin(struct kprobe **kps, int num);
void addresses_end(void);
int address_find(const struct kprobe *p, bool entry_only, struct probe_address *where,
		 const char **why);

/* ---- blacklist.c: what must never be probed ---- */

int blacklist_init(void);
void blacklist_exit(void);
const char *blacklist_reason(unsigned long addr);
int blacklist_add_module(struct module *mod);
void blacklist_remove_module(struct module *mod);
struct seq_file;
void blacklist_show(struct seq_file *m, bool show_addresses);

/* ---- entry.c: what the kernel calls ---- */

int entry_trap_init(void);
void entry_trap_exit(void);
int entry_ftrace_init(void);

/* ---- dispatch.c: hits ---- */

void dispatch_trap(struct probe_point *pt, struct pt_regs *regs);
void dispatch_jump(struct probe_point *pt, struct pt_regs *regs);
void dispatch_post(struct probe_point *pt, struct pt_regs *regs, bool in_trap);
void dispatch_post_guarded(struct probe_point *pt, struct pt_regs *regs, bool in_trap);
void dispatch_hand_on(void);
void dispatch_resume(struct probe_point *pt, struct pt_regs *regs);
bool dispatch_take(void);
bool dispatch_guard(struct handler_context *ctx);
void dispatch_unguard(bool taken, const struct handler_context *ctx);
void dispatch_running(struct kprobe *p);
unsigned long dispatch_guarded_irqs(void);
void dispatch_abandon(void);

/* ---- faults.c: faults in probed instructions and in handlers ---- */

int faults_want(const char **why);
void faults_unwant(void);

/* ---- register.c: probes of every kind, from request to point and back ---- */

int probes_add(const struct probe_kind *kind, struct kprobe **kps, int num);
void probes_remove(struct kprobe **kps, int num);
int probes_register(const struct probe_kind *kind, struct kprobe **kps, int num);
void probes_unregister(struct kprobe **kps, int num);
int probe_set_disabled(struct kprobe *p, bool disabled);
bool probe_is_registered(const struct kprobe *p);
int probes_set_armed(bool armed);
int probe_add_internal(struct kprobe *p);
void probe_remove_internal(struct kprobe *p);

/* ---- functions.c: which functions are meant ---- */

/**
 * struct function_set - functions of the kernel and its modules
 * @addrs: where a probe on each goes, in order, each once
 * @nr: how many
 * @max: how many there is room for
 */
struct function_set {
	unsigned long *addrs;
	unsigned int nr;
	unsigned int max;
};

int functions_matching(struct function_set *set, const char *filter, const char *notfilter,
		       const char **why);
int functions_named(struct function_set *set, const char **syms, int num, const char **why);
int functions_at(struct function_set *set, const unsigned long *addrs, int num,
		 const char **why);
void functions_free(struct function_set *set);

/* ---- modules.c, debugfs.c ---- */

bool text_vanishes(unsigned long addr, const struct module *mod, bool init_only);
int modules_init(void);
void modules_exit(void);
int debugfs_init(void);
void debugfs_exit(void);

#endif /* LKP_CORE_H */
