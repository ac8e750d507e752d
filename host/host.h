/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface to private parts of the running kernel.  How they are reached is
 * known in host/ only, and host/ knows nothing of probes.
 */
#ifndef LKP_HOST_H
#define LKP_HOST_H

#include <linux/compiler.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

struct exception_table_entry;
struct pt_regs;
struct cred;

/* ---- symbols.c: the kernel's symbol table ---- */

/**
 * struct host_symbol - the symbol that an address lies in
 * @start: its first byte
 * @size: bytes up to the next symbol
 * @name: without module or offset
 * @module: its module, or empty
 */
struct host_symbol {
	unsigned long start;
	unsigned long size;
	char name[KSYM_NAME_LEN];
	char module[MODULE_NAME_LEN];
};

/**
 * struct host_name - a symbol name and its address
 * @name: the query: "function", "module:function" or "vmlinux:function"
 * @addr: the result; the first match in the kernel's order, 0 if there is none
 * @candidates: how many text symbols of the kernel and its modules match
 */
struct host_name {
	const char *name;
	unsigned long addr;
	unsigned int candidates;
};

int host_symbols_init(void);
void host_symbols_exit(void);
void host_resolve(struct host_name *query);
bool host_is_module(const struct module *mod);
unsigned long host_lookup(const char *name);

/* How many kinds of copies and parts of functions there are. */
#define HOST_NR_MADE	4

unsigned long host_lookup_made(const char *name, unsigned int kind);
bool host_is_made_by_compiler(const char *suffix);
void host_each_named(const char *name, int (*fn)(void *data, unsigned long addr), void *data);
bool host_symbol_bounds(unsigned long addr, unsigned long *start, unsigned long *size);
bool host_symbol_at(unsigned long addr, struct host_symbol *sym);
bool host_may_show_addresses(const struct cred *cred);

/* ---- names.c: many names at once ---- */

struct host_names;

struct host_names *host_names_new(unsigned int max);
void host_names_free(struct host_names *names);
void host_names_add(struct host_names *names, const char *name);
void host_names_resolve(struct host_names *names);
bool host_names_find(struct host_names *names, struct host_name *query);

typedef void (*host_symbol_fn)(void *data, const struct module *mod, const char *name,
			       unsigned long addr);

int host_each_kernel_symbol(host_symbol_fn fn, void *data);
int host_each_kernel_text(host_symbol_fn fn, void *data);
int host_each_symbol(host_symbol_fn fn, void *data);
int host_each_text(host_symbol_fn fn, void *data);
bool host_symbol_is_text(const struct module *mod, unsigned long addr);

/* ---- text_lock.c: the kernel's locks for changes of text ---- */

int host_text_locks_init(void);
void host_builtin_lock(void);
void host_builtin_unlock(void);
void host_text_lock(void);
void host_text_unlock(void);
void host_text_assert_locked(void);
bool host_text_lock_works(void);
bool host_text_is_locked(void);

/* ---- text.c: the only writer of text ---- */

/**
 * struct text_edit - some bytes to be written to live text
 * @addr: where; the bytes may lie in two pages
 * @len: how many, 1 to 32
 * @bytes: what
 *
 * An array should be sorted by address where it is long: neighbours in a page
 * then share a mapping.
 */
struct text_edit {
	unsigned long addr;
	u8 len;
	u8 bytes[32];
};

/* The index of the first of @nr sorted values that is not less than @value; @nr without one. */
static inline unsigned int host_first_from(const unsigned long *values, unsigned int nr,
					   unsigned long value)
{
	unsigned int low = 0, high = nr;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (values[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int host_by_value(const void *a, const void *b);

/*
 * memcmp() is not used, as a probe may be in its loop; nor READ_ONCE() for more than a byte: with LTO it is an
 * acquire on arm64, which faults where the address is not aligned.  The text is read when this is called.
 */
static inline bool host_text_is(unsigned long addr, const u8 *bytes, unsigned int len)
{
	const u8 *text = (const u8 *)addr;
	unsigned int i;
	u64 there, word;

	barrier();
	for (i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		__builtin_memcpy(&there, text + i, sizeof(there));
		__builtin_memcpy(&word, bytes + i, sizeof(word));
		if (there != word)
			return false;
	}
	while (i < len && READ_ONCE(text[i]) == bytes[i])
		i++;
	return i == len;
}

#define HOST_TEXT_PIECE	256

/**
 * struct text_change - a change of text that CPUs may be running, in steps
 * @nr_steps: how many
 * @check: is the text as expected?  An error ends the change
 * @begin_step: restarts at the first edit of a step; called twice for each step, once to
 *	write the edits and once to report them. May itself do a step that writes no text
 * @next_edits: fills in up to @max edits, HOST_TEXT_PIECE at most; 0: there are no more.
 *	Both times the same edits, except for those that have been reported as written
 * @written: edit number @i of the last @next_edits is in the text, and all CPUs are synced
 *
 * All are called with text_mutex held and CPU hotplug blocked.  They may sleep for memory,
 * but may not take a lock under which either of these is taken.
 */
struct text_change {
	unsigned int nr_steps;
	int (*check)(struct text_change *change);
	void (*begin_step)(struct text_change *change, unsigned int step);
	unsigned int (*next_edits)(struct text_change *change, unsigned int step,
				   struct text_edit *edits, unsigned int max);
	void (*written)(struct text_change *change, unsigned int step, unsigned int i);
};

int host_text_init(void);
int host_text_change(struct text_change *change);
int host_text_replace(const struct text_edit *edits, unsigned int nr);
int host_text_replace_if(const struct text_edit *edit, const u8 *old);
int host_text_replace_stopped(const struct text_edit *edit, const u8 *old);
void host_text_begin_many(void);
void host_text_end_many(void);
int host_text_write(const struct text_edit *edits, unsigned int nr);
int host_text_write_code(unsigned long addr, const u8 *code, unsigned int len);
int host_text_fill(const struct text_edit *edits, unsigned int nr);
bool host_can_poke(void);
int host_text_poke(const struct text_edit *edit, const u8 *old);
void host_text_refresh(const unsigned long *addrs, unsigned int nr);
void host_text_sync(void);
bool host_cpu_is_emulated(void);

/* ---- memory.c: the lock of the kernel's page tables, where it is needed to read them ---- */

#ifdef CONFIG_ARCH_HAS_EXECMEM_ROX
void host_page_tables_init(void);
void host_page_tables_lock(void);
void host_page_tables_unlock(void);
#else
static inline void host_page_tables_init(void) {}
static inline void host_page_tables_lock(void) {}
static inline void host_page_tables_unlock(void) {}
#endif

/* ---- memory.c: executable memory from the kernel ---- */

bool host_memory_is_short(unsigned long near);
void host_memory_try_again(void);
unsigned long host_memory_alloc(unsigned long near, unsigned long size, bool again);
void host_memory_free(unsigned long base, unsigned long size);

/* ---- slots.c, slot_fixups.c, slot_reclaim.c: executable memory for copies ---- */

/**
 * struct host_owner - what memory begins with that is freed together with a slot
 * @next: in the list of those of freed slots
 * @slot: the slot, or the run
 */
struct host_owner {
	struct host_owner *next;
	unsigned long slot;
};

int host_slots_init(void);
void host_slots_exit(void);
unsigned int host_slots_refused(void);
unsigned long host_slot_alloc(bool may_fault, unsigned long near);
unsigned long host_run_alloc(unsigned long size, unsigned long near);
struct host_area;
void host_runs(struct host_area *area);
unsigned long host_slot_around(unsigned long addr, bool *is_run);
bool host_in_run(unsigned long addr);
void host_slot_free(unsigned long slot, struct host_owner *owner);
void host_slots_flush(void);
int host_slot_set_fixup(unsigned long slot, unsigned int which,
			const struct exception_table_entry *original);

/* ---- quiesce.c: when has every task left text that is no longer reachable ---- */

typedef void (*host_stack_word_fn)(unsigned long *word, const unsigned long *end, bool asleep);

/*
 * Does host_wait_for_preempted() suffice?  A preemptible kernel without RCU-tasks knows nobody
 * who waits for preempted tasks: only a scan of their stacks finds them, and none finds those that
 * are in the last steps of their exit.  The return trampolines test the same, see
 * ARCH_RETURN_IS_MASKED.
 */
static inline bool host_waits_for_preempted(void)
{
	return !IS_ENABLED(CONFIG_PREEMPTION) || IS_ENABLED(CONFIG_TASKS_RCU);
}

/* A word of the stack of a task that does not run. */
static inline unsigned long host_stack_word(const unsigned long *word)
{
	/*
	 * The task may have been preempted as it was about to write there: KCSAN, which watches
	 * until then, takes it for a race.  The store is done, or it is not, for as long as the
	 * CPUs are stopped; what the word means is found out by what is around it.
	 */
	return data_race(READ_ONCE(*word));
}

void host_stop(int (*fn)(void *data), void *data);
bool host_scan_stacks(host_stack_word_fn found);
void host_wait_for_preempted(void);
void host_wait_for_unpreempted(void);
bool host_keeps_return_addresses(const struct task_struct *task);

/* ---- traces.c: return addresses that others have replaced ---- */

struct llist_node;

/**
 * struct host_calls - the calls of a task whose returns other tracers wait for
 * @rethooks, @kretprobes: the youngest that the kernel's return probes know
 */
struct host_calls {
	struct llist_node *rethooks, *kretprobes;
};

void host_calls_abandon(const struct host_calls *calls, const unsigned long *kept);

/**
 * host_calls_note() - which calls of the current task do the kernel's return probes wait for
 * @calls: filled in
 *
 * Context: any, with interrupts off.
 */
static __always_inline void host_calls_note(struct host_calls *calls)
{
#ifdef CONFIG_RETHOOK
	calls->rethooks = READ_ONCE(current->rethooks.first);
#endif
#ifdef LKP_TASK_HAS_KRETPROBES
	calls->kretprobes = READ_ONCE(current->kretprobe_instances.first);
#endif
}

/**
 * host_calls_are() - does the current task have no other calls than those that were noted
 * @calls: those
 *
 * Context: as host_calls_note().
 */
static __always_inline bool host_calls_are(const struct host_calls *calls)
{
	bool same = true;

#ifdef CONFIG_RETHOOK
	same &= calls->rethooks == READ_ONCE(current->rethooks.first);
#endif
#ifdef LKP_TASK_HAS_KRETPROBES
	same &= calls->kretprobes == READ_ONCE(current->kretprobe_instances.first);
#endif
	return same;
}

void host_foreign_trampolines(unsigned long addrs[2]);
bool host_foreign_trampoline(unsigned long addr);
bool host_kretprobes_wait(struct task_struct *task);
bool host_is_text(unsigned long addr);
unsigned long host_foreign_return(struct task_struct *task, unsigned long addr,
				  unsigned long *word, int *graph_idx,
				  struct llist_node **rethook);
unsigned long host_graph_return(struct task_struct *task, unsigned long addr, unsigned long frame,
				unsigned int *from);

/* ---- stack.c: which part of a stack is in use, and data about it that is kept elsewhere ---- */

unsigned long *host_used_stack(struct task_struct *task, unsigned long **end);

#if defined(CONFIG_KASAN_GENERIC) && defined(CONFIG_KASAN_STACK)
#define HOST_GUARDS_FRAMES
/* The kernel exports it for compiler-generated calls, and declares it nowhere. */
void __asan_set_shadow_00(const void *shadow, size_t size);
void host_frames_abandoned(unsigned long from, unsigned long to);
#else
static inline void host_frames_abandoned(unsigned long from, unsigned long to) {}
#endif

/* ---- reserved.c: text that the kernel patches or reads ---- */

int host_reserved_init(void);
void host_reserved_exit(void);
void host_jump_labels_lock(void);
void host_jump_labels_unlock(void);
const char *host_reserved(unsigned long start, unsigned long end);
const char *host_patched(unsigned long start, unsigned long end);
const struct exception_table_entry *host_exception_entry(unsigned long addr);
bool host_core_text(unsigned long addr);

/* ---- named.c: what names tell of places ---- */

bool host_builtin_blacklist(unsigned long addr);
int host_builtin_blacklist_each(int (*fn)(unsigned long start, unsigned long end));

/* ---- sites.c: where the function tracer has its calls ---- */

int host_sites_init(void);
void host_sites_lock(void);
void host_sites_unlock(void);
unsigned long host_site_at(unsigned long addr);
bool host_site_within(unsigned long start, unsigned long end);
unsigned long host_ftrace_location(unsigned long addr);
bool host_ftrace_within(unsigned long start, unsigned long end);

/* ---- foreign.c: bytes that another owner has written into text for a while ---- */

/* The built-in kprobes call it to prepare a probe for becoming a jump. */
#define HOST_BUILTIN_PREPARE	"arch_prepare_optimized_kprobe"

int host_foreign_init(void);
unsigned long host_builtin_address(const void *kprobe);
bool host_foreign_probe(unsigned long addr);
bool host_debugger_at(unsigned long addr);
bool host_foreign_within(unsigned long start, unsigned long end);
unsigned int host_foreign_size(unsigned long addr, const u8 *bytes);

/* ---- landings.c: places in text that are reached without a direct branch ---- */

/**
 * struct host_area - part of the address space
 * @start: first byte
 * @end: behind the last
 */
struct host_area {
	unsigned long start;
	unsigned long end;
};

/* From the first to the last of all pools of slots but our own text; other text may be between. */
extern struct host_area host_pools;

typedef void (*host_landing_fn)(void *data, unsigned long addr);

int host_landings_init(void);
bool host_has_fixup(unsigned long addr);
bool host_text_area(const struct module *mod, struct host_area *area);
bool host_each_fixup(const struct module *mod, host_landing_fn fn, void *data);
bool host_each_landing(const struct module *mod, host_landing_fn fn, void *data);
bool host_outside_all_text(unsigned long addr);

/* ---- sections.c: the sections and the text of modules ---- */

typedef void (*host_section_fn)(void *data, const char *name, const struct host_area *area);

int host_sections_init(void);
const char *host_section_at(unsigned long addr);
struct module *host_text_module_get(unsigned long addr, int *err);
struct module *host_text_module(unsigned long addr);
void host_each_text_section(host_section_fn fn, void *data);

/* ---- idle.c: what idle CPUs run ---- */

/* Two for each state that a driver can have. */
#define HOST_IDLE_FUNCTIONS	20

unsigned int host_idle_functions(unsigned long *functions);

/* ---- trap.c: the kernel's notifier chain for traps ---- */

int host_trap_init(notifier_fn_t fn);
int host_trap_each_before(int (*fn)(unsigned long addr));
void host_trap_exit(void);

/* ---- tracers.c: functions of the tracers, by name; NULL behind the last one ---- */

extern const char * const host_tracers_unguarded[];	/* and what they call */
extern const char * const host_tracers_guarded[];
extern const char * const host_tracers_of_notifiers[];
extern const char * const host_tracers_of_rcu[];
extern const char * const host_tracers_of_nmis[];
extern const char * const host_tracers_events[];		/* and what they call */

/* ---- ftrace.c, tracing.c, anchor.c: call sites of the function tracer; see also tracing.h ---- */

struct host_tracing;

int host_ftrace_arm(unsigned long *sites, unsigned int nr);
int host_ftrace_disarm(unsigned long *sites, unsigned int nr);
void host_ftrace_forget(void);
bool host_ftrace_keeps_sites(void);
int host_ftrace_redirectable(unsigned long site, const char **why);
void host_ftrace_let_go(void);
bool host_has_tracer(void);
struct host_tracing *host_tracing_start(void *data, unsigned long *sites, unsigned int nr);
int host_tracing_leave(struct host_tracing *tracing, unsigned long *sites, unsigned int nr);
int host_tracing_stop(struct host_tracing *tracing, unsigned long *sites, unsigned int nr);
void host_tracing_wait(void);
void host_ftrace_exit(void);
void host_ftrace_anchor(void);

#endif /* LKP_HOST_H */
