// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stack traces through what we put on stacks.
 *
 * Who follows a stack asks the kernel's ftrace_graph_ret_addr() of each return address, since
 * the function graph tracer replaces some.  So do we.  While any of ours may be on a stack,
 * the calls of that function are calls of ours, which answers for our addresses and hands on
 * all others:
 *
 *	the stub of a followed call	the return address that it stands for
 *	a detour, called from there	a place in our text that is described as if it had pushed
 *					what a detour has: arch_detour_frame()
 *
 * Where the kernel has a walk along stacks that hands addresses on, its calls are replaced
 * instead, or as well: walk.c, and what the architecture brings.
 *
 * Who prints a stack asks __kernel_text_address() before, of every word.  There, too, we answer.
 *
 * Nothing else of the unwinder is touched: what is behind the address it finds by itself.  It
 * checks that by itself, too, so a wrong answer is a wrong trace, and no wild access.
 *
 * It is asked in any context, also in an NMI on top of anything here, and for tasks that run
 * meanwhile.  So the answer takes no lock, and reads nothing of the stack.  Of a stub it
 * reads the owner, and of that the frame and the address: return_address_behind().  Of a detour it
 * reads which pool of slots has the address; pools are freed when the module goes.
 *
 * A call is replaced by a call: nothing has to be saved or executed elsewhere, no task can be in
 * the middle, and no probe point is needed, which others would find or count.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/llist.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "core.h"
#include "return_hook.h"

#ifdef ARCH_TRACES

/**
 * struct trace_site - a call that we replace
 * @theirs: the call as the kernel has it
 * @ours: what we write there
 * @placed: that is in the text
 * @last: see struct traces_call
 * @must: it is in a function of arch_traces_must[]
 */
struct trace_site {
	struct text_edit theirs;
	struct text_edit ours;
	bool placed;
	bool last;
	bool must;
};

#define MAX_SITES	24

/* Some may be added, but for placed each is written once: by find_all(). */
static struct trace_site sites[MAX_SITES];
static unsigned int nr_sites;
static bool may_have_missed;		/* there may be calls that are not in sites[] */
static bool missed_must;		/* such ones in functions of arch_traces_must[] */
static bool found_must;			/* there is one of those in sites[] */

static DEFINE_MUTEX(traces_mutex);
static atomic_t holders;		/* raised under traces_mutex, lowered anywhere */
static bool pinned;			/* by traces_mutex: we hold a reference to ourselves */
static bool ever_placed;		/* by traces_mutex: CPUs may be in our function */
static unsigned int many;		/* by traces_mutex: how many tasks are holding many */
static bool all_placed;			/* by traces_mutex: all were when we looked last */

/* For the code that is called: where detours are, and what else has an answer. */
struct traces_known traces_known;

static void visit(struct work_struct *work);
static DECLARE_DELAYED_WORK(visit_work, visit);

#define VISIT_DELAY	HZ

/* ---- the calls ---- */

static void missed(bool must)
{
	may_have_missed = true;
	missed_must |= must;
}

static bool is_known(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < nr_sites; i++)
		if (sites[i].theirs.addr == addr)
			return true;
	return false;
}

static void add_site(unsigned long addr, const u8 *bytes, unsigned int len,
		     const struct traces_call *call, bool must)
{
	struct trace_site *site = &sites[nr_sites];

	if (is_known(addr))
		return;
	/* One that is found late may have a probe of ours already. */
	if (nr_sites == MAX_SITES || len > sizeof(site->theirs.bytes) || table_find(addr)) {
		missed(must);
		return;
	}
	*site = (struct trace_site){
		.theirs = { .addr = addr, .len = len },
		.last = call->last,
		.must = must,
	};
	memcpy(site->theirs.bytes, bytes, len);
	site->ours = site->theirs;
	if (!arch_traces_make_call(&site->ours, call->ours)) {
		missed_must |= must;
		return;
	}
	found_must |= must;
	/* Who asks for the sites takes no lock. */
	smp_store_release(&nr_sites, nr_sites + 1);
}

#define MAX_CALLED	5

/* Where calls of a function lead, if not to its beginning. */
#ifndef arch_called_at
#define arch_called_at(addr)	(addr)
#endif

/* A compiler may have moved a part of a function into one of its own. */
#define NR_PARTS	(1 + HOST_NR_MADE)

static unsigned long look_up_part(const char *name, unsigned int part)
{
	return part ? host_lookup_made(name, part - 1) : host_lookup(name);
}

/* Where the functions are that are called: each look-up may be a search through all symbols. */
static void look_up(unsigned long called[MAX_CALLED])
{
	unsigned int i, part;
	unsigned long addr;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < MAX_CALLED && arch_traces_calls[i].theirs; i++) {
		for (addr = 0, part = 0; part < NR_PARTS && !addr; part++)
			addr = look_up_part(arch_traces_calls[i].theirs, part);
		called[i] = addr ? arch_called_at(addr) : 0;
	}
}

static const struct traces_call *call_for(unsigned long target,
					  const unsigned long called[MAX_CALLED])
{
	unsigned int i;

	for (i = 0; i < MAX_CALLED; i++)
		if (target && called[i] == target)
			return &arch_traces_calls[i];
	return NULL;
}

/* Bytes that another tool has changed are not known: calls behind them may be missed. */
static void find_sites(unsigned long start, unsigned long size, const unsigned long *called,
		       bool must)
{
	const struct traces_call *call;
	struct text_walk walk;
	struct arch_step step;
	unsigned long at;

	lockdep_assert_held(&kprobe_mutex);
	text_walk_begin(&walk, start, start + size);
	while (walk.at < walk.end) {
		at = walk.at;
		if (text_walk_step(&walk, &step)) {
			missed(must);
			return;
		}
		call = call_for(step.target, called);
		if (call)
			add_site(at, walk.bytes + (at - walk.from), step.length, call, must);
	}
}

/* With the calls. */
static void find_in_parts(const char *asker, const unsigned long *called, bool must)
{
	unsigned int i, found = nr_sites;
	unsigned long start, addr, size;

	for (i = 0; i < NR_PARTS && nr_sites == found; i++) {
		addr = look_up_part(asker, i);
		/* A module may have a function of that name, and may go. */
		if (host_core_text(addr) && host_symbol_bounds(addr, &start, &size))
			find_sites(start, size, called, must);
	}
}

static bool is_among(const char *name, const char * const *names)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static unsigned long found_at;		/* jiffies */

static void find_all(void)
{
	unsigned long called[MAX_CALLED] = { };
	const char * const *asker;

	lockdep_assert_held(&kprobe_mutex);
	found_at = jiffies;
	may_have_missed = missed_must = false;
	look_up(called);
	if (!called[0] || !host_can_poke())
		return;
	for (asker = arch_traces_askers; *asker; asker++)
		find_in_parts(*asker, called, is_among(*asker, arch_traces_must));
}

/*
 * A built-in probe that was about to be armed when we wrote writes back theirs in the end.  Anybody
 * else's breakpoint will leave ours.
 */
static bool is_still_placed(const struct trace_site *site)
{
	return site->placed &&
	       !host_text_is(site->theirs.addr, site->theirs.bytes, site->theirs.len);
}

static int blacklist_from(unsigned int nr)
{
	int err = 0;

	for (; nr < nr_sites && !err; nr++)
		err = blacklist_add_hooked(sites[nr].theirs.addr,
					   sites[nr].theirs.addr + sites[nr].theirs.len);
	return err;
}

/* Who had changed the text may have gone. */
static void find_missed(void)
{
	unsigned int nr = nr_sites;

	lockdep_assert_held(&kprobe_mutex);
	mutex_lock(&traces_mutex);
	if (may_have_missed && time_after(jiffies, found_at + HZ)) {
		find_all();
		if (blacklist_from(nr)) {
			missed(true);
			/* As above; none of them is in the text yet. */
			smp_store_release(&nr_sites, nr);
		}
	}
	mutex_unlock(&traces_mutex);
}

static int place_site(struct trace_site *site)
{
	int err = is_still_placed(site) ? 0 : host_text_poke(&site->ours, site->theirs.bytes);

	site->placed = !err;
	ever_placed |= site->placed;
	return err;
}

/* Returns whether all are there. */
static bool place_those(bool last, int *must)
{
	bool all = !may_have_missed;
	unsigned int i;
	int err;

	lockdep_assert_held(&traces_mutex);
	for (i = 0; i < nr_sites; i++) {
		if (sites[i].last != last)
			continue;
		err = place_site(&sites[i]);
		all &= !err;
		if (sites[i].must && err)
			*must = err;
	}
	return all;
}

/* Returns an error if a call is not ours that must be. */
static int place(void)
{
	int must = 0;

	all_placed = place_those(false, &must) && place_those(true, &must);
	return must;
}

static bool take_back_site(struct trace_site *site)
{
	site->placed = is_still_placed(site) && host_text_poke(&site->theirs, site->ours.bytes);
	return !site->placed;
}

/*
 * Returns false if somebody has changed the text since: then our function must stay, and all
 * others if it is one that came last.
 */
static bool take_back(void)
{
	unsigned int i;
	bool all = true;

	lockdep_assert_held(&traces_mutex);
	all_placed = false;
	for (i = 0; i < nr_sites; i++)
		if (sites[i].last && sites[i].placed)
			all &= take_back_site(&sites[i]);
	if (!all)
		return false;
	for (i = 0; i < nr_sites; i++)
		if (sites[i].placed)
			all &= take_back_site(&sites[i]);
	return all;
}

/* A built-in probe on the call itself has a copy of it.  That is waited for, for any time. */
static void visit(struct work_struct *work)
{
	mutex_lock(&traces_mutex);
	if (atomic_read(&holders) || take_back()) {
		pinned = false;
		module_put(THIS_MODULE);
	} else {
		schedule_delayed_work(&visit_work, VISIT_DELAY);
	}
	mutex_unlock(&traces_mutex);
}

/* ---- answers ---- */

/* More turns than tracers follow one call; a task that runs may seem to have more. */
#define MAX_BEHIND	16

/* Others may have replaced the address before us, or after, or between two of ours. */
static unsigned long behind_all(struct task_struct *task, int *idx, unsigned long addr,
				unsigned long *word)
{
	struct llist_node *rethook = NULL;
	unsigned long before;
	unsigned int i;

	for (i = 0; i < MAX_BEHIND; i++) {
		before = addr;
		addr = return_address_behind(addr, (unsigned long)word);
		addr = host_foreign_return(task, addr, word, idx, &rethook);
		if (addr == before)
			break;
	}
	return addr;
}

/* The word may be a copy that the function itself has made, for unwinders. */
static unsigned long behind_copy(const struct task_struct *task, unsigned long addr)
{
	unsigned long frame;

	addr = return_address_behind_call(task, addr, &frame);
	return return_address_is_stub(addr) ? 0 : addr;
}

/**
 * traces_return_address() - in place of ftrace_graph_ret_addr(): for what may be ours
 * @task: whose stack it is
 * @idx: how far into the graph tracer's list the walk is; handed on
 * @addr: the return address found
 * @word: where it was found; may not be read
 *
 * Context: any, NMI too.
 * Return: the real return address; @addr itself if that is not known to be another. 0 for a stub of
 * ours that is not known, where an unwinder would take it for the address of a caller.
 */
asmlinkage unsigned long traces_return_address(struct task_struct *task, int *idx,
					       unsigned long addr, unsigned long *word)
{
	/* Instances are freed after a grace period, see return_hook_forget(). */
	preempt_disable_notrace();
	addr = behind_all(task, idx, addr, word);
	if (ARCH_TRACES_TRUSTS_STUBS && return_address_is_stub(addr))
		addr = behind_copy(task, addr);
	preempt_enable_notrace();
	return arch_traces_return(addr);
}

/**
 * traces_may_know() - is traces_return_address() worth a call
 * @addr: a return address found on a stack
 *
 * Context: any, NMI too.
 * Return: false if that would return @addr.
 */
bool traces_may_know(unsigned long addr)
{
	return return_address_is_stub(addr) || addr == traces_known.foreign[0] ||
	       addr == traces_known.foreign[1] || traces_in_area(addr);
}

/**
 * traces_is_text() - in place of __kernel_text_address(): is a word on a stack text
 * @addr: the word
 *
 * Context: any, NMI too.
 * Return: not 0 also for what is in a detour or a stub, which traces_return_address() is asked for
 * next, and for what is in a slot, where slots are described.
 */
asmlinkage int traces_is_text(unsigned long addr)
{
	bool is_run = false;

	return (host_slot_around(addr, &is_run) && (is_run || arch_traces_slots())) ||
	       return_address_is_stub(addr) || host_is_text(addr);
}

/* ---- when ---- */

/*
 * Both are read without a lock: what is in the area before and after is in it between the two
 * writes, too.
 */
static void note_runs(void)
{
	struct host_area runs;

	lockdep_assert_held(&traces_mutex);
	host_runs(&runs);
	WRITE_ONCE(traces_known.size, runs.end - runs.start);
	/*
	 * The area grows only: with the size first it never lacks a part of what it had.  Pairs
	 * with the acquire in traces_in_area().
	 */
	smp_store_release(&traces_known.start, runs.start);
}

static int hold(bool with_errors)
{
	int err = 0;

	mutex_lock(&traces_mutex);
	atomic_inc(&holders);
	note_runs();
	if (with_errors || !many || !all_placed)
		err = place();
	mutex_unlock(&traces_mutex);
	return err;
}

/**
 * traces_begin_many() - the caller is about to hold many things
 *
 * The calls are looked at when the first is held, and at the end once more, not for each.
 *
 * Context: as traces_hold().  traces_end_many() follows, in the same task or another.
 */
void traces_begin_many(void)
{
	might_sleep();
	mutex_lock(&traces_mutex);
	many++;
	all_placed = false;
	mutex_unlock(&traces_mutex);
}

/**
 * traces_end_many() - it has held them
 *
 * Context: as traces_hold().
 */
void traces_end_many(void)
{
	might_sleep();
	mutex_lock(&traces_mutex);
	many--;
	if (atomic_read(&holders))
		place();
	mutex_unlock(&traces_mutex);
}

/**
 * traces_hold() - something of ours may be on a stack from now on, but no stub
 *
 * If a call can't be replaced, traces end where they meet us, and those that must be complete
 * say that they are not.  So that is no error; it is tried again at the next one.
 *
 * Context: process context, sleeps; for lock order above text_mutex.
 */
void traces_hold(void)
{
	might_sleep();
	hold(false);
}

/**
 * traces_hold_again() - as traces_hold(), right behind a call of that
 *
 * The calls have just been looked at.
 *
 * Context: any, while what traces_hold() was called for is held.
 */
void traces_hold_again(void)
{
	atomic_inc(&holders);
}

/**
 * traces_hold_stubs() - stubs may be on stacks from now on
 *
 * It is live patching that trusts traces.  Who has changed a call, as a built-in probe on it does,
 * will go, so that is an error on kernels without live patching, too.
 *
 * A live patch of a function of arch_traces_must[] itself would make its trace past us, and is not
 * noticed.  On x86-64 with ORC that has none: there a stub ends a reliable trace.  (No test: of
 * the other kernels that tests run on none has live patches.)
 *
 * Context: as traces_hold(), kprobe_mutex held.
 * Return: 0; or an error if a trace that must be reliable could have a stub in it, and nothing is
 * held: that of host_text_poke(), or -EOPNOTSUPP if the call is not known.
 */
int traces_hold_stubs(void)
{
	int err;

	might_sleep();
	find_missed();
	err = hold(true);
	if (!err && IS_ENABLED(CONFIG_LIVEPATCH) && arch_traces_must[0] &&
	    (missed_must || !found_must))
		err = -EOPNOTSUPP;
	if (err) {
		traces_release();
		traces_settle();
	}
	return err;
}

/**
 * traces_release() - undo traces_hold(), when it is on no stack any more
 *
 * traces_settle() is to be called some time afterwards.
 *
 * Context: any, also while text is being changed.
 */
void traces_release(void)
{
	atomic_dec(&holders);
}

/**
 * traces_settle() - put the calls back if nothing of ours can be on a stack any more
 *
 * Context: as traces_hold().
 */
void traces_settle(void)
{
	might_sleep();
	mutex_lock(&traces_mutex);
	if (!atomic_read(&holders) && !take_back() && !pinned) {
		__module_get(THIS_MODULE);
		pinned = true;
		schedule_delayed_work(&visit_work, VISIT_DELAY);
	}
	mutex_unlock(&traces_mutex);
}

/**
 * traces_each_site() - go through the instructions that we may replace
 * @fn: called with each, as a range of text; an error ends the walk
 *
 * Context: any.
 * Return: 0 or the error of @fn.
 */
int traces_each_site(int (*fn)(unsigned long start, unsigned long end))
{
	/* Pairs with the release in add_site(): one that is counted is filled in. */
	unsigned int i, nr = smp_load_acquire(&nr_sites);
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = fn(sites[i].theirs.addr, sites[i].theirs.addr + sites[i].theirs.len);
	return err;
}

/**
 * traces_within() - may we replace an instruction in a range of text
 * @start: first byte
 * @end: behind the last
 *
 * A jump over such an instruction would take a copy of what is there at the moment.
 *
 * Context: any.
 */
bool traces_within(unsigned long start, unsigned long end)
{
	/* As above. */
	unsigned int i, nr = smp_load_acquire(&nr_sites);

	for (i = 0; i < nr; i++)
		if (sites[i].theirs.addr < end &&
		    start < sites[i].theirs.addr + sites[i].theirs.len)
			return true;
	return false;
}

/**
 * traces_init() - find the calls to be replaced
 *
 * Context: process context, sleeps.
 * Return: 0; it is no error if there are none. An error of traces_walk_init().
 */
int traces_init(void)
{
	int err;

	might_sleep();
	err = traces_walk_init();
	if (err)
		return err;
	/* Once, as who follows a stack reads them. */
	host_foreign_trampolines(traces_known.foreign);
	mutex_lock(&kprobe_mutex);
	find_all();
	mutex_unlock(&kprobe_mutex);
	if (!nr_sites)
		pr_info("stack traces %s\n", arch_traces_without);
	return 0;
}

/**
 * traces_exit() - wait until no CPU is in our function
 *
 * Tasks can be preempted in it, where a stack is printed.
 *
 * Context: process context, sleeps.
 */
void traces_exit(void)
{
	bool all;

	might_sleep();
	cancel_delayed_work_sync(&visit_work);
	do {
		mutex_lock(&traces_mutex);
		all = take_back();
		mutex_unlock(&traces_mutex);
		if (!all)
			msleep(50);
	} while (!all);
	/* Who settled meanwhile, without a reference to us, may have queued it anew. */
	cancel_delayed_work_sync(&visit_work);
	if (ever_placed)
		host_wait_for_preempted();
	traces_walk_exit();
	arch_traces_end();
}

#endif /* ARCH_TRACES */
