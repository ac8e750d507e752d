// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracings: sets of call sites of the function tracer, each with an ops and a callback of its own.  Those of
 * the probes are in ftrace.c.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "arch_host.h"
#include "ftrace_private.h"
#include "host.h"
#include "inject.h"
#include "tracing.h"

#ifdef LKP_HAVE_FTRACE

static DECLARE_BITMAP(stubs_used, ARCH_NR_TRACED_STUBS);	/* guarded by tracer_mutex */

/* The stubs call past what is called without a filter. */
static void take_stub(struct host_tracing *tracing)
{
	lockdep_assert_held(&tracer_mutex);
	tracing->stub = ARCH_NR_TRACED_STUBS;
	if (tracing->many)
		return;
	tracing->stub = find_first_zero_bit(stubs_used, ARCH_NR_TRACED_STUBS);
	/* Without one the kernel makes a trampoline, which does more than is needed. */
	if (tracing->stub == ARCH_NR_TRACED_STUBS)
		return;
	__set_bit(tracing->stub, stubs_used);
	tracing->ops.trampoline = arch_traced_stub(tracing->stub, tracing->data);
}

static void give_stub(struct host_tracing *tracing)
{
	lockdep_assert_held(&tracer_mutex);
	if (tracing->stub < ARCH_NR_TRACED_STUBS)
		__clear_bit(tracing->stub, stubs_used);
}

static void free_tracing(struct host_tracing *tracing)
{
	host_many_free(tracing->many);
	kfree(tracing);
}

static struct host_tracing *alloc_tracing(void *data, const unsigned long *sites, unsigned int nr)
{
	struct host_tracing *tracing = inject_failure() ? NULL : kzalloc(sizeof(*tracing), GFP_KERNEL);

	if (!tracing)
		return NULL;
	tracing->ops.func = tracer_on_traced;
	tracing->ops.flags = OPS_FLAGS;
	tracing->data = data;
	if (host_many_are(nr) && host_many_take(tracing, sites, nr)) {
		kfree(tracing);
		return NULL;
	}
	return tracing;
}

/**
 * host_tracing_start() - direct calls at these sites to the callback for tracings
 * @data: what host_tracing_data() returns in the callback
 * @sites: call sites, as host_ftrace_location() gives them, each once, sorted
 * @nr: how many
 *
 * Of several at one site the last started is called first, and all of them before
 * the callback for probes.
 *
 * Context: process context, sleeps.
 * Return: the handle for host_tracing_stop(); ERR_PTR(-ENOMEM) or an error of ftrace's.
 * ERR_PTR(-EOWNERDEAD) if the tracer fails meanwhile: then the callback may be called as after an
 * error of host_tracing_stop().
 */
struct host_tracing *host_tracing_start(void *data, unsigned long *sites, unsigned int nr)
{
	struct host_tracing *tracing;
	int err;

	might_sleep();
	tracing = alloc_tracing(data, sites, nr);
	if (!tracing)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&tracer_mutex);
	take_stub(tracing);
	err = tracer_begin() ?: tracer_attach(&tracing->ops, sites, nr, tracing->many);
	if (err == -EOWNERDEAD) {
		__module_get(THIS_MODULE);
		tracer_nr_tracings++;
	} else if (!err) {
		tracer_nr_tracings++;
	} else {
		give_stub(tracing);
		tracer_stop_if_unused();
	}
	mutex_unlock(&tracer_mutex);
	host_text_refresh(sites, nr);
	if (!err)
		return tracing;
	if (err != -EOWNERDEAD)
		free_tracing(tracing);
	return ERR_PTR(err);
}

/**
 * host_tracing_leave() - remove some of the sites from a tracing
 * @tracing: from host_tracing_start()
 * @sites: the sites to remove
 * @nr: how many
 *
 * Context: process context, sleeps.
 * Return: 0 or an error of ftrace's.
 */
int host_tracing_leave(struct host_tracing *tracing, unsigned long *sites, unsigned int nr)
{
	int err = 0;

	might_sleep();
	if (inject_failure())
		err = -ENOMEM;
	else if (tracing->many)
		host_many_leave(tracing->many, sites, nr);
	else
		err = tracer_set_filter(&tracing->ops, sites, nr, true);
	host_text_refresh(sites, nr);
	return err;
}

/* Those of the probes go with the last tracing. */
static bool goes_last(void)
{
	return tracer_has_begun() && !tracer_has_probes() && tracer_nr_tracings == 1;
}

/*
 * The tracer waits in the unregistration of each dynamic ops, a tenth of a second or two, until
 * no CPU is in its callback and no task is preempted on the way there.  Which ops are dynamic, it
 * finds out when they are registered, and looks at it again when they go.
 *
 * The ops of a last tracing need no wait of their own: nothing of them is freed before those of the
 * probes have been unregistered, too, and for those the tracer waits; what it waits for is
 * the same for all.  That is so from when none of its calls finds either of them, which
 * is when the second one has left the list.  Meanwhile the tracer_mutex keeps others from
 * registering what would make the ops of the probes stay.
 *
 * The tracer waits for the ops of the probes whether it has anything to change for them or not.  (Before
 * 5.10.154, and 6.1, it did only if it had: where others' ops are on the same site as theirs, and stay.)
 *
 * Who else reads the flag?  The tracer, to choose what its own trampolines call, of ops that
 * are the only ones in its list: those of the probes are there, too.  Who else writes flags?  The
 * tracer, with its lock held, of the ops that is being changed: that is ours to do.  A trampoline that
 * the kernel has made for the ops it frees behind that wait only: then it has to wait.
 */
static void stop_without_wait(struct ftrace_ops *ops)
{
	lockdep_assert_held(&tracer_mutex);
	if (!(ops->flags & FTRACE_OPS_FL_ALLOC_TRAMP))
		ops->flags &= ~FTRACE_OPS_FL_DYNAMIC;
}

static int run_nothing(void *unused)
{
	return 0;
}

/**
 * host_tracing_wait() - wait for all callbacks that run, and who is on the way to one
 *
 * As the tracer does, if it has shut itself down before it could.  To stop all CPUs makes each
 * of them change to another task: so it ends what runs with preemption off where RCU does not watch.
 *
 * Context: process context, sleeps.
 */
void host_tracing_wait(void)
{
	might_sleep();
	host_stop(run_nothing, NULL);
	host_wait_for_preempted();
}

/*
 * A trampoline that the tracer has made for an ops (on x86-64, where none of our stubs was free, or
 * where there is no filter) it frees when the ops goes, also if it has failed as it took the calls of
 * it out of the text.  So they are taken out before, while the ops stays.
 */
static int leave_trampoline(struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_ALLOC_TRAMP ? tracer_leave_sites(ops) : 0;
}

static int stop_tracing(struct host_tracing *tracing)
{
	bool last = goes_last();
	int err;

	lockdep_assert_held(&tracer_mutex);
	if (last)
		stop_without_wait(&tracing->ops);
	err = leave_trampoline(&tracing->ops) ?: tracer_detach(&tracing->ops);
	if (err)
		return err;
	tracer_nr_tracings--;
	tracer_stop_if_unused();
	if (last && tracer_has_begun())
		host_tracing_wait();
	/* Who takes the stub next changes what a task that is preempted in it hands on. */
	give_stub(tracing);
	return 0;
}

/**
 * host_tracing_stop() - end a tracing
 * @tracing: from host_tracing_start()
 * @sites: its sites
 * @nr: how many
 *
 * Context: process context, sleeps until no CPU runs the callback for it.
 * Return: 0; the error of a tracer that has failed: then the callback may be called
 * forever, so what @data refers to must stay, and this module is pinned.  Who runs the callback
 * then has not been waited for: host_tracing_wait().
 */
int host_tracing_stop(struct host_tracing *tracing, unsigned long *sites, unsigned int nr)
{
	int err;

	might_sleep();
	mutex_lock(&tracer_mutex);
	err = stop_tracing(tracing);
	mutex_unlock(&tracer_mutex);
	host_text_refresh(sites, nr);
	if (err) {
		__module_get(THIS_MODULE);
		return err;
	}
	tracer_free_filter(&tracing->ops);
	free_tracing(tracing);
	return 0;
}

#else /* !LKP_HAVE_FTRACE */

struct host_tracing *host_tracing_start(void *data, unsigned long *sites, unsigned int nr)
{
	return ERR_PTR(-EOPNOTSUPP);
}

int host_tracing_leave(struct host_tracing *tracing, unsigned long *sites, unsigned int nr)
{
	return -EOPNOTSUPP;
}

int host_tracing_stop(struct host_tracing *tracing, unsigned long *sites, unsigned int nr)
{
	return -EOPNOTSUPP;
}

void host_tracing_wait(void)
{
}

#endif /* LKP_HAVE_FTRACE */
