// SPDX-License-Identifier: GPL-2.0-only
/*
 * Following calls to their return, see return_hook.h.
 *
 * A pool on each CPU keeps the free instances, so that calls on different CPUs share no
 * data; only if its pool is empty does a CPU take from others.  One instance of a pool is
 * taken and returned without a lock, which is enough for repeated calls of a function.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../host/arch_host.h"
#include "../host/inject.h"
#include "core.h"
#include "dispatch.h"
#include "return_hook.h"
#include "return_private.h"

/* The owner of stubs that no instance has; it is never armed. */
static struct return_call no_owner;
LIST_HEAD(return_hooks_list);
DEFINE_MUTEX(return_hooks_mutex);

/* ---- pools ---- */

/*
 * Whoever holds the lock has interrupts off, and gives it back after a few instructions.  But an NMI may stop
 * that CPU within them: for good in a crash, or for as long as a debugger wants.  Then those who still run
 * come here, too, and must not wait for ever.  They wait longer than a hypervisor takes a CPU away, mostly,
 * and once for each pool.
 */
#define MAX_TRIES	(1u << 20)

static bool pool_lock(struct return_pool *pool)
{
	bool stuck = READ_ONCE(pool->stuck);
	unsigned int tries = stuck ? 1 : MAX_TRIES;

	if (inject_holds_locks())
		return false;
	while (!arch_spin_trylock(&pool->lock)) {
		if (!--tries) {
			if (!stuck)
				WRITE_ONCE(pool->stuck, true);
			return false;
		}
		cpu_relax();
	}
	if (unlikely(READ_ONCE(pool->stuck)))
		WRITE_ONCE(pool->stuck, false);
	return true;
}

static struct return_call *pool_take(struct return_pool *pool)
{
	struct return_call *ri;

	if (!READ_ONCE(pool->first) || !pool_lock(pool))
		return NULL;
	ri = pool->first;
	if (ri) {
		WRITE_ONCE(pool->first, ri->next);
		if (!pool->first)
			pool->last = &pool->first;
	}
	arch_spin_unlock(&pool->lock);
	return ri;
}

static bool pool_give(struct return_pool *pool, struct return_call *ri)
{
	ri->next = NULL;
	if (!pool_lock(pool))
		return false;
	/* That is first, if it is empty: see pool_take(). */
	WRITE_ONCE(*pool->last, ri);
	pool->last = &ri->next;
	arch_spin_unlock(&pool->lock);
	return true;
}

static struct return_call *pool_take_any(struct return_pool *pool)
{
	struct return_call *ri = READ_ONCE(pool->ready) ? xchg(&pool->ready, NULL) : NULL;

	return ri ?: pool_take(pool);
}

static struct return_call *steal(struct return_hook *hook)
{
	struct return_call *ri = NULL;
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids && !ri; cpu++)
		if (cpu_possible(cpu))
			ri = pool_take_any(per_cpu_ptr(hook->pools, cpu));
	return ri;
}

/**
 * return_call_get_slowly() - get an instance when none is ready on this CPU
 * @hook: the hook
 *
 * Context: as return_call_get().
 * Return: as return_call_get().
 */
struct return_call *return_call_get_slowly(struct return_hook *hook)
{
	return pool_take(raw_cpu_ptr(hook->pools)) ?: steal(hook);
}

/**
 * return_call_put_slowly() - give an instance back when one is ready already
 * @ri: the instance
 *
 * If nobody can get any pool's lock, it is lost until the hook ends.
 *
 * Context: as return_call_get().
 */
void return_call_put_slowly(struct return_call *ri)
{
	struct return_pool __percpu *pools = ri->hook->pools;
	bool given = pool_give(raw_cpu_ptr(pools), ri);
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids && !given; cpu++)
		if (cpu_possible(cpu))
			given = pool_give(per_cpu_ptr(pools, cpu), ri);
}

/* ---- returns ---- */

/* @offset is that of a stub in our text. Often a stub is as large as a pointer to an owner. */
static __always_inline struct return_call *own_owner(unsigned long offset)
{
	if (sizeof(return_stub_owners[0]) != ARCH_RETURN_STUB_SIZE)
		offset = offset / ARCH_RETURN_STUB_SIZE * sizeof(return_stub_owners[0]);
	return READ_ONCE(*(struct return_call **)((void *)return_stub_owners + offset));
}

/**
 * return_call_at() - the instance whose stub is at an address
 * @addr: any address; within the stub will do
 *
 * Context: any.
 * Return: the instance; NULL if no instance has a stub there.
 */
struct return_call *return_call_at(unsigned long addr)
{
	struct return_call *ri, **owner;

	if (!return_address_is_stub(addr))
		return NULL;
	owner = return_stub_owner(addr);
	ri = owner ? READ_ONCE(*owner) : NULL;
	return ri == &no_owner ? NULL : ri;
}

/**
 * return_address_of_stub() - return_address_of() for what may be a stub
 * @addr: an address found on a stack
 *
 * Context: any.
 * Return: @addr itself, unless it is a stub.
 */
unsigned long return_address_of_stub(unsigned long addr)
{
	struct return_call *ri;

	while ((ri = return_call_at(addr)))
		addr = READ_ONCE(ri->ret_addr);
	return addr;
}

/* No call is followed for so many users; an NMI can wait for so many steps. */
#define MAX_STUBS_OF_CALL	1024

/**
 * return_address_behind() - the real return address behind stubs, if they are those of a call
 * @addr: an address found on a stack
 * @frame: which call that is, as arch_return_frame() says
 *
 * A stub that is left of another call is not believed.  If the task runs meanwhile, what is found
 * may be out of date, as all of its stack.
 *
 * Context: any, NMI too; preemption off.
 * Return: @addr itself, unless it is a stub of that call.
 */
unsigned long return_address_behind(unsigned long addr, unsigned long frame)
{
	struct return_call *ri;
	unsigned long behind;
	unsigned int i;

	/* Who frees instances waits for this, and not for tasks that are preempted. */
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && preemptible());
	/* Those of a task that runs may seem to form a cycle. */
	for (i = 0; i < MAX_STUBS_OF_CALL; i++) {
		ri = return_call_at(addr);
		if (!ri || return_call_frame(ri) != frame)
			break;
		behind = READ_ONCE(ri->ret_addr);
		/* Rather a stub than the caller of another task. */
		if (!return_call_is_still(ri, frame))
			break;
		addr = behind;
	}
	return addr;
}

/**
 * return_address_behind_call() - as return_address_behind(), where the frame is not known
 * @task: whose stack the address was found on
 * @addr: the address
 * @frame: if it was a stub, set to where the call is on the stack
 *
 * For who follows records of calls: these have no leftovers, unless the task runs meanwhile.
 *
 * Context: any, NMI too; preemption off.
 * Return: @addr itself, unless it is the stub of a call of this task.
 */
unsigned long return_address_behind_call(const struct task_struct *task, unsigned long addr,
					 unsigned long *frame)
{
	struct return_call *ri = return_call_at(addr);
	unsigned long which = ri ? return_call_frame(ri) : 0;

	if (!which || READ_ONCE(ri->public.task) != task)
		return addr;
	*frame = which;
	return return_address_behind(addr, which);
}

static void print_stray(const struct late_note *note)
{
	pr_err("a function returned to %pS more often than it was called, in %s (%s): no handler is run\n",
	       note->addr, note->task, note->how);
}

static struct late_note stray = { .print = print_stray };

static void complain(struct return_call *ri)
{
	late_note(&stray, (void *)return_address_of(ri->ret_addr),
		  return_call_is_pending(ri) ? "from elsewhere on the stack" : "twice");
}

static __always_inline void call_exit(struct return_call *ri, const struct return_exit *exit,
				      struct pt_regs *regs)
{
	/* Races with setting the flag, which does not wait for readers. */
	if (likely(!(data_race(*READ_ONCE(exit->flags)) & RETURN_EXIT_OFF)))
		exit->call(exit->owner, ri->entry_ip, (unsigned long)ri->public.ret_addr, regs,
			   exit->has_data ? ri->public.data : NULL);
}

static __always_inline void call_handler(struct return_call *ri, const struct return_hook *hook,
					 struct pt_regs *regs)
{
	kretprobe_handler_t handler = READ_ONCE(hook->handler);

	if (handler)
		handler(&ri->public, regs);
	else
		call_exit(ri, &hook->exit, regs);
}

static void run_return(struct return_call *ri, unsigned long frame, struct pt_regs *regs)
{
	struct return_hook *hook = ri->hook;

	instruction_pointer_set(regs, return_address_of(ri->ret_addr));
	if (return_call_frame(ri) != frame) {
		/* Races with retract(), which may undo the stub of a hook that ends. */
		if (!READ_ONCE(hook->closed))
			complain(ri);
		return;
	}
	if (!hook->internal)
		dispatch_running(READ_ONCE(hook->whose));
	call_handler(ri, hook, regs);
	return_call_put(ri);
}

/*
 * Also runs the stubs that a stub stands for, the last one first.  The first handler's call ends
 * the first instance, so a trace that a later one takes could not go through that stub:
 * therefore the real address is in its place before.
 */
static noinline void run_slowly(struct pt_regs *regs)
{
	struct kprobe *before = raw_cpu_read(hit_state.running);
	unsigned long addr = arch_returned_stub(regs);
	bool taken = dispatch_take();
	struct return_call *ri;

	/* The guard may be held for a guarded instruction that has faulted, not for a handler. */
	if (taken)
		handlers_enter();
	else
		raise_preempt_count();
	arch_return_to(regs, return_address_of(addr));
	while ((ri = return_call_at(addr))) {
		addr = ri->ret_addr;
		run_return(ri, arch_returned_frame(regs), regs);
	}
	arch_return_to(regs, addr);
	if (taken) {
		handlers_leave(arch_irq_state(regs));
		dispatch_done();
		return;
	}
	lower_preempt_count();
	if (dispatch_busy())
		dispatch_running(before);
}

/* Is the frame the expected one, and the return address no other stub? */
static __always_inline bool is_plain(const struct return_call *ri, unsigned long frame)
{
	/* Races only with RETURN_SUSPECT being set, which run_slowly() deals with. */
	return data_race(ri->frame) == frame &&
	       ri->ret_addr == (unsigned long)ri->public.ret_addr;
}

static __always_inline void run(struct return_call *ri, struct pt_regs *regs)
{
	struct return_hook *hook;
	unsigned long addr;

	if (unlikely(dispatch_busy() || !is_plain(ri, arch_returned_frame(regs)))) {
		run_slowly(regs);
		return;
	}
	addr = ri->ret_addr;
	hook = ri->hook;
	dispatch_begin(READ_ONCE(hook->whose));
	handlers_enter();
	instruction_pointer_set(regs, addr);
	arch_return_to(regs, addr);
	call_handler(ri, hook, regs);
	return_call_put(ri);
	handlers_leave(arch_irq_state(regs));
	dispatch_done();
}

/* Not inline: the others need no registers for the search. */
static noinline void run_added(struct pt_regs *regs)
{
	run(READ_ONCE(*return_stub_owner(arch_returned_stub(regs))), regs);
}

/**
 * return_hooks_run() - a call that is followed has returned, to a stub
 * @regs: registers of the return; ip is within the stub
 *
 * Context: that of the function, but with interrupts off; called from the
 * architecture's trampoline, which restores the interrupt flag from @regs.
 */
asmlinkage void return_hooks_run(struct pt_regs *regs)
{
	unsigned long offset = arch_returned_stub(regs) - (unsigned long)arch_return_stubs;

	if (unlikely(offset >= RETURN_STUBS_OWN_SIZE))
		run_added(regs);
	else
		run(own_owner(offset), regs);
}

/* ---- stubs and hooks ---- */

/*
 * A leftover of the stub on a stack may lead traces to the instance, at once.  So from here on it
 * may only be freed after return_hook_forget() and a grace period.
 */
static void publish_stub(struct return_call *ri)
{
	lockdep_assert_held(&return_hooks_mutex);
	/* They depend on the address. */
	smp_store_release(return_stub_owner(ri->stub), ri);
}

static int no_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static void free_hook(struct return_hook *hook)
{
	free_percpu(hook->pools);
	kvfree(hook->instances);
	kfree(hook);
}

static struct return_hook *alloc_hook(const struct return_user *user)
{
	struct return_hook *hook = kzalloc(sizeof(*hook), GFP_KERNEL);

	if (!hook)
		return NULL;
	hook->nr = user->nr;
	hook->size = ALIGN(sizeof(struct return_call) + user->data_size, SMP_CACHE_BYTES);
	hook->instances = inject_failure() ? NULL : kvcalloc(hook->nr, hook->size, GFP_KERNEL);
	hook->pools = inject_failure() ? NULL : alloc_percpu(struct return_pool);
	if (hook->instances && hook->pools)
		return hook;
	free_hook(hook);
	return NULL;
}

static void init_pools(struct return_hook *hook)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct return_pool *pool = per_cpu_ptr(hook->pools, cpu);

		pool->ready = NULL;
		pool->lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
		pool->first = NULL;
		pool->last = &pool->first;
	}
}

static void init_call(struct return_call *ri, struct return_hook *hook, struct kretprobe *rp)
{
	ri->hook = hook;
	ri->pools = hook->pools;
	ri->public.rp = rp;
}

/* Nobody can find an instance by its stub yet. */
static int take_stubs(struct return_hook *hook, const char **why)
{
	int err = return_stubs_reserve(hook->nr, why);
	unsigned int i;

	for (i = 0; i < hook->nr && !err; i++)
		return_hook_nth(hook, i)->stub = return_stub_take();
	return err;
}

static void fill_pools(struct return_hook *hook, struct kretprobe *rp)
{
	int cpu = cpumask_first(cpu_possible_mask);
	unsigned int i;

	init_pools(hook);
	for (i = 0; i < hook->nr; i++) {
		struct return_call *ri = return_hook_nth(hook, i);
		struct return_pool *pool = per_cpu_ptr(hook->pools, cpu);

		init_call(ri, hook, rp);
		publish_stub(ri);
		/* From the beginning: an NMI may not look further, see follow_fault(). */
		if (!pool->ready)
			pool->ready = ri;
		else
			pool_give(pool, ri);
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
	}
}

/*
 * At the end of the trampoline the instance is free already, and its task may be preempted.
 * Where nobody can wait for that, the trampoline has to stay.
 */
static void keep_trampoline(void)
{
	static bool kept;

	lockdep_assert_held(&return_hooks_mutex);
	if (host_waits_for_preempted() || ARCH_RETURN_IS_MASKED || kept)
		return;
	kept = true;
	__module_get(THIS_MODULE);
	pr_info("a return is probed: the module can't be unloaded on this kernel\n");
}

static struct return_hook *create(const struct return_user *user, const char **why)
{
	struct return_hook *hook;
	int err;

	hook = alloc_hook(user);
	if (!hook) {
		*why = "no memory for so many instances, ask for fewer";
		return ERR_PTR(-ENOMEM);
	}
	hook->handler = user->exit.call ? NULL : user->handler ?: no_handler;
	hook->exit = user->exit;
	hook->whose = user->whose;
	mutex_lock(&return_hooks_mutex);
	err = take_stubs(hook, why);
	if (!err) {
		fill_pools(hook, user->rp);
		list_add_tail(&hook->list, &return_hooks_list);
		keep_trampoline();
	}
	mutex_unlock(&return_hooks_mutex);
	if (err) {
		free_hook(hook);
		return ERR_PTR(err);
	}
	return hook;
}

/**
 * return_hook_create() - create a hook with its instances
 * @user: what it is for
 * @why: on error, the reason
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: the hook; ERR_PTR(-ENOMEM); ERR_PTR(-ENOSPC) if all hooks together would need too
 * many stubs; or an error of traces_hold_stubs().
 */
struct return_hook *return_hook_create(const struct return_user *user, const char **why)
{
	struct return_hook *hook;
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	/* Until its last stub is on no stack any more, whoever uses it or not. */
	err = traces_hold_stubs();
	if (err) {
		*why = "live patching would trust a stack with a stub on it";
		return ERR_PTR(err);
	}
	hook = create(user, why);
	if (IS_ERR(hook)) {
		traces_release();
		traces_settle();
	}
	return hook;
}

/**
 * return_hook_forget() - let no trace find the instances of a hook by their stubs any more
 * @hook: a drained hook; it is freed after host_wait_for_unpreempted(), which waits also for
 *	who has found one, with preemption off
 *
 * Context: return_hooks_mutex held.
 */
void return_hook_forget(struct return_hook *hook)
{
	unsigned int i;

	lockdep_assert_held(&return_hooks_mutex);
	for (i = 0; i < hook->nr; i++)
		WRITE_ONCE(*return_stub_owner(return_hook_nth(hook, i)->stub), &no_owner);
}

/**
 * return_hook_free() - free a hook and its stubs
 * @hook: a drained hook, whose stubs no return reaches any more, and no trace
 *
 * Context: return_hooks_mutex held, sleeps.
 */
void return_hook_free(struct return_hook *hook)
{
	unsigned int i;

	lockdep_assert_held(&return_hooks_mutex);
	might_sleep();
	for (i = 0; i < hook->nr; i++)
		return_stub_give(return_hook_nth(hook, i)->stub);
	free_hook(hook);
	traces_release();
}

/**
 * return_hook_set_handler() - replace the handler for calls that return from now on
 * @hook: a hook that has no struct return_exit
 * @handler: the new handler, or NULL
 *
 * The old one may still be running on another CPU.
 *
 * Context: process context.
 */
void return_hook_set_handler(struct return_hook *hook, kretprobe_handler_t handler)
{
	WRITE_ONCE(hook->handler, handler ?: no_handler);
}

/**
 * return_hook_of() - the hook that was created for a kprobe, and not left
 * @whose: as in struct return_user
 *
 * Context: process context, sleeps.
 * Return: the hook; it stays until its user leaves it. NULL if there is none.
 */
struct return_hook *return_hook_of(const struct kprobe *whose)
{
	struct return_hook *hook, *found = NULL;

	might_sleep();
	mutex_lock(&return_hooks_mutex);
	list_for_each_entry(hook, &return_hooks_list, list)
		if (hook->whose == whose)
			found = hook;
	mutex_unlock(&return_hooks_mutex);
	return found;
}

/**
 * return_hook_end_exit() - stop calls of a struct return_exit whose owner goes
 * @hook: the hook; nothing is called for it any more once host_wait_for_preempted()
 *	has returned
 *
 * Context: process context.
 */
void return_hook_end_exit(struct return_hook *hook)
{
	static const unsigned int off = RETURN_EXIT_OFF;

	WRITE_ONCE(hook->exit.flags, &off);
}

/**
 * return_hook_leave() - begin to retire a hook: its handler is not called any more
 * @hook: the hook
 * @ending: list to move it to, for return_hooks_destroy()
 *
 * Context: process context, sleeps.
 */
void return_hook_leave(struct return_hook *hook, struct list_head *ending)
{
	might_sleep();
	WRITE_ONCE(hook->closed, true);
	WRITE_ONCE(hook->handler, no_handler);
	WRITE_ONCE(hook->whose, GUARD_HELD);
	mutex_lock(&return_hooks_mutex);
	list_move_tail(&hook->list, ending);
	mutex_unlock(&return_hooks_mutex);
}

/* Those of probes that are being unregistered.  By kprobe_mutex and return_hooks_mutex. */
static LIST_HEAD(leaving);

/**
 * return_hook_leave_later() - retire a hook when its probe is unregistered: return_hooks_close()
 * @hook: the hook; no probe finds it any more
 *
 * Context: kprobe_mutex held, sleeps.
 */
void return_hook_leave_later(struct return_hook *hook)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	mutex_lock(&return_hooks_mutex);
	list_move_tail(&hook->list, &leaving);
	mutex_unlock(&return_hooks_mutex);
}

/**
 * return_hooks_close() - begin to retire the hooks of probes that have been unregistered
 * @ending: list to move them to, for return_hooks_destroy()
 *
 * Context: kprobe_mutex held since return_hook_leave_later(), sleeps.
 */
void return_hooks_close(struct list_head *ending)
{
	struct return_hook *hook, *next;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(hook, next, &leaving, list)
		return_hook_leave(hook, ending);
}

/**
 * return_hooks_init() - describe the stubs
 *
 * Return: 0 or -ENOMEM.
 */
int return_hooks_init(void)
{
	return return_stubs_init(&no_owner);
}

/**
 * return_hooks_exit() - free the stubs, when no hook is left
 *
 * Context: process context, sleeps.
 */
void return_hooks_exit(void)
{
	return_retire_exit();
	return_stubs_exit();
}
