/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Following a function call to its return, for every kind of probe on a return.
 *
 * On entry the return address, on the stack or in a register, is replaced by the
 * address of a stub.  Every instance has a stub of its own, so the address alone says which
 * call returns: nothing has to be looked up, and no list is kept.
 */
#ifndef LKP_RETURN_HOOK_H
#define LKP_RETURN_HOOK_H

#include <linux/atomic.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "../host/arch_host.h"
#include "core.h"
#include "dispatch.h"
#include "return_stubs.h"

/**
 * struct return_call - one call that is followed
 * @frame: which call on the stack it is, see arch_return_frame(); 0 if the instance
 *	is free. The lowest bit is RETURN_SUSPECT.
 * @ret_addr: the return address that @stub replaces; may be the stub of another instance
 * @stub: the address that replaces the return address
 * @hook: the hook that it belongs to
 * @pools: the pools of @hook
 * @born: start_time of the task that called
 * @pid: its number, which is 0 for idle tasks
 * @entry_ip: the entry that was called, for a struct return_exit
 * @next: in a pool's queue
 * @public: what handlers see, with the kind's data at the end; its ret_addr is
 *	never a stub
 *
 * The others are valid from before @frame is set until after it is reset.
 */
struct return_call {
	unsigned long frame;
	unsigned long ret_addr;
	unsigned long stub;
	struct return_hook *hook;
	struct return_pool __percpu *pools;
	u64 born;
	pid_t pid;
	unsigned long entry_ip;
	struct return_call *next;
	struct kretprobe_instance public;
};

/* In return_call's frame: the task was not found. Each use of the instance resets it. */
#define RETURN_SUSPECT	1ul

/**
 * struct return_pool - free instances of one hook on one CPU
 * @ready: the instance for the next call. Only this CPU stores one here, with
 *	interrupts off and the guard held; any CPU may take it.
 * @lock: guards @first and @last
 * @stuck: nobody could get it, for long
 * @first: queue of the other instances, oldest first
 * @last: the next pointer of the last one
 */
struct return_pool {
	struct return_call *ready;
	arch_spinlock_t lock;
	bool stuck;
	struct return_call *first;
	struct return_call **last;
};

/**
 * struct return_exit - a client's function that is called directly at a return
 * @call: called with @owner, the entry, the address it returns to, the registers, and
 *	the instance's data or NULL; NULL if it is not used
 * @owner: the owner of the function
 * @flags: the flags of @owner; with RETURN_EXIT_OFF set nothing is called
 * @has_data: the data is passed to @call
 *
 * The types are those of the public interface, since a kernel that checks indirect calls
 * compares them.  @call is called without a wrapper, which would cost each return
 * more than it is worth.
 */
struct return_exit {
	fprobe_exit_cb call;
	struct fprobe *owner;
	const unsigned int *flags;
	bool has_data;
};

#define RETURN_EXIT_OFF	1

/**
 * struct return_user - what return_hook_create() is asked for
 * @whose: what kprobe_running() returns while its handler runs
 * @rp: the rp of the instances that its handler sees, or NULL
 * @handler: called when a call that is followed returns; regs as the caller
 *	will find them, ip the address it returns to; may be NULL
 * @exit: called instead of @handler
 * @nr: how many calls it can follow at a time
 * @data_size: bytes of data in each instance
 */
struct return_user {
	struct kprobe *whose;
	struct kretprobe *rp;
	kretprobe_handler_t handler;
	struct return_exit exit;
	unsigned int nr;
	size_t data_size;
};

/**
 * struct return_hook - follows the calls of one user
 * @handler: as in struct return_user; NULL: see @exit
 * @exit: as there
 * @whose: as there
 * @pools: the free instances, by CPU
 * @internal: a hook of our own, whose handler runs even if the guard is held, and may
 *	abandon the hit that holds it
 *
 * The rest is private to return_hook.c, return_retire.c and return_retract.c.
 */
struct return_hook {
	kretprobe_handler_t handler;
	struct return_exit exit;
	struct kprobe *whose;
	struct return_pool __percpu *pools;
	bool internal;
	unsigned int nr;
	size_t size;
	void *instances;
	bool closed;
	unsigned int kept;
	unsigned int looks;
	struct list_head list;
};

struct return_hook *return_hook_create(const struct return_user *user, const char **why);
void return_hook_set_handler(struct return_hook *hook, kretprobe_handler_t handler);
struct return_hook *return_hook_of(const struct kprobe *whose);
void return_hook_end_exit(struct return_hook *hook);
void return_hook_leave(struct return_hook *hook, struct list_head *ending);
void return_hook_leave_later(struct return_hook *hook);
void return_hooks_close(struct list_head *ending);
void return_hooks_destroy(struct list_head *ending);
struct return_call *return_call_get_slowly(struct return_hook *hook);
void return_call_put_slowly(struct return_call *ri);
unsigned long return_address_of_stub(unsigned long addr);
unsigned long return_address_behind(unsigned long addr, unsigned long frame);
unsigned long return_address_behind_call(const struct task_struct *task, unsigned long addr,
					 unsigned long *frame);
void return_hooks_reap_soon(void);

int return_hooks_init(void);
void return_hooks_exit(void);

/**
 * return_address_of() - the real return address behind stubs
 * @addr: an address found on a stack
 *
 * Context: any.
 * Return: @addr itself, unless it is a stub.
 */
static __always_inline unsigned long return_address_of(unsigned long addr)
{
	return unlikely(return_address_may_be_stub(addr)) ? return_address_of_stub(addr) : addr;
}

/**
 * return_call_get() - get an instance for a call that begins
 * @pools: the pools of the hook
 *
 * Context: a probe handler, or other code that holds the guard, interrupts off.
 * Return: the instance, or NULL: then call return_call_get_slowly().
 */
static __always_inline struct return_call *return_call_get(struct return_pool __percpu *pools)
{
	return xchg(&raw_cpu_ptr(pools)->ready, NULL);
}

/**
 * return_call_put() - give an instance back
 * @ri: from return_call_get(); not on any stack
 *
 * Context: as return_call_get().
 */
static __always_inline void return_call_put(struct return_call *ri)
{
	struct return_pool __percpu *pools = ri->pools;

	WRITE_ONCE(ri->frame, 0);
	if (unlikely(!arch_cpu_word_is_null(pools->ready))) {
		return_call_put_slowly(ri);
		return;
	}
	/*
	 * Any CPU may take it from there.  All that was read of it, by the handler, too, comes
	 * before that CPU's writes: a barrier between stores would not be enough.
	 */
	arch_cpu_word_release(pools->ready, ri);
}

/**
 * return_call_describe() - fill in what handlers may read
 * @ri: from return_call_get()
 * @addr: where the function will really return to
 *
 * Context: as return_call_get().
 */
static __always_inline void return_call_describe(struct return_call *ri, unsigned long addr)
{
	struct task_struct *task = current;

	ri->public.ret_addr = (kprobe_opcode_t *)addr;
	/* Who looks for the callers of pending calls may still be looking at the call before. */
	WRITE_ONCE(ri->public.task, task);
	WRITE_ONCE(ri->born, task->start_time);
	WRITE_ONCE(ri->pid, task->pid);
}

/**
 * return_call_arm() - replace the return address by the stub
 * @ri: from return_call_get(), described
 * @addr: the return address, maybe a stub
 * @slot: where it is, as arch_return_slot() says at the function's first instruction
 * @frame: as arch_return_frame() says there
 *
 * Context: as return_call_get().
 */
static __always_inline void return_call_arm(struct return_call *ri, unsigned long addr,
					    unsigned long *slot, unsigned long frame)
{
	/* As may who follows a stack. */
	WRITE_ONCE(ri->ret_addr, addr);
	/*
	 * Orders the other members before frame: if frame is set they are valid.  The stub comes
	 * after it, or a trace that an NMI takes between the two could not go through the stub.
	 * On this CPU, that is: on others the stub may show first, and a trace of a task that runs
	 * ends there.  If the task comes to another CPU, the scheduler has ordered both.
	 * Who takes stubs back stops all CPUs, so it never finds the one without the other.
	 */
	smp_store_release(&ri->frame, frame);
	WRITE_ONCE(*slot, arch_return_stub_for(ri->stub, frame));
}

#endif /* LKP_RETURN_HOOK_H */
