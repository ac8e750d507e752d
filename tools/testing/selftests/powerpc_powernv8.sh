# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# machine: powernv8
# timeout: 300
# modules: kprobes/first_example
#
# On bare metal with a POWER8, KVM serves hypercalls in real mode. Whatever ordinary function its
# handlers call is refused there, and what they do not call is probed as on any machine.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# all_say PATTERN FUNCTION...: for each function that this kernel has, the file check says that.
all_say() {
	pattern=$1 wrong=''
	shift
	for function; do
		has_symbol "$function" || continue
		echo "$function" >$dir/check
		grep -q "$pattern" $dir/check || wrong="$wrong $function: $(cat $dir/check)"
	done
	[ -z "$wrong" ] || { echo "# $wrong"; return 1; }
}

grep -q PowerNV /proc/cpuinfo || exit

check "kprobes.ko loads" insmod kprobes.ko
check "handlers and their helpers" all_say 'refused: .*runs in real mode' kvmppc_h_enter \
	kvmppc_h_remove remove_revmap_chain xics_rm_h_xirr icp_rm_deliver_irq
check "what a guest's hypercalls and interrupts come to" all_say 'refused: .*runs in real mode' \
	kvmppc_hcall kvmppc_interrupt kvmppc_p9_exit_hcall kvmppc_p9_exit_interrupt
check "ordinary functions that they call" all_say 'refused: KVM calls the function in real mode' \
	__find_linux_pte xa_find xa_find_after _find_next_bit smp_muxed_ipi_set_message \
	vmalloc_to_phys
check "those that more than these call" all_say 'refused: ' memcpy memset memcpy_power7 xas_find \
	native_queued_spin_lock_slowpath queued_spin_lock_slowpath
check "others can be probed" all_say '^[^ ]* *\(trap\|jump\|ftrace\)' vfs_read ksys_sync int_sqrt \
	xa_erase kvm_alloc_hpt_cma strlen
check "the list has room for all" sh -c '! dmesg | grep "too many functions run in real mode"'
check "a client loads" insmod first_example.ko
head -c 3000 /dev/zero >/dev/null
check "and unloads" rmmod first_example
check "and has counted" sh -c 'dmesg | grep "first_example: [1-9][0-9]* calls"'
check "it unloads" rmmod kprobes
ktap_end
