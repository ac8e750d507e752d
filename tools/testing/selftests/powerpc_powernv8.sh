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

# each NAME PATTERN FUNCTION...: for each function that this kernel has, the file check says that.
each() {
	name=$1 pattern=$2 wrong='' found=0
	shift 2
	for function; do
		has_symbol "$function" || continue
		found=$((found + 1))
		echo "$function" >$dir/check
		grep -q "$pattern" $dir/check || wrong="$wrong $function: $(cat $dir/check)"
	done
	if [ $found = 0 ]; then
		skip "$name" "this kernel has none of it"
	else
		same "$name" "$wrong" ''
	fi
}

grep -q PowerNV /proc/cpuinfo || exit

check "kprobes.ko loads" insmod kprobes.ko
each "handlers and their helpers" 'refused: .*runs in real mode' kvmppc_h_enter \
	kvmppc_h_remove remove_revmap_chain xics_rm_h_xirr icp_rm_deliver_irq
each "what a guest's hypercalls and interrupts come to" 'refused: .*runs in real mode' \
	kvmppc_hcall kvmppc_interrupt kvmppc_p9_exit_hcall kvmppc_p9_exit_interrupt
each "ordinary functions that they call" 'refused: KVM calls the function in real mode' \
	__find_linux_pte xa_find xa_find_after _find_next_bit smp_muxed_ipi_set_message \
	vmalloc_to_phys
each "those that more than these call" 'refused: ' memcpy memset memcpy_power7 xas_find \
	native_queued_spin_lock_slowpath queued_spin_lock_slowpath
each "others can be probed" '^[^ ]* *\(trap\|jump\|ftrace\)' vfs_read ksys_sync int_sqrt \
	xa_erase kvm_alloc_hpt_cma strlen
check "the list has room for all" sh -c '! dmesg | grep "too many functions run in real mode"'
check "a client loads" insmod first_example.ko
head -c 3000 /dev/zero >/dev/null
check "and unloads" rmmod first_example
check "and has counted" sh -c 'dmesg | grep "first_example: [1-9][0-9]* calls"'
check "it unloads" rmmod kprobes
ktap_end
