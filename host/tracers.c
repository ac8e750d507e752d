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

/* These have a guard, but it is not the first that they do. */
const char * const host_tracers_guarded[] = {
	"function_trace_call", "function_stack_trace_call", "function_no_repeats_trace_call",
	"function_stack_no_repeats_trace_call", "function_trace_probe_call", "ftrace_pid_func",
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
