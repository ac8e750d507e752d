# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# smp: 2
# modules: test_probe
# timeout: 120
#
# Functions that run where the kernel does not wait for a CPU, where RCU does not watch, or on a
# stack for firmware, of which no section tells: each is refused where this kernel has it.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

has_function() { grep -q " [tT] $1\$" /proc/kallsyms; }

# refused NAME WHY OFFSET
refused() {
	if ! has_function "$1"; then
		skip "$1 is refused" "this kernel has no such function"
		return
	fi
	check "$1: check says why" judged "$1+$3" "refused: $2"
	refuse "$1: not registered" insmod test_probe.ko symbol="$1" offset="$3"
	rmmod test_probe 2>/dev/null
}

check "kprobes.ko loads" insmod kprobes.ko

# A CPU that goes offline calls them behind its word that it is dead: a handler would run there
# when unregister_kprobe() has returned.
refused cpuidle_get_cpu_driver "runs where traps are not allowed" 0
refused cond_wakeup_cpu0 "runs where traps are not allowed" 0

# One that is stopped, for another kernel to take the memory.
refused stop_this_cpu "runs where traps are not allowed" 0

# Idle CPUs: what drivers call, what is called in place of one, and how RCU is told.
refused mwait_idle_with_hints.constprop.0 "runs in the idle loop" 0
refused amd_e400_idle "runs in the idle loop" 0
refused rcu_idle_enter "runs in the idle loop" 0
refused rcu_idle_exit "runs in the idle loop" 0

# Firmware of 32 bits.
refused __efi64_thunk "runs where traps are not allowed" 1

check "it unloads" rmmod kprobes
ktap_end
