# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_opt_contexts
# timeout: 180
#
# Jumps in special contexts and at special instructions.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_opt_contexts
# Where the graph tracer is, and orc_find() a function: traces.sh has all of that.
case $(uname -m)-$(uname -r) in
x86_64-6.1.*)
	! grep -qw function_graph /sys/kernel/tracing/available_tracers 2>/dev/null ||
		check "traces do not end at detours" has_run test_opt_contexts a_stack_trace_names_the_callers ;;
esac
check "it unloads" rmmod kprobes
ktap_end
