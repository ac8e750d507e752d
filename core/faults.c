// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault handlers.  The kernel has no hook for faults in kernel mode that a module can use,
 * but every fault that it can survive passes one function.  On some architectures that
 * function looks for a fixup; on others it returns an error if it cannot deal with the
 * fault.  While a kprobe with a fault_handler is registered, a probe of our own is there.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "core.h"
#include "dispatch.h"
#include "hit.h"
#include "return_hook.h"

static unsigned int nr_wanted;	/* guarded by kprobe_mutex */

/**
 * struct asked - the task in which a fault_handler runs on a CPU
 * @task: the task; NULL: there is none
 * @since: when it began
 * @pid: its number
 *
 * Killed there, it does not come back, and another one may live in its memory.
 */
struct asked {
	const struct task_struct *task;
	u64 since;
	pid_t pid;
};

static DEFINE_PER_CPU(struct asked, asked);

static bool is_current(const struct asked *asked)
{
	return asked->task == current && asked->since == current->start_boottime &&
	       asked->pid == current->pid;
}

/*
 * What a fault_handler causes is shown to none: that might never end, whether it faults itself or
 * executes an instruction with a probe that does.  Nor what an NMI causes that comes meanwhile.
 */
static int call_handler(struct kprobe *p, struct pt_regs *faulting, int trapnr)
{
	const struct asked before = *raw_cpu_ptr(&asked);
	kprobe_fault_handler_t fault_handler = READ_ONCE(p->fault_handler);
	int repaired;

	if (!fault_handler || kprobe_disabled(p) || is_current(&before))
		return 0;
	*raw_cpu_ptr(&asked) = (struct asked){ current, current->start_boottime, current->pid };
	repaired = fault_handler(p, faulting, trapnr);
	*raw_cpu_ptr(&asked) = before;
	return repaired;
}

static bool call_handlers(struct probe_point *pt, struct pt_regs *faulting, int trapnr)
{
	struct kprobe *p;

	if (hit_calls_nobody(pt))
		return false;
	for_each_hit_kprobe(p, pt)
		if (call_handler(p, faulting, trapnr))
			return true;
	return false;
}

/*
 * The copied instruction faulted, in the slot or behind a jump.  Handlers see it at the probe
 * point, with the interrupt state of that place.  If it is to run again, it runs in the same
 * copy, so that its post handlers follow.
 */
static bool fault_in_slot(struct probe_point *pt, struct pt_regs *faulting, int trapnr)
{
	unsigned long at = instruction_pointer(faulting);
	unsigned long irqs = arch_irq_state(faulting);
	bool guarded = arch_point_runs_guarded(pt, at);
	bool repaired;

	instruction_pointer_set(faulting, pt->addr);
	if (guarded)
		arch_set_irq_state(faulting, dispatch_guarded_irqs());
	repaired = call_handlers(pt, faulting, trapnr);
	if (instruction_pointer(faulting) == pt->addr || !repaired) {
		instruction_pointer_set(faulting, at);
		if (guarded)
			arch_set_irq_state(faulting, irqs);
	} else {
		arch_leave_jumps(faulting);
		if (guarded)
			dispatch_abandon();
	}
	return repaired;
}

/*
 * Faults are rare, so a search of all points is good enough.  A task may be in a detour that has
 * been given up since, be it for another one: the point that is there now is asked.
 */
static struct probe_point *point_running_at(unsigned long addr)
{
	unsigned long probed = arch_copied_in_detour(addr);
	struct probe_point *pt;

	if (probed)
		return table_find(probed);
	list_for_each_entry_lockless(pt, &points_list, all)
		if (arch_point_runs_at(pt, addr))
			return pt;
	return NULL;
}

/* An NMI may come amid a handler, and read memory that is not there. */
static bool fault_in_handler(struct kprobe *p, struct pt_regs *faulting, int trapnr)
{
	bool repaired = p->fault_handler && dispatch_faulted(!ARCH_FIXUP_RETURNS) &&
			call_handler(p, faulting, trapnr);

	if (repaired)
		arch_leave_jumps(faulting);
	return repaired;
}

static bool handled(struct pt_regs *faulting, int trapnr)
{
	struct probe_point *pt = point_running_at(instruction_pointer(faulting));
	struct kprobe *p = kprobe_running();

	if (pt)
		return fault_in_slot(pt, faulting, trapnr);
	return p && fault_in_handler(p, faulting, trapnr);
}

/* On entry of int fixup_exception(struct pt_regs *regs, ...): non-zero is "fixed". */
static int before_fixup(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)arch_argument(regs, 0);

	if (user_mode(faulting) || !handled(faulting, arch_fault_number(regs)))
		return 0;
	arch_return_from(regs, 1);
	return 1;
}

/* How many faults can be followed at a time, at least; tasks may sleep in them. */
#define NR_FOLLOWED	64

static int follow_fault(struct kprobe *p, struct pt_regs *regs);
static int after_fault(struct kretprobe_instance *ri, struct pt_regs *regs);

static struct kprobe fixup_probe = {
	.pre_handler = ARCH_FIXUP_RETURNS ? follow_fault : before_fixup,
};

static const struct return_user fixup_user = {
	.whose = &fixup_probe,
	.handler = after_fault,
	.data_size = sizeof(struct pt_regs *),
};

static struct return_hook *fixup_hook;	/* changed under kprobe_mutex */

/*
 * On entry of long function(struct pt_regs *regs, ...): follows only faults of ours.
 *
 * No guard keeps this out of after_fault(), where a pool's lock may be held: on ppc64 what counts
 * events interrupts that, reads a user's stack and faults.  So in an NMI no lock is taken.  The
 * instance that is ready is enough: when it is given back there is none that is, and no lock is
 * needed.  While another fault has it the kernel alone handles one in an NMI, as the manual says.
 * (No test: QEMU has no way to bring that interrupt at that place.)
 */
static int follow_fault(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs *faulting = (struct pt_regs *)arch_argument(regs, 0);
	unsigned long *slot = arch_return_slot(regs);
	struct return_call *ri;

	if (user_mode(faulting) ||
	    !(kprobe_running() || point_running_at(instruction_pointer(faulting))))
		return 0;
	ri = return_call_get(fixup_hook->pools);
	if (!ri && !in_nmi())
		ri = return_call_get_slowly(fixup_hook);
	if (!ri)
		return 0;
	return_call_describe(ri, return_address_of(*slot));
	*(struct pt_regs **)ri->public.data = faulting;
	return_call_arm(ri, *slot, slot, arch_return_frame(regs));
	return 0;
}

/* The function returns 0 if it has dealt with the fault. */
static int after_fault(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct pt_regs *faulting = *(struct pt_regs **)ri->data;

	if (arch_returned_value(regs) && handled(faulting, arch_fault_number(regs)))
		arch_set_returned_value(regs, 0);
	return 0;
}

/* To follow a call, the probe must be where the return address has not been moved yet. */
static unsigned long place_in(unsigned long start)
{
	return ARCH_FIXUP_RETURNS ? arch_entry_address(start) : address_behind_tracer(start);
}

static void end_hook(void)
{
	LIST_HEAD(ending);

	if (!fixup_hook)
		return;
	return_hook_leave(fixup_hook, &ending);
	return_hooks_destroy(&ending);
	fixup_hook = NULL;
}

static int place_probe(const char **why)
{
	unsigned long start = host_lookup(ARCH_FIXUP_FUNCTION);
	struct return_user user = fixup_user;
	struct return_hook *hook;
	int err;

	*why = "fault_handler is not supported on this kernel";
	if (!start)
		return -ENOENT;
	if (ARCH_FIXUP_RETURNS) {
		/* One is ready on each CPU, and others are there while it is in use. */
		user.nr = max(NR_FOLLOWED, 2 * (int)num_possible_cpus());
		hook = return_hook_create(&user, why);
		if (IS_ERR(hook))
			return PTR_ERR(hook);
		hook->internal = true;
		fixup_hook = hook;
	}
	fixup_probe.addr = (kprobe_opcode_t *)place_in(start);
	err = probe_add_internal(&fixup_probe);
	if (err)
		end_hook();
	return err;
}

/**
 * faults_want() - a kprobe with a fault_handler is being registered
 * @why: on error, the reason
 *
 * Context: kprobe_mutex held, sleeps.
 * Return: 0 or the error of placing our probe.
 */
int faults_want(const char **why)
{
	int err;

	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	err = nr_wanted ? 0 : place_probe(why);
	if (!err)
		nr_wanted++;
	return err;
}

/**
 * faults_unwant() - a kprobe with a fault_handler is being unregistered
 *
 * Context: kprobe_mutex held, sleeps.
 */
void faults_unwant(void)
{
	lockdep_assert_held(&kprobe_mutex);
	might_sleep();
	if (--nr_wanted)
		return;
	probe_remove_internal(&fixup_probe);
	end_hook();
}
