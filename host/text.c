// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only place that writes text, through text_window.c.  Text that CPUs may be running is changed by
 * host_text_change() and host_text_replace(), under the kernel's locks for changes
 * of text.  Memory that no CPU runs yet, or any more, is written by
 * host_text_write().
 *
 * During a write the page is mapped a second time: text_window.c. The mapping that runs stays
 * read-only, so no mapping is ever both writable and executable.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/vmalloc.h>

#include "arch_host.h"
#include "host.h"
#include "imports_c.h"
#include "inject.h"
#include "text_window.h"

/* Guards the edits of a change that is under way. */
static DEFINE_MUTEX(change_mutex);
static struct text_edit pieces[HOST_TEXT_PIECE];

static bool emulated = true;
static bool may_keep_stale = true;	/* see write_twice() */

/*
 * Who may be running what is written: nobody; any CPU; or, as all other CPUs are stopped, only what
 * interrupts these nevertheless, and traps, which sees all of an edit or nothing.
 */
enum text_use { TEXT_UNUSED, TEXT_LIVE, TEXT_STOPPED };

/*
 * The set of CPUs may not change between a write and the sync after it.  If
 * stop_machine_cpuslocked() is not available, stop_machine() takes cpus_read_lock()
 * itself, so that lock can't be held around it.
 */
static bool keeps_cpus(void)
{
	return import_has(stop_machine_cpuslocked);
}

/* Takes the locks in the kernel's order. */
static void begin_change(void)
	__acquires(&change_mutex)
{
	host_builtin_lock();
	if (keeps_cpus())
		cpus_read_lock();
	host_text_lock();
	mutex_lock(&change_mutex);
	__acquire(&change_mutex);
}

static void end_change(void)
	__releases(&change_mutex)
{
	__release(&change_mutex);
	mutex_unlock(&change_mutex);
	host_text_unlock();
	if (keeps_cpus())
		cpus_read_unlock();
	host_builtin_unlock();
}

static void write_and_note(void *alias, const struct text_edit *edits, unsigned int nr)
{
	unsigned int i;

	text_window_store(alias, edits, nr);
	for (i = 0; i < nr; i++)
		arch_text_written(edits[i].addr, edits[i].len);
}

/* A write during which all other CPUs are stopped. */
struct stopped_write {
	void *alias;
	const struct text_edit *edits;
	unsigned int nr;
	bool at_once;
	atomic_t arrived;
	bool done;
};

static int write_now(const struct stopped_write *write)
{
	const struct text_edit *edit = write->edits;

	if (!write->at_once)
		write_and_note(write->alias, edit, write->nr);
	else if (!arch_store_at_once(write->alias + offset_in_page(edit->addr), edit))
		return -EOPNOTSUPP;
	return 0;
}

/* Runs on every CPU at the same time; the first to arrive waits for all, and then writes. */
static int write_stopped(void *data)
{
	struct stopped_write *write = data;
	unsigned long flags = arch_hold_nmis();
	int err = 0;

	if (atomic_inc_return(&write->arrived) == 1) {
		while (atomic_read(&write->arrived) < num_online_cpus())
			cpu_relax();
		err = write_now(write);
		/* Pairs with the acquire below: a CPU that sees this sees the new text. */
		smp_store_release(&write->done, true);
	} else {
		/* Pairs with the release above. */
		while (!smp_load_acquire(&write->done))
			cpu_relax();
	}
	arch_sync_core(NULL);
	arch_release_nmis(flags);
	return err;
}

static bool all_are_safe_live(const struct text_edit *edits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!arch_edit_is_safe_live(&edits[i]))
			return false;
	return true;
}

/* Writers of text that other CPUs may run hold the locks of begin_change(). */
static int stop_others_and_write(struct stopped_write *write)
{
	lockdep_assert_held(&change_mutex);
	if (keeps_cpus())
		return import_stop_machine_cpuslocked(write_stopped, write, cpu_online_mask);
	return stop_machine(write_stopped, write, cpu_online_mask);
}

/*
 * A workaround for emulated processors; real ones do not need it.  QEMU's TCG with
 * a thread for each CPU drops its translation of the old bytes just before a store
 * to them.  If another CPU translates the bytes again at that moment, it keeps the
 * old ones until the next store to them, and so do all CPUs.  They would hit a trap that has been
 * removed, again and again, for ever.  Where there is but one CPU that can't be.
 *
 * So there is a next store.  On a kernel without preemption a task that hits such a trap never gives
 * way: none may be in our place before that store.
 */
static void write_twice(void *alias, const struct text_edit *edits, unsigned int nr)
{
	preempt_disable();
	write_and_note(alias, edits, nr);
	host_text_sync();
	write_and_note(alias, edits, nr);
	preempt_enable();
}

static int write_alias(void *alias, const struct text_edit *edits, unsigned int nr,
		       enum text_use use)
{
	struct stopped_write write = {
		.alias = alias, .edits = edits, .nr = nr, .at_once = use == TEXT_STOPPED,
	};

	/*
	 * A CPU that runs the new bytes has to find what they lead to: the point in the table, the
	 * slot, the detour.  All of that has been written before.  There is nothing to pair with:
	 * what a CPU reads behind an instruction, it reads after it has fetched that.
	 */
	smp_wmb();
	if (use == TEXT_STOPPED || (use == TEXT_LIVE && !all_are_safe_live(edits, nr)))
		return stop_others_and_write(&write);
	if (use == TEXT_LIVE && may_keep_stale)
		write_twice(alias, edits, nr);
	else
		write_and_note(alias, edits, nr);
	return 0;
}

/* A hypervisor may drop writes to text pages: compare through the mapping that runs. */
static int verify_bytes(unsigned long addr, const u8 *bytes, unsigned int len)
{
	if (host_text_is(addr, bytes, len))
		return 0;
	pr_err("write to text at %pS had no effect\n", (void *)addr);
	return -EIO;
}

static int verify(const struct text_edit *edits, unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = verify_bytes(edits[i].addr, edits[i].bytes, edits[i].len);
	return err;
}

static int write_some(const struct text_edit *edits, unsigned int nr, enum text_use use)
{
	void *alias;
	int done, err;

	done = text_window_open(edits, nr, use == TEXT_UNUSED, &alias);
	if (done < 0)
		return done;
	err = write_alias(alias, edits, done, use);
	text_window_close(alias);
	return err ?: verify(edits, done) ?: done;
}

static int write_all(const struct text_edit *edits, unsigned int nr, enum text_use use)
{
	int done = 0;

	text_window_lock();
	while (nr && done >= 0) {
		done = write_some(edits, nr, use);
		if (done > 0) {
			edits += done;
			nr -= done;
		}
		cond_resched_tasks_rcu_qs();
	}
	text_window_unlock();
	return done < 0 ? done : 0;
}

/*
 * Who follows what CPUs run, as perf does with the traces of processors, needs the bytes of
 * every time.  An edit is announced before it is written: until the sync after it,
 * CPUs run the old bytes or the new ones, and a trap among them is in the trace itself.
 */
static void announce_bytes(unsigned long addr, const u8 *bytes, unsigned int len)
{
	if (import_has(perf_event_text_poke))
		import_perf_event_text_poke((void *)addr, (void *)addr, len, bytes, len);
}

static void announce(const struct text_edit *edits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		announce_bytes(edits[i].addr, edits[i].bytes, edits[i].len);
}

/**
 * host_text_write() - write to executable memory that no CPU runs yet, or any more
 * @edits: the edits
 * @nr: how many
 *
 * An edit of one byte, or of four aligned ones, is a single store.
 *
 * Context: process context, may sleep.
 * Return: 0; -ENOMEM; -EFAULT if an address is not text, -EIO if a write had no
 * effect.  On error the edits before the failing group have been made.
 */
int host_text_write(const struct text_edit *edits, unsigned int nr)
{
	might_sleep();
	announce(edits, nr);
	return write_all(edits, nr, TEXT_UNUSED);
}

/* Of one page. */
static int write_code(unsigned long addr, const u8 *code, unsigned int len)
{
	const struct text_edit first = { .addr = addr, .len = 1 };
	void *alias;
	int done;

	done = text_window_open(&first, 1, true, &alias);
	if (done < 0)
		return done;
	/* As in write_alias(). */
	smp_wmb();
	text_window_store_code(alias + offset_in_page(addr), code, len);
	arch_text_written(addr, len);
	text_window_close(alias);
	return verify_bytes(addr, code, len);
}

/**
 * host_text_write_code() - host_text_write() of any number of bytes in a row
 * @addr: where
 * @code: the bytes
 * @len: how many
 *
 * Context: process context, may sleep.
 * Return: as host_text_write().
 */
int host_text_write_code(unsigned long addr, const u8 *code, unsigned int len)
{
	unsigned int done;
	int err = 0;

	might_sleep();
	announce_bytes(addr, code, len);
	text_window_lock();
	for (; len && !err; addr += done, code += done, len -= done) {
		done = min_t(unsigned long, len, PAGE_SIZE - offset_in_page(addr));
		err = write_code(addr, code, done);
	}
	text_window_unlock();
	/* Many detours may follow one another. */
	cond_resched_tasks_rcu_qs();
	return err;
}

/**
 * host_text_fill() - write to memory that is read-only, but holds no code
 * @edits: the edits: traps or zeros for unused memory, entries of tables
 * @nr: how many
 *
 * As host_text_write(), but profilers are not told.
 *
 * Context: process context, may sleep.
 * Return: as host_text_write().
 */
int host_text_fill(const struct text_edit *edits, unsigned int nr)
{
	might_sleep();
	return write_all(edits, nr, TEXT_UNUSED);
}

/* What the kernel has written and synced; see write_twice(). */
static void write_again(const struct text_edit *edits, unsigned int nr)
{
	lockdep_assert_held(&change_mutex);
	if (may_keep_stale && write_all(edits, nr, TEXT_UNUSED))
		pr_debug("no memory to write twice\n");
}

static int write_pieces(struct text_change *change, unsigned int step, bool *any)
{
	unsigned int nr;
	int err = 0;

	lockdep_assert_held(&change_mutex);
	*any = false;
	change->begin_step(change, step);
	while (!err && (nr = change->next_edits(change, step, pieces, ARRAY_SIZE(pieces)))) {
		*any = true;
		announce(pieces, nr);
		err = write_all(pieces, nr, TEXT_LIVE);
	}
	return err;
}

static bool edit_is_written(const struct text_edit *edit)
{
	return host_text_is(edit->addr, edit->bytes, edit->len);
}

/* If a step has failed, some edits may have been written: those are reported, and stay. */
static void report_pieces(struct text_change *change, unsigned int step, bool all)
{
	unsigned int nr, i;

	lockdep_assert_held(&change_mutex);
	change->begin_step(change, step);
	while ((nr = change->next_edits(change, step, pieces, ARRAY_SIZE(pieces)))) {
		for (i = 0; i < nr; i++)
			if (all || edit_is_written(&pieces[i]))
				change->written(change, step, i);
	}
}

static int do_step(struct text_change *change, unsigned int step)
{
	bool any;
	int err;

	err = write_pieces(change, step, &any);
	if (!any)
		return 0;
	host_text_sync();
	report_pieces(change, step, !err);
	return err;
}

/**
 * host_text_change() - change text that CPUs may be running
 * @change: the change, step by step
 *
 * With text_mutex held and CPU hotplug blocked: calls @change->check(), and then writes
 * step by step.  After each step all CPUs are synced, and then @change->written() is
 * called for what has been written.  If the text may not be run during a write, the
 * other CPUs are stopped meanwhile.  Each write is verified through the mapping that
 * runs.
 *
 * Context: process context with interrupts on, sleeps; the caller may not hold a lock
 * that is taken under text_mutex or cpus_read_lock().
 * Return: 0; the error of @change->check(); an error of host_text_write(), and then no later
 * step is begun.
 */
int host_text_change(struct text_change *change)
{
	unsigned int step;
	int err;

	lockdep_assert_irqs_enabled();
	begin_change();
	err = change->check(change);
	if (!err) {
		for (step = 0; step < change->nr_steps && !err; step++)
			err = do_step(change, step);
		host_text_sync();
	}
	end_change();
	return err;
}

static int replace(const struct text_edit *edits, unsigned int nr, enum text_use use)
{
	int err;

	lockdep_assert_held(&change_mutex);
	announce(edits, nr);
	err = write_all(edits, nr, use);
	if (!err)
		host_text_sync();
	return err;
}

/**
 * host_text_replace() - change a few instructions of the kernel, each in one store
 * @edits: the edits
 * @nr: how many
 *
 * Context: as host_text_change().
 * Return: 0 or an error of host_text_write().
 */
int host_text_replace(const struct text_edit *edits, unsigned int nr)
{
	int err;

	lockdep_assert_irqs_enabled();
	begin_change();
	err = replace(edits, nr, TEXT_LIVE);
	end_change();
	return err;
}

/* Has another tool a copy of some of these bytes? */
static bool is_others(const struct text_edit *edit)
{
	unsigned long at;

	for (at = edit->addr; at < edit->addr + edit->len; at += ARCH_TRAP_SIZE)
		if (host_foreign_probe(at) || host_debugger_at(at))
			return true;
	return false;
}

/**
 * host_text_replace_if() - change an instruction of the kernel, if it is the expected one
 * @edit: the new instruction
 * @old: the bytes of the old one, all of which must be there
 *
 * Context: as host_text_change().
 * Return: 0; -EBUSY if another tool has changed the text, or has a probe there, which has a copy of
 * it; an error of host_text_write().
 */
int host_text_replace_if(const struct text_edit *edit, const u8 *old)
{
	int err = -EBUSY;

	lockdep_assert_irqs_enabled();
	begin_change();
	if (host_text_is(edit->addr, old, edit->len) && !is_others(edit))
		err = replace(edit, 1, TEXT_LIVE);
	end_change();
	return err;
}

/* What begins as the old instruction does is not written. */
static void skip_same(struct text_edit *edit, const u8 *old)
{
	unsigned int same = 0;

	while (same + 1 < edit->len && edit->bytes[same] == old[same])
		same++;
	edit->addr += same;
	edit->len -= same;
	memmove(edit->bytes, edit->bytes + same, edit->len);
}

/**
 * host_text_replace_stopped() - change a branch while all other CPUs are stopped
 * @edit: the new instruction
 * @old: the bytes of the old one, all of which must be there
 *
 * For what traps themselves run, beside an emulator.  There is never a breakpoint, so none that an
 * emulated CPU could keep, see write_twice().  The other CPUs are all in write_stopped(), with
 * interrupts off; virtual ones that do not run are waited for.  So none is in what interrupts off
 * or preemption disabled keep on a CPU.  What comes nevertheless, such as an NMI that traps, runs
 * the old branch or the new one, as it is one store.  If a CPU keeps a translation of the old one,
 * from an NMI at that moment, the second store ends that.
 *
 * Context: as host_text_change().
 * Return: 0; -EBUSY as host_text_poke(); -EOPNOTSUPP if one store can't write all that differs, or
 * the kernel's lock is not known; an error of host_text_write().
 */
int host_text_replace_stopped(const struct text_edit *edit, const u8 *old)
{
	struct text_edit rest = *edit;
	int err = -EBUSY;

	lockdep_assert_irqs_enabled();
	if (!host_text_lock_works())
		return -EOPNOTSUPP;
	skip_same(&rest, old);
	begin_change();
	if (host_text_is(edit->addr, old, edit->len) && !host_foreign_probe(edit->addr))
		err = replace(&rest, 1, TEXT_STOPPED);
	if (!err) {
		write_again(&rest, 1);
		host_text_sync();
	}
	end_change();
	return err;
}

/*
 * Older functions of that name take the address to go on at for a CPU that meets the
 * breakpoint; those of kernels that have the second one take an instruction.
 */
static bool pokes_by_instruction;

/**
 * host_can_poke() - does host_text_poke() work in this kernel
 *
 * Context: any.
 */
bool host_can_poke(void)
{
	if (!ARCH_PATCHED_BY_TRAP)
		return true;
	return host_text_lock_works() && (import_has(smp_text_poke_single) || pokes_by_instruction);
}

static int poke(const struct text_edit *edit)
{
	/* A word: one branch may take the place of another while CPUs run it. */
	if (!ARCH_PATCHED_BY_TRAP)
		return replace(edit, 1, TEXT_LIVE);
	if (import_has(smp_text_poke_single))
		import_smp_text_poke_single((void *)edit->addr, edit->bytes, edit->len, NULL);
	else
		import_text_poke_bp((void *)edit->addr, edit->bytes, edit->len, NULL);
	write_again(edit, 1);
	return 0;
}

/**
 * host_text_poke() - change a branch of several bytes that CPUs may be running
 * @edit: the new instruction
 * @old: the bytes of the old one, all of which must be there
 *
 * By the kernel's own function for that, which has a breakpoint there meanwhile.  A CPU that
 * meets it does what the new instruction does, without calling any notifier.  So, other than with
 * a trap of ours, this is safe for what runs in the path of traps and in NMIs.  It tells
 * profilers, and needs no memory.
 *
 * Context: as host_text_change().
 * Return: 0; an error of host_text_write(); -EOPNOTSUPP if the kernel has no such function, or its
 * lock is not known; -EBUSY if another tool has changed the text, or has a probe there, which has
 * a copy of it.
 */
int host_text_poke(const struct text_edit *edit, const u8 *old)
{
	int err = -EBUSY;

	lockdep_assert_irqs_enabled();
	if (!host_can_poke())
		return -EOPNOTSUPP;
	begin_change();
	if (host_text_is(edit->addr, old, edit->len) && !host_foreign_probe(edit->addr))
		err = poke(edit);
	end_change();
	return err;
}

/* Under these locks no change that begins with a trap is in flight. */
static void refresh_some(const unsigned long *addrs, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&change_mutex);
	for (i = 0; i < nr; i++) {
		pieces[i].addr = addrs[i];
		pieces[i].len = ARCH_TRAP_SIZE;
		memcpy(pieces[i].bytes, (void *)addrs[i], ARCH_TRAP_SIZE);
	}
	write_again(pieces, nr);
}

/**
 * host_text_refresh() - write again what the kernel has just written
 * @addrs: addresses of the instructions that it has changed; sorted if many
 * @nr: how many
 *
 * For emulated processors, if there are several; on others it does nothing.
 *
 * Context: process context, sleeps.
 */
void host_text_refresh(const unsigned long *addrs, unsigned int nr)
{
	unsigned int some;

	might_sleep();
	if (!host_text_lock_works() || !may_keep_stale)
		return;
	for (; nr; nr -= some, addrs += some) {
		some = min_t(unsigned int, nr, HOST_TEXT_PIECE);
		begin_change();
		refresh_some(addrs, some);
		end_change();
		cond_resched_tasks_rcu_qs();
	}
}

/**
 * host_text_sync() - make every CPU discard the instructions that it has fetched
 *
 * Called directly only for memory that is about to be run for the first time.
 *
 * Context: process context with interrupts on.
 */
void host_text_sync(void)
{
	lockdep_assert_irqs_enabled();
	on_each_cpu(arch_sync_core, NULL, 1);
}

/**
 * host_cpu_is_emulated() - may an emulator keep stale translations of changed text
 *
 * Context: any.
 */
__kprobes bool host_cpu_is_emulated(void)
{
	return emulated;
}

/**
 * host_text_init() - find the locks for changes of text, and whether the processor is emulated
 *
 * To be called when host_lookup() works; until then text_mutex is not taken.
 *
 * Context: process context, may sleep.
 * Return: 0.
 */
int host_text_init(void)
{
	pokes_by_instruction = import_has(text_poke_bp) && host_lookup("text_poke_queue");
	emulated = arch_cpu_is_emulated();
	may_keep_stale = emulated && num_possible_cpus() > 1;
	host_page_tables_init();
	return 0;
}
