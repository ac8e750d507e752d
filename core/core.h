/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of core/ share: the probe point, and the functions of each file.
 */
#ifndef LKP_CORE_H
#define LKP_CORE_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/types.h>

#include "../arch/arch.h"
#include "../host/host.h"
#include "kind.h"
#include "state.h"

struct seq_file;

extern struct mutex kprobe_mutex;

/* So many probes are gone through before other tasks may run. */
#define STRETCH		64

/**
 * enum point_mechanism - how hits of a probe point reach us
 * @POINT_TRAP: a breakpoint in the text
 * @POINT_FTRACE: a call that the kernel's function tracer makes
 *
 * Chosen when the point is created and never changed.
 */
enum point_mechanism {
	POINT_TRAP,
	POINT_FTRACE,
};

/**
 * enum jump_verdict - whether the text around a point allows a jump there
 * @JUMP_UNKNOWN: not determined yet
 * @JUMP_POSSIBLE: it does
 * @JUMP_SHORT: it allows one of ARCH_SHORT_JUMP_SIZE bytes
 * @JUMP_NEVER: it never does, and probe_point.stays says why
 */
enum jump_verdict {
	JUMP_UNKNOWN,
	JUMP_POSSIBLE,
	JUMP_SHORT,
	JUMP_NEVER,
};

/**
 * struct probe_point - an address with at least one probe
 * @owner: when it is freed, together with its slot
 * @todo: in a batch that is being armed or disarmed
 * @addr: where it is
 * @solo: the only kprobe here, if its pre_handler is all that a hit has to run;
 *	else NULL
 * @solo_post: the only kprobe here, if it has a post_handler; else NULL
 * @probes: the kprobes here, in order of registration; RCU
 * @registered: the same in memory of our own, see registered.c
 * @all: in the list of all points, points_list; RCU
 * @mechanism: enum point_mechanism
 * @state: enum point_state, changed by point_move() only
 * @internal: it has a probe of our own, whose handler runs even while the guard is held
 * @apart: it is internal, or its hits are counted, or all probes are off, or one of those here has
 *	a fault_handler
 * @has_post: an enabled kprobe has a post_handler
 * @stuck: its memory can never be freed, see dispatch_note_leaver()
 * @verdict: enum jump_verdict
 * @described: stack traces are held for its slot, see traces_hold()
 * @blocks: its trap or jump has kept a relay out of padding, see arch_relays_unblock()
 * @optimize: in a list of the optimiser's, or empty
 * @gone_all: in gone_list, if the text is gone
 * @stays: why this place can never become a jump, if @verdict is JUMP_NEVER
 * @arch: the instruction and how it is executed
 *
 * kprobe_mutex guards everything except what a hit reads.  There is one for each place: on x86-64 the
 * sizes that kmalloc() has are 192 and 256 bytes.
 */
struct probe_point {
	union {
		struct host_owner owner;
		struct list_head todo;
	};
	unsigned long addr;
	struct kprobe *solo;
	struct kprobe *solo_post;
	struct list_head probes;
	struct list_head registered;
	struct list_head all;
	u8 mechanism;
	u8 state;
	bool internal;
	bool apart;
	bool has_post;
	bool stuck;
	/* No hit reads these. */
	u8 verdict : 2;
	bool described : 1;
	bool blocks : 1;
	union {
		struct list_head optimize;
		struct list_head gone_all;
		const char *stays;
	};
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

/* The detour calls the handlers by itself. */
static inline bool point_is_open_jump(const struct probe_point *pt)
{
	return point_is_jump(pt) && point_facts[pt->state].gate == GATE_OPEN;
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
	return pt->state == STATE_GONE;
}

static inline bool point_has_detour(const struct probe_point *pt)
{
	return point_facts[pt->state].gate != GATE_NONE;
}

/* How many bytes its jump overwrites; the most that it may, if that is not known yet. */
static inline unsigned int point_jump_size(const struct probe_point *pt)
{
	return pt->verdict == JUMP_SHORT ? ARCH_SHORT_JUMP_SIZE : ARCH_JUMP_SIZE;
}

/* Does its jump, if it has one, overwrite a byte behind the first? */
static inline bool point_jump_covers(const struct probe_point *pt, unsigned long addr)
{
	return addr - pt->addr - 1 < point_jump_size(pt) - 1;
}

/* The module whose text it is in; NULL: the kernel's.  Context: kprobe_mutex held; it is not gone. */
static inline struct module *point_module(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return host_text_module(pt->addr);
}

/* Is it in a list of the optimiser's?  That of those that are gone is none. */
static inline bool point_is_queued(const struct probe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return !point_is_gone(pt) && pt->verdict != JUMP_NEVER && !list_empty(&pt->optimize);
}

/* Context: kprobe_mutex held. */
static inline void point_unqueue(struct probe_point *pt)
{
	if (point_is_queued(pt))
		list_del_init(&pt->optimize);
}

/*
 * Context: kprobe_mutex held.  @why: it can never become a jump, and why; NULL: it can.  If it can't, it
 * leaves the optimiser's list.
 */
static inline void point_judge(struct probe_point *pt, const char *why, bool is_short)
{
	lockdep_assert_held(&kprobe_mutex);
	if (why) {
		point_unqueue(pt);
		pt->verdict = JUMP_NEVER;
		pt->stays = why;
	} else {
		pt->verdict = is_short ? JUMP_SHORT : JUMP_POSSIBLE;
	}
}

/*
 * Hits and clients read the flags of a registered kprobe meanwhile, and may find the old ones.
 *
 * Context: kprobe_mutex held.
 */
static inline void kprobe_set_flags(struct kprobe *p, u32 flags)
{
	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(p->flags, p->flags | flags);
}

static inline void kprobe_clear_flags(struct kprobe *p, u32 flags)
{
	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(p->flags, p->flags & ~flags);
}

extern struct list_head points_list;
extern struct list_head gone_list;
extern bool kprobes_all_disarmed;

/* ---- table.c: from address to point ---- */

int table_init(void);
void table_exit(void);
int table_insert(struct probe_point *pt);
void table_remove(struct probe_point *pt);
struct probe_point *table_find(unsigned long addr);
void table_wait(void);

/* ---- point.c: making and ending points ---- */

struct probe_address;

struct probe_point *point_create(const struct probe_address *where, const char **why);
bool point_wants_arming(const struct probe_point *pt);
void point_attach(struct probe_point *pt, struct kprobe *p);
void point_describe(const struct probe_point *pt, struct kprobe *p);
void point_detach(struct probe_point *pt, struct kprobe *p);
void point_refresh(struct probe_point *pt);
bool point_move(struct probe_point *pt, enum point_event event);
bool point_show_in_traces(struct probe_point *pt, bool armed, bool again);
void point_leave_zombies(struct probe_point *pt);
void point_mark_gone(struct probe_point *pt);
void points_sort(struct list_head *points, size_t link);
void points_release(struct list_head *points);
bool points_settle(void);
void points_disarm_later(void);
bool point_is_kept_armed(const struct probe_point *pt);
bool point_may_be_deaf(const struct probe_point *pt);
void point_exit(void);

/* ---- registered.c: from kprobe to point ---- */

int registered_add(struct kprobe *p, struct probe_point *pt, const struct probe_kind *kind,
		   bool wants_faults);
void registered_place(struct kprobe *p, const struct kprobe *before);
void registered_drop(struct kprobe *p);
void registered_free_dropped(void);
int registered_begin_counts(void);
void registered_end_counts(void);
struct probe_counts __percpu *registered_counts(const struct kprobe *p);
bool registered_wants_faults(const struct kprobe *p);
const struct probe_kind *registered_kind(const struct kprobe *p);
bool registered_calls(const struct kprobe *p, const struct module *mod);
void registered_note_flags(const struct kprobe *p);
void registered_take_handlers(struct kprobe *p);
struct kprobe *registered_first(const struct probe_point *pt);
struct kprobe *registered_next(const struct kprobe *p);

/*
 * With kprobe_mutex held: no link of a client's is followed, as it may have been overwritten.  Only
 * hits, which can't wait for the mutex, follow those.
 */
#define for_each_kprobe_at(p, pt)							\
	for ((p) = registered_first(pt); (p); (p) = registered_next(p))

struct probe_point *point_of(const struct kprobe *p);
struct probe_point *point_of_mended(struct kprobe *p);
void point_mend(struct probe_point *pt);
void points_mend(void);

/* ---- original.c: text as the kernel means it ---- */

extern const char * const text_foreign;

/* How many bytes a walk reads at a time, and how many it can always see ahead. */
#define TEXT_WINDOW	256
#define TEXT_AHEAD	32

/**
 * struct text_walk - a walk over instructions
 * @at: the next one
 * @end: of the function
 * @flow_ended: execution does not reach @at from the instruction before it
 * @filler_end: where the last filler ends that was seen, see struct arch_step
 * @from: address of @bytes
 * @len: how many there are
 * @known: how many of them are original
 * @bytes: the text
 */
struct text_walk {
	unsigned long at;
	unsigned long end;
	bool flow_ended;
	unsigned long filler_end;
	unsigned long from;
	size_t len;
	size_t known;
	u8 bytes[TEXT_WINDOW];
};

size_t text_original(unsigned long addr, u8 *to, size_t len);
void text_walk_begin(struct text_walk *walk, unsigned long at, unsigned long end);
int text_walk_step(struct text_walk *walk, struct arch_step *step);
int text_walk_to(struct text_walk *walk, unsigned long addr);
size_t text_walk_ahead(struct text_walk *walk, u8 *to, size_t size);
#ifdef ARCH_SITE_NOP
bool text_function(unsigned long start, u8 *to, size_t size);
bool text_trap_is_stray(const u8 *bytes, size_t avail, unsigned long addr);
#endif

/* ---- arm.c: text and tracer ---- */

bool point_is_copied(const struct probe_point *pt);
int points_arm(struct list_head *todo, struct list_head *left_out);
int points_disarm(struct list_head *todo);
int points_disarm_vanishing(struct list_head *todo);
int points_jump(struct list_head *todo);
int points_unjump(struct list_head *todo);

/* ---- optprobe.c: which points become jumps, and when ---- */

extern bool kprobes_optimization;

void optimize_exit(void);
void optimize_consider(struct probe_point *pt);
void optimize_consider_around(struct probe_point *pt);
void optimize_consider_between(unsigned long from, unsigned long to);
void optimize_clean_up(void);
void optimize_forget(struct probe_point *pt);
int optimize_unjump_over(struct probe_point *pt, struct list_head *todo);
int optimize_all(bool on);
const char *optimize_never(void);
const char *optimize_obstacle(struct probe_point *pt);
const char *optimize_prospect(struct probe_point *pt);
bool optimize_serves_all(const struct probe_point *pt);

/* ---- status.c ---- */

struct dentry;
void status_file(struct dentry *folder);
void show_place(struct seq_file *m, unsigned long addr);

/* ---- profile.c ---- */

void profile_file(struct dentry *folder);

/* ---- check.c ---- */

void check_file(struct dentry *folder);
void check_exit(void);

/* ---- debugfs.c ---- */

typedef void (*show_probe_fn)(struct seq_file *m, struct probe_point *pt, const struct kprobe *p);

bool file_goes_on(struct seq_file *m);
int switch_from_user(const char __user *from, size_t len, bool *on);
void show_each_probe(struct seq_file *m, show_probe_fn show);

/* ---- other_sites.c: what kinds have besides points ---- */

void other_sites_vanish(struct module *mod, bool init_only);
void other_sites_module_goes(struct module *mod);
void other_sites_show(struct seq_file *m, show_site_fn show);
int other_sites_set_armed(bool armed, bool *busy);
int other_sites_set_counted(bool counted);

/* ---- sysctl.c ---- */

int sysctl_init(void);
void sysctl_exit(void);

/* ---- address.c: what may be probed ---- */

/**
 * struct probe_address - an address that passed every check
 * @addr: the probe point
 * @mechanism: enum point_mechanism
 * @module: whose text it is, with a reference held; NULL: the kernel's
 * @on_entry: it is the entry of a function
 * @known: how many of @bytes are original; arming finds out if they are not any more
 * @bytes: the text there, up to the end of its symbol
 */
struct probe_address {
	unsigned long addr;
	u8 mechanism;
	struct module *module;
	bool on_entry;
	u8 known;
	u8 bytes[2 * ARCH_MAX_INSN_SIZE];
};
static_assert(sizeof_field(struct probe_address, bytes) <= TEXT_AHEAD);

void addresses_begin(struct kprobe **kps, int num);
void addresses_end(void);
unsigned long address_behind_tracer(unsigned long start);
void address_read(struct probe_address *where);
int address_find(const struct kprobe *p, bool entry_only, struct probe_address *where,
		 const char **why);

/* ---- blacklist.c: what must never be probed ---- */

int blacklist_init(void);
int blacklist_add_hooked(unsigned long start, unsigned long end);
void blacklist_exit(void);
bool blacklist_has_for_modules(const char *name);
const char *blacklist_reason(unsigned long addr);
const char *blacklist_reason_for_calls(unsigned long addr);
void blacklist_each_for_calls(void (*fn)(void *data, unsigned long start, unsigned long end),
			      void *data);
int blacklist_add_module(struct module *mod);
void blacklist_remove_module(struct module *mod);
void blacklist_show(struct seq_file *m, bool show_addresses);

/* ---- entry.c: what the kernel calls ---- */

int entry_trap_init(void);
int entry_each_before_trap(int (*fn)(unsigned long addr));
void entry_trap_exit(void);
int entry_ftrace_init(void);

/* ---- dispatch.c: hits by traps and jumps ---- */

void dispatch_trap(struct probe_point *pt, struct pt_regs *regs);
void dispatch_miss(struct probe_point *pt);
bool dispatch_jump(struct probe_point *pt, struct pt_regs *regs);
asmlinkage void dispatch_jump_left(struct probe_point *pt, struct pt_regs *regs);
asmlinkage void dispatch_jump_post(struct probe_point *pt, struct pt_regs *regs);
void dispatch_post(struct probe_point *pt, struct pt_regs *regs, bool in_trap);
void dispatch_post_guarded(struct probe_point *pt, struct pt_regs *regs, bool in_trap);

/* ---- hand_on.c ---- */

asmlinkage void dispatch_hand_on(void);
bool dispatch_is_handed_on(void);
void dispatch_resume(struct probe_point *pt, struct pt_regs *regs);

/* ---- hit.c ---- */

void dispatch_count_as_miss(void);

/* ---- guard.c ---- */

bool dispatch_take(void);
bool dispatch_guard(struct handler_context *ctx);
void dispatch_unguard(bool taken, const struct handler_context *ctx);
void dispatch_running(struct kprobe *p);
bool dispatch_faulted(bool in_trap);
unsigned long dispatch_guarded_irqs(void);
void dispatch_abandon(void);
bool dispatch_is_held_for(struct kprobe **kps, int num);
void dispatch_forget(struct kprobe **kps, int num);
int guard_init(void);
void guard_exit(void);

/* ---- late.c: what is found wrong within a hit ---- */

/**
 * struct late_note - one that is taken once, by the first hit that has a reason
 * @print: prints it, in an interrupt
 * @addr: where
 * @how: what happened; a constant
 * @task: to whom
 * @taken: somebody is about to write it, or has
 * @node: in the list of those that are written
 */
struct late_note {
	void (*print)(const struct late_note *note);
	const void *addr;
	const char *how;
	char task[TASK_COMM_LEN];
	bool taken;
	struct llist_node node;
};

void late_note(struct late_note *note, const void *addr, const char *how);
void late_exit(void);

/*
 * Does this CPU run an irq_work that is queued now?  One that goes runs its own once more when it is not
 * online any more, and what is queued there later, nobody runs; nor would any that is queued after that.
 * On a real-time kernel a thread runs them, which stops before: when the CPU has just ceased to be active.
 *
 * One that falls asleep with the machine is active all the time, but forgets the interrupt that it has sent
 * itself.  So these works are lazy: they are left to the tick.
 */
static inline bool runs_irq_work(void)
{
	return cpu_active(smp_processor_id());
}

/* ---- faults.c: faults in probed instructions and in handlers ---- */

int faults_want(const char **why);
void faults_unwant(void);

/* ---- builtin.c: the optimiser of the built-in kprobes ---- */

const char *builtin_hooked(void);
bool builtin_collides(unsigned long addr);
int builtin_restrain(struct list_head *todo);
void builtin_unrestrain(void);

/* ---- traces.c: stack traces through what is ours ---- */

#ifdef ARCH_TRACES_RELIABLE
unsigned long traces_behind(struct task_struct *task, unsigned long addr);
int traces_walk_reliable_from(stack_trace_consume_fn consume_entry, void *cookie,
			      struct task_struct *task, unsigned long caller);
#endif
#ifdef ARCH_TRACES_WALK
void traces_walk(stack_trace_consume_fn consume_entry, void *cookie, struct task_struct *task,
		 struct pt_regs *regs);
int traces_walk_reliable(stack_trace_consume_fn consume_entry, void *cookie,
			 struct task_struct *task);
int traces_walk_init(void);
void traces_walk_exit(void);
#else
static inline int traces_walk_init(void) { return 0; }
static inline void traces_walk_exit(void) {}
#endif

#ifdef ARCH_TRACES
/**
 * struct traces_known - return addresses that need an answer of ours, beside those of stubs
 * @start: of the area in which all detours are
 * @size: of that area; what else is in it is handed on after a closer look
 * @foreign: what other tracers put in place of return addresses: ours may be behind; or 0
 */
struct traces_known {
	unsigned long start;
	unsigned long size;
	unsigned long foreign[2];
};

extern struct traces_known traces_known;

/* Is an address in the area, which may grow meanwhile?  Any context. */
static inline bool traces_in_area(unsigned long addr)
{
	/* Pairs with the release in note_runs(): behind a new start there is no old size. */
	unsigned long start = smp_load_acquire(&traces_known.start);

	return addr - start < READ_ONCE(traces_known.size);
}

int traces_init(void);
void traces_exit(void);
void traces_begin_many(void);
void traces_end_many(void);
void traces_hold(void);
void traces_hold_again(void);
int traces_hold_stubs(void);
void traces_release(void);
void traces_settle(void);
int traces_each_site(int (*fn)(unsigned long start, unsigned long end));
bool traces_within(unsigned long start, unsigned long end);
bool traces_may_know(unsigned long addr);
asmlinkage int traces_is_text(unsigned long addr);
asmlinkage unsigned long traces_return_address(struct task_struct *task, int *idx,
					       unsigned long addr, unsigned long *word);
#else
static inline int traces_init(void) { return 0; }
static inline void traces_exit(void) {}
static inline void traces_begin_many(void) {}
static inline void traces_end_many(void) {}
static inline void traces_hold(void) {}
static inline void traces_hold_again(void) {}
static inline int traces_hold_stubs(void) { return 0; }
static inline void traces_release(void) {}
static inline void traces_settle(void) {}
static inline int traces_each_site(int (*fn)(unsigned long start, unsigned long end)) { return 0; }
static inline bool traces_within(unsigned long start, unsigned long end) { return false; }
#endif

/* ---- register.c: probes of every kind, from request to point and back ---- */

int probes_add(const struct probe_kind *kind, struct kprobe **kps, int num);
void probes_remove(struct kprobe **kps, int num);
int probes_register(const struct probe_kind *kind, struct kprobe **kps, int num);
void probes_unregister(struct kprobe **kps, int num);
int probe_set_disabled(struct kprobe *p, bool disabled);
void probes_serve_anew(void);
void point_serve_anew(struct probe_point *pt);
void probes_order_loads(void);
int probe_add_internal(struct kprobe *p);
void probe_remove_internal(struct kprobe *p);

/* ---- all.c: all probes on and off ---- */

int probes_set_armed(bool armed);

/* ---- functions.c: functions by pattern, name or address ---- */

/**
 * struct function_set - functions of the kernel and its modules
 * @addrs: where the probe of each goes, sorted and without duplicates
 * @nr: how many
 * @max: how many @addrs has room for
 */
struct function_set {
	unsigned long *addrs;
	unsigned int nr;
	unsigned int max;
};

int functions_matching(struct function_set *set, const char *filter, const char *notfilter,
		       const unsigned long handlers[2], const char **why);
int functions_named(struct function_set *set, const char **syms, int num, const char **why);
int functions_at(struct function_set *set, const unsigned long *addrs, int num,
		 const char **why);
int functions_entries(struct function_set *entries, const struct function_set *sites,
		      const char **why);
void functions_free(struct function_set *set);

/* ---- modules.c, debugfs.c ---- */

bool text_vanishes(unsigned long addr, const struct module *mod, bool init_only);
int leave_patiently(int (*leave)(void *data), void *data);
extern const char * const module_of_text_none;
struct module *module_of_text(unsigned long addr, int *err);

/*
 * Is there text at an address of which module_of_text() has told the module?  The kernel's init text
 * is freed, and may not be mapped, but its symbols stay.
 */
static inline bool text_is_there(const struct module *mod, unsigned long addr)
{
	return mod || host_core_text(addr);
}
bool module_can_be_probed(const struct module *mod);
int modules_init(void);
void modules_exit(void);
int debugfs_init(void);
void debugfs_exit(void);

#endif /* LKP_CORE_H */
