// SPDX-License-Identifier: GPL-2.0-only
/*
 * Following calls to their return, see return_hook.h.
 *
 * A pool on each CPU keeps the free instances, so that calls on different
 * CPUs write to nothing in common; only an empty pool looks at the others.  One
 * of them is taken and given back without a lock: it serves a function that is
 * called again and again.
 *
 * A hook that ends takes its stubs off the stacks of the tasks that are still
 * inside: with all CPUs stopped, the real return addresses are put back.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stop_machine.h>
#include <linux/workqueue.h>

#include "../host/arch_host.h"
#include "../host/inject.h"
#include "core.h"
#include "dispatch.h"
#include "return_hook.h"

/* A stub that no instance has leads to one that was never armed. */
static struct return_call nobody;
static struct return_call *owners[ARCH_NR_RETURN_STUBS];
static unsigned long *stubs_used;
static LIST_HEAD(hooks);
static DEFINE_MUTEX(hooks_mutex);

/* ---- pools ---- */

static struct return_call *pool_take(struct return_pool *pool)
{
	struct return_call *ri;

	if (!READ_ONCE(pool->first))
		return NULL;
	arch_spin_lock(&pool->lock);
	ri = pool->first;
	if (ri) {
		pool->first = ri->next;
		if (!pool->first)
			pool->last = &pool->first;
	}
	arch_spin_unlock(&pool->lock);
	return ri;
}

static void pool_give(struct return_pool *pool, struct return_call *ri)
{
	ri->next = NULL;
	arch_spin_lock(&pool->lock);
	*pool->last = ri;
	pool->last = &ri->next;
	arch_spin_unlock(&pool->lock);
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
 * @hook: whose
 *
 * Context: as return_call_get().
 * Return: as return_call_get().
 */
struct return_call *return_call_get_slowly(struct return_hook *hook)
{
	return pool_take(raw_cpu_ptr(hook->pools)) ?: steal(hook);
}

/**
 * return_call_put_slowly() - give an instance back when there is one ready
 * @ri: the instance
 *
 * Context: as return_call_get().
 */
void return_call_put_slowly(struct return_call *ri)
{
	pool_give(raw_cpu_ptr(ri->hook->pools), ri);
}

/* ---- the way back ---- */

/* Of a stub's own address. Often a stub is as large as a pointer to an owner. */
static __always_inline struct return_call *owner_of(unsigned long stub)
{
	unsigned long offset = stub - (unsigned long)arch_return_stubs;

	if (sizeof(owners[0]) != ARCH_RETURN_STUB_SIZE)
		offset = offset / ARCH_RETURN_STUB_SIZE * sizeof(owners[0]);
	return READ_ONCE(*(struct return_call **)((void *)owners + offset));
}

/* An address within it will do. */
static unsigned long nr_of_stub(unsigned long addr)
{
	return (addr - (unsigned long)arch_return_stubs) / ARCH_RETURN_STUB_SIZE;
}

static struct return_call *call_at(unsigned long addr)
{
	struct return_call *ri;

	if (!return_address_is_stub(addr))
		return NULL;
	ri = READ_ONCE(owners[nr_of_stub(addr)]);
	return ri == &nobody ? NULL : ri;
}

static bool is_pending(const struct return_call *ri)
{
	return READ_ONCE(ri->frame);
}

static unsigned long frame_of(const struct return_call *ri)
{
	return READ_ONCE(ri->frame) & ~RETURN_SUSPECT;
}

/**
 * return_address_of() - where a return to this address ends up
 * @addr: an address found on a stack
 *
 * Context: any.
 * Return: @addr itself, unless it is a stub.
 */
unsigned long return_address_of(unsigned long addr)
{
	struct return_call *ri;

	while ((ri = call_at(addr)))
		addr = READ_ONCE(ri->ret_addr);
	return addr;
}

static void complain(struct return_call *ri)
{
	static bool once;

	if (READ_ONCE(once))
		return;
	once = true;
	pr_err("a function returned to %pS more often than it was called, in %s (%s): no handler is run\n",
	       (void *)return_address_of(ri->ret_addr), current->comm,
	       is_pending(ri) ? "from elsewhere on the stack" : "twice");
}

static __always_inline void call_exit(struct return_call *ri, const struct return_exit *exit,
				      struct pt_regs *regs)
{
	/* Setting the flag does not wait for those who read it here. */
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
	if (frame_of(ri) != frame) {
		/* One that ends may have been taken off the stack between return and stub. */
		if (!READ_ONCE(hook->closed))
			complain(ri);
		return;
	}
	if (!hook->internal)
		dispatch_running(hook->whose);
	call_handler(ri, hook, regs);
	return_call_put(ri);
}

/* Stubs that stand for stubs are run in the same go, last one first. */
static noinline void run_slowly(struct pt_regs *regs)
{
	struct kprobe *before = raw_cpu_read(hit_state.running);
	unsigned long addr = arch_returned_stub(regs);
	bool taken = dispatch_take();
	struct return_call *ri;

	if (taken)
		handlers_enter();
	while ((ri = call_at(addr))) {
		addr = ri->ret_addr;
		run_return(ri, arch_returned_frame(regs), regs);
	}
	arch_return_to(regs, addr);
	if (taken) {
		handlers_leave(arch_irq_state(regs));
		dispatch_done();
	} else if (dispatch_busy()) {
		dispatch_running(before);
	}
}

/* Has it returned from where it was called, to where nobody else follows a call? */
static __always_inline bool is_plain(const struct return_call *ri, unsigned long frame)
{
	/* Only a mark may come in between, and then it is looked at again, slowly. */
	return data_race(ri->frame) == frame &&
	       ri->ret_addr == (unsigned long)ri->public.ret_addr;
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
	struct return_call *ri = owner_of(arch_returned_stub(regs));
	struct return_hook *hook;
	unsigned long addr;

	if (unlikely(dispatch_busy() || !is_plain(ri, arch_returned_frame(regs)))) {
		run_slowly(regs);
		return;
	}
	addr = ri->ret_addr;
	hook = ri->hook;
	dispatch_begin(hook->whose);
	handlers_enter();
	instruction_pointer_set(regs, addr);
	arch_return_to(regs, addr);
	call_handler(ri, hook, regs);
	return_call_put(ri);
	handlers_leave(arch_irq_state(regs));
	dispatch_done();
}

/* ---- stubs and hooks ---- */

static int take_stub(struct return_call *ri)
{
	unsigned long nr = find_first_zero_bit(stubs_used, ARCH_NR_RETURN_STUBS);

	if (nr >= ARCH_NR_RETURN_STUBS || inject_failure())
		return -ENOSPC;
	__set_bit(nr, stubs_used);
	ri->stub = (unsigned long)arch_return_stubs + nr * ARCH_RETURN_STUB_SIZE;
	WRITE_ONCE(owners[nr], ri);
	return 0;
}

static void give_stub(struct return_call *ri)
{
	unsigned long nr = nr_of_stub(ri->stub);

	WRITE_ONCE(owners[nr], &nobody);
	__clear_bit(nr, stubs_used);
}

static struct return_call *nth_call(struct return_hook *hook, unsigned int i)
{
	return hook->instances + i * hook->size;
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

static int fill_pools(struct return_hook *hook, struct kretprobe *rp)
{
	int cpu = cpumask_first(cpu_possible_mask);
	unsigned int i;

	init_pools(hook);
	for (i = 0; i < hook->nr; i++) {
		struct return_call *ri = nth_call(hook, i);

		if (take_stub(ri)) {
			while (i--)
				give_stub(nth_call(hook, i));
			return -ENOSPC;
		}
		init_call(ri, hook, rp);
		pool_give(per_cpu_ptr(hook->pools, cpu), ri);
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
	}
	return 0;
}

/**
 * return_hook_create() - make a hook with its instances
 * @user: what it is to be
 *
 * Context: process context, sleeps.
 * Return: the hook; ERR_PTR(-ENOMEM), or ERR_PTR(-ENOSPC) if no stubs are left.
 */
struct return_hook *return_hook_create(const struct return_user *user)
{
	struct return_hook *hook;
	int err;

	might_sleep();
	hook = alloc_hook(user);
	if (!hook)
		return ERR_PTR(-ENOMEM);
	hook->handler = user->exit.call ? NULL : user->handler ?: no_handler;
	hook->exit = user->exit;
	hook->whose = user->whose;
	mutex_lock(&hooks_mutex);
	err = fill_pools(hook, user->rp);
	if (!err)
		list_add_tail(&hook->list, &hooks);
	mutex_unlock(&hooks_mutex);
	if (err) {
		free_hook(hook);
		return ERR_PTR(err);
	}
	return hook;
}

/* ---- ending: instances that are still on a stack ---- */

static unsigned int count_busy(struct return_hook *hook)
{
	unsigned int i, busy = 0;

	for (i = 0; i < hook->nr; i++)
		busy += is_pending(nth_call(hook, i));
	return busy;
}

/*
 * Is the task that is at this address now the one that called?  Task and stack
 * of one that died soon are another's, often both the same one's, which was
 * born later.  A thread that execs becomes as old as its process.
 */
static bool is_on_stack_of(const struct return_call *ri, struct task_struct *task)
{
	unsigned long stack = (unsigned long)task_stack_page(task);

	return READ_ONCE(task->__state) != TASK_DEAD && task->start_time <= ri->born &&
	       stack && frame_of(ri) - stack < THREAD_SIZE;
}

/* An idle task is on no list, and always lives. */
static bool is_idle(const struct return_call *ri)
{
	return ri->task_flags & PF_IDLE;
}

/* Whoever stops the machine is not where its stack was left last. */
static bool is_running(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

static bool is_alive(const struct return_call *ri)
{
	struct task_struct *leader, *task;
	bool alive = is_idle(ri);

	rcu_read_lock();
	for_each_process_thread(leader, task) {
		if (task == ri->public.task) {
			alive = is_on_stack_of(ri, task);
			goto out;
		}
	}
out:
	rcu_read_unlock();
	return alive;
}

/* Would a return to this address come by this instance? */
static bool leads_to(unsigned long addr, const struct return_call *ri)
{
	const struct return_call *at = call_at(addr);
	unsigned int i;

	/* What is left of old calls may lead in a circle. */
	for (i = 0; at && i < ARCH_NR_RETURN_STUBS; i++) {
		if (at == ri)
			return true;
		at = call_at(at->ret_addr);
	}
	return false;
}

/*
 * If this instance's stub is in that word, or behind stubs of others there, undo it.
 * Returns false if it is there and cannot be undone.
 */
static bool retract_from(struct return_call *ri, unsigned long *word, bool *found)
{
	struct return_call *at = call_at(arch_return_in(word)), *next;
	unsigned int i;

	if (at == ri) {
		*found = true;
		return arch_replace_return(ri->public.task, frame_of(ri), word, ri->ret_addr);
	}
	for (i = 0; at && i < ARCH_NR_RETURN_STUBS; i++, at = next) {
		next = call_at(at->ret_addr);
		if (next == ri) {
			at->ret_addr = ri->ret_addr;
			*found = true;
			break;
		}
	}
	return true;
}

/* A single copy of its address that stays is enough for the call to come by the stub. */
static bool retract_one(struct return_call *ri)
{
	struct task_struct *task = ri->public.task;
	unsigned long *word, *end;
	bool found = false;
	unsigned int nr;

	for (nr = 0; arch_return_words(task, frame_of(ri), nr, &word, &end); nr++)
		for (; word < end; word++)
			if (!retract_from(ri, word, &found))
				return false;
	return found;
}

/*
 * The function was left in another way, and nobody will come by the stub: it
 * is nowhere on the part of the stack that is in use, not in the registers of
 * an interrupted return either, nor could another tracer have put it aside.
 */
static bool is_abandoned(const struct return_call *ri)
{
	unsigned long *word, *end;

	if (is_idle(ri) || is_running(ri->public.task) ||
	    host_keeps_return_addresses(ri->public.task))
		return false;
	word = (unsigned long *)arch_task_stack_pointer(ri->public.task);
	end = task_stack_page(ri->public.task) + THREAD_SIZE;
	for (; word < end; word++)
		if (leads_to(arch_return_in(word), ri))
			return false;
	return true;
}

/* With all CPUs stopped no stack changes, and none of a living task goes away. */
static int retract(void *data)
{
	struct return_hook *hook = data;
	unsigned int i;

	for (i = 0; i < hook->nr; i++) {
		struct return_call *ri = nth_call(hook, i);

		if (!is_pending(ri) || !is_alive(ri))
			continue;
		if (retract_one(ri) || is_abandoned(ri))
			ri->frame = 0;
	}
	return 0;
}

/*
 * The mark is in the word that every use of the instance writes.  As long as it
 * is there, what has been read of the instance is of one and the same call.
 */
static bool mark_if_dead(struct return_call *ri)
{
	unsigned long frame = READ_ONCE(ri->frame);

	if (!frame || cmpxchg(&ri->frame, frame, frame | RETURN_SUSPECT) != frame)
		return false;
	if (!is_alive(ri))
		return true;
	cmpxchg(&ri->frame, frame | RETURN_SUSPECT, frame & ~RETURN_SUSPECT);
	return false;
}

/* If it still has the mark: no return has come by. */
static void free_if_marked(struct return_call *ri, bool to_pool)
{
	unsigned long frame = READ_ONCE(ri->frame);
	struct handler_context ctx;
	bool guarded;

	if (!(frame & RETURN_SUSPECT) || cmpxchg(&ri->frame, frame, 0) != frame || !to_pool)
		return;
	guarded = dispatch_guard(&ctx);
	return_call_put(ri);
	dispatch_unguard(guarded, &ctx);
}

/*
 * Whose task is not found has exited.  Within its last steps it is on no list
 * and may still return: that is waited for, and then it is looked for again.
 */
static bool give_up_dead(struct return_hook *hook, bool to_pool)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < hook->nr; i++)
		found |= mark_if_dead(nth_call(hook, i));
	if (!found)
		return false;
	host_wait_for_preempted();
	for (i = 0; i < hook->nr; i++)
		free_if_marked(nth_call(hook, i), to_pool);
	return true;
}

/* Every return that is under way in the trampoline ends by itself: soon. */
static void drain(struct return_hook *hook)
{
	while (count_busy(hook)) {
		stop_machine(retract, hook, NULL);
		give_up_dead(hook, false);
		if (count_busy(hook))
			usleep_range(1000, 2000);
	}
}

static void free_stubs(struct return_hook *hook)
{
	unsigned int i;

	for (i = 0; i < hook->nr; i++)
		give_stub(nth_call(hook, i));
}

/**
 * return_hooks_destroy() - end hooks
 * @ending: linked by return_hook_leave(); nothing leads to them any more, as
 *	their probes are unregistered
 *
 * Tasks that are inside a function go on, and return as if nothing had been.
 *
 * Context: process context, sleeps.
 */
void return_hooks_destroy(struct list_head *ending)
{
	struct return_hook *hook, *next;

	if (list_empty(ending))
		return;
	mutex_lock(&hooks_mutex);
	list_for_each_entry(hook, ending, list)
		drain(hook);
	mutex_unlock(&hooks_mutex);
	/* The trampoline may still be looking at what it has just freed. */
	host_wait_for_preempted();
	mutex_lock(&hooks_mutex);
	list_for_each_entry_safe(hook, next, ending, list) {
		free_stubs(hook);
		free_hook(hook);
	}
	mutex_unlock(&hooks_mutex);
}

/**
 * return_hook_set_handler() - have another handler called for calls that return from now on
 * @hook: a hook that has no struct return_exit
 * @handler: the handler; NULL: none
 *
 * The one before may still be running on another CPU.
 *
 * Context: process context.
 */
void return_hook_set_handler(struct return_hook *hook, kretprobe_handler_t handler)
{
	WRITE_ONCE(hook->handler, handler ?: no_handler);
}

/**
 * return_hook_end_exit() - a hook outlives the owner of its struct return_exit
 * @hook: the hook; nothing is called for it any more once all CPUs have passed through
 *	host_wait_for_preempted()
 *
 * Context: process context.
 */
void return_hook_end_exit(struct return_hook *hook)
{
	static const unsigned int off = RETURN_EXIT_OFF;

	WRITE_ONCE(hook->exit.flags, &off);
}

/**
 * return_hook_leave() - a hook is going to end: its handler runs no more
 * @hook: the hook
 * @ending: where to link it, for return_hooks_destroy()
 *
 * Context: process context, sleeps.
 */
void return_hook_leave(struct return_hook *hook, struct list_head *ending)
{
	WRITE_ONCE(hook->closed, true);
	WRITE_ONCE(hook->handler, no_handler);
	mutex_lock(&hooks_mutex);
	list_move_tail(&hook->list, ending);
	mutex_unlock(&hooks_mutex);
}

/* ---- tasks that ended inside a function ---- */

/* What asks for it may itself be followed and miss an instance: not without a pause. */
#define REAP_DELAY	msecs_to_jiffies(100)

static bool reap_wanted;

static void reap(struct work_struct *work)
{
	struct return_hook *hook;

	WRITE_ONCE(reap_wanted, false);
	mutex_lock(&hooks_mutex);
	list_for_each_entry(hook, &hooks, list)
		give_up_dead(hook, true);
	mutex_unlock(&hooks_mutex);
}

static DECLARE_DELAYED_WORK(reap_work, reap);

static void queue_reap(struct irq_work *unused)
{
	schedule_delayed_work(&reap_work, REAP_DELAY);
}

static DEFINE_IRQ_WORK(reap_trigger, queue_reap);

/**
 * return_hooks_reap_soon() - an instance was missing: maybe tasks have died with some
 *
 * Context: any.
 */
void return_hooks_reap_soon(void)
{
	if (!READ_ONCE(reap_wanted) && !xchg(&reap_wanted, true))
		irq_work_queue(&reap_trigger);
}

/**
 * return_hooks_init() - make ready for hooks
 *
 * Return: 0 or -ENOMEM.
 */
int return_hooks_init(void)
{
	unsigned int i;

	stubs_used = inject_failure() ? NULL : bitmap_zalloc(ARCH_NR_RETURN_STUBS, GFP_KERNEL);
	if (!stubs_used)
		return -ENOMEM;
	for (i = 0; i < ARCH_NR_RETURN_STUBS; i++)
		owners[i] = &nobody;
	return 0;
}

/**
 * return_hooks_exit() - end, when no hook is left
 */
void return_hooks_exit(void)
{
	irq_work_sync(&reap_trigger);
	cancel_delayed_work_sync(&reap_work);
	bitmap_free(stubs_used);
}
