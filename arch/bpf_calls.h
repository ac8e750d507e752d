/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What BPF's trampolines call, for the lists of names where no trap is allowed.
 */
#ifndef LKP_ARCH_BPF_CALLS_H
#define LKP_ARCH_BPF_CALLS_H

/*
 * A program of BPF may be attached to what runs in a trap before us, and its trampoline calls these
 * before and behind the guard of its own.
 */
#define BPF_TRAMPOLINE_CALLS							\
	"__bpf_prog_enter", "__bpf_prog_enter_recur", "__bpf_prog_enter_sleepable", \
	"__bpf_prog_enter_sleepable_recur", "__bpf_prog_enter_lsm_cgroup",	\
	"__bpf_prog_enter_struct_ops", "__bpf_prog_exit", "__bpf_prog_exit_recur", \
	"__bpf_prog_exit_sleepable", "__bpf_prog_exit_sleepable_recur",		\
	"__bpf_prog_exit_lsm_cgroup", "__bpf_prog_exit_struct_ops", "__bpf_tramp_enter", \
	"__bpf_tramp_exit", "migrate_disable", "migrate_enable", "bpf_prog_start_time", \
	"update_prog_stats", "__update_prog_stats", "bpf_prog_inc_misses_counter"

#endif /* LKP_ARCH_BPF_CALLS_H */
