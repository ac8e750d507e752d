// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel's tracers do for each function that they trace, before they know whether they
 * have been called by themselves.  See core/blacklist.c.
 */
#include <linux/stddef.h>

#include "host.h"

/* For a return the graph tracer has no guard, and it reads the clock there. */
const char * const host_tracers_unguarded[] = {
	"ftrace_return_to_handler", "__ftrace_return_to_handler", "prepare_ftrace_return",
	"function_graph_enter", "function_graph_enter_regs", "trace_clock_local", "sched_clock",
	NULL
};

/*
 * On its way to us a trap passes tracepoints.  With their events on, all that these do is done again
 * by a trap in it.  The ring buffer has a guard, and so have perf's events, stack traces and BPF's
 * programs: beyond those it ends after a few rounds.  These are what is called before that, and
 * behind it; what is called by a pointer is listed, too.
 */
const char * const host_tracers_events[] = {
	"trace_event_buffer_reserve", "trace_event_buffer_lock_reserve", "ring_buffer_lock_reserve",
	"trace_event_buffer_commit", "trace_buffer_unlock_commit_regs",
	"trace_buffer_unlock_commit_nostack", "ring_buffer_unlock_commit",
	"trace_event_ignore_this_pid", "__trace_trigger_soft_disabled", "event_triggers_call",
	"event_triggers_post_call", "filter_match_preds", "perf_trace_buf_alloc",
	"perf_swevent_get_recursion_context", "perf_trace_run_bpf_submit", "perf_tp_event",
	"bpf_trace_run1", "bpf_trace_run2", "bpf_trace_run4",
	/* What an event triggers by itself is called before it is recorded, if it is at all. */
	"traceon_trigger", "traceon_count_trigger", "traceoff_trigger", "traceoff_count_trigger",
	"snapshot_trigger", "snapshot_count_trigger", "stacktrace_trigger",
	"stacktrace_count_trigger", "event_enable_trigger", "event_enable_count_trigger",
	/* In newer kernels that counts for all of these. */
	"event_trigger_count", NULL
};

/* The tracepoint of each call of a notifier, in newer kernels. */
const char * const host_tracers_of_notifiers[] = {
	"__traceiter_notifier_run", "trace_event_raw_event_notifier_info",
	"perf_trace_notifier_info", "__bpf_trace_notifier_info", NULL
};

/* That of RCU when a trap makes it watch, with CONFIG_RCU_TRACE. */
const char * const host_tracers_of_rcu[] = {
	"__traceiter_rcu_dyntick", "trace_event_raw_event_rcu_dyntick", "perf_trace_rcu_dyntick",
	"__bpf_trace_rcu_dyntick", "__traceiter_rcu_watching", "trace_event_raw_event_rcu_watching",
	"perf_trace_rcu_watching", "__bpf_trace_rcu_watching", NULL
};

/*
 * That of each NMI on a CPU of which the tracer of noise by the operating system measures how much it
 * is interrupted.  To that a trap may be an NMI.
 */
const char * const host_tracers_of_nmis[] = {
	"__traceiter_nmi_noise", "trace_event_raw_event_nmi_noise", "perf_trace_nmi_noise",
	"__bpf_trace_nmi_noise", NULL
};

/* These have a guard, but it is not the first that they do. */
const char * const host_tracers_guarded[] = {
	"function_trace_call", "function_stack_trace_call", "function_no_repeats_trace_call",
	"function_stack_no_repeats_trace_call", "function_trace_probe_call", "ftrace_pid_func",
	"fgraph_pid_func",
	"ftrace_graph_func", "trace_graph_entry", "trace_graph_return", "trace_graph_thresh_return",
	"profile_graph_entry", "profile_graph_return", "function_profile_call",
	"irqsoff_tracer_call", "irqsoff_graph_entry", "irqsoff_graph_return", "func_prolog_dec",
	"wakeup_tracer_call", "wakeup_graph_entry", "wakeup_graph_return",
	"func_prolog_preempt_disable", "stack_trace_call", "perf_ftrace_function_call",
	"function_args_trace_call", "trace_graph_entry_args", "fprobe_ftrace_entry",
	"fprobe_fgraph_entry", "fprobe_return", "klp_ftrace_handler", "fprobe_handler", "fprobe_kprobe_handler", "rethook_trampoline_handler",
	/* The clock, where it is called by a pointer. */
	"native_sched_clock", "kvm_sched_clock_read", "kvm_clock_read", "pvclock_clocksource_read",
	"pvclock_clocksource_read_nowd", "read_hv_sched_clock_tsc", "read_hv_sched_clock_msr",
	"vmware_sched_clock", "xen_sched_clock",
	NULL
};
