# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
#
# Code that runs in real mode, in the other byte order or with a guest's registers is
# refused. Much of it is in each kernel image that can run on bare metal, and is looked at
# wherever that runs.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

answer() { echo "$1" >$dir/check && cat $dir/check; }

# each NAME PATTERN PLACE...: for each place that this kernel has, the file check says that.
each() {
	name=$1 pattern=$2 wrong='' before=$told
	shift 2
	for place; do
		has_symbol "${place%+*}" || continue
		told=$((told + 1))
		answer "$place" | grep -q "$pattern" || wrong="$wrong $place: $(answer "$place")"
	done
	if [ "$told" = "$before" ]; then
		skip "$name" "this kernel has none of it"
	else
		same "$name" "$wrong" ''
	fi
}

told=0
real='refused: .*runs in real mode or in the other byte order'
saved='refused: .*registers that a trap would overwrite'

check "kprobes.ko loads" insmod kprobes.ko
each "calls of firmware" "$real" __opal_call __opal_call+0x2c opal_return opal_return+4 \
	__enter_rtas
each "what stops the CPU" "$real" isa300_idle_stop_mayloss power10_idle_stop+0x30 \
	power9_idle_stop power7_idle_insn
each "the way to a guest" "$real" kvmppc_p9_enter_guest kvmppc_hv_entry \
	kvmppc_hv_entry_trampoline kvmppc_call_hv_entry kvmppc_got_guest fast_guest_return
each "the way back" "$real" kvmppc_interrupt kvmppc_p9_exit_hcall kvmppc_p9_exit_interrupt \
	kvmppc_interrupt_hv guest_exit_cont guest_bypass kvmhv_switch_to_host kvmppc_hdsi \
	hcall_try_real_mode hmi_realmode machine_check_realmode
each "C code that it calls" "$real" kvmppc_realmode_hmi_handler wait_for_tb_resync \
	kvmppc_h_enter kvmppc_read_intr kvmppc_check_wake_reason hmi_handle_debugtrig
each "helpers of these, whatever their names" "$real" remove_revmap_chain \
	revmap_for_hpte compute_tlbie_rb global_invalidates kvmppc_invalidate_hpte
each "what fills the registers of a guest" "$saved\|address space of a guest" \
	kvmhv_vcpu_entry_p9+0x100 kvmhv_vcpu_entry_p9+0x400
each "what it calls with a guest's address space" 'refused: ' switch_pmu_to_guest \
	switch_pmu_to_host check_need_tlb_flush flush_guest_tlb save_clear_guest_mmu \
	save_clear_host_mmu radix_clear_slb store_vcpu_state restore_p9_host_os_sprs
if has_symbol kvmppc_save_fp; then
	each "registers that it stores in real mode" "$real" store_fp_state store_vr_state
else
	each "registers are stored in no other mode" '^[^ ]* *\(trap\|jump\|ftrace\)' \
		store_fp_state store_vr_state
fi
each "registers of transactions" "$saved" tm_reclaim tm_reclaim+0x40 __tm_recheckpoint
each "what sets up a CPU" 'refused: ' __setup_cpu_power9 __restore_cpu_power10 kexec_wait
each "the way to the next kernel" 'refused: ' mmu_cleanup_all radix__mmu_cleanup_all \
	radix__flush_tlb_all powernv_set_nmmu_ptcr native_hpte_clear pseries_hpte_clear_all \
	hcall_hpte_clear_all manual_hpte_clear_all memcpy memcpy+0x20 copy_page flush_icache_range \
	flush_icache_range+0x20 opal_nmmu_set_ptcr+0x10 plpar_pte_read_4_raw ___tlbie udelay

# copied: the verdict on each instruction of copy_mc_generic()
copied() {
	i=0
	while [ $i -lt 600 ]; do
		answer "copy_mc_generic+$i"
		i=$((i + 4))
	done
}
copied >/tmp/copied
check "loads and stores that survive a machine check" \
	grep -q 'refused: .*machine check' /tmp/copied
check "what is beside them can be probed" grep -q '^[^ ]* *\(trap\|jump\)' /tmp/copied
# compared: the same of memcmp()
compared() {
	i=0
	while [ $i -lt 1800 ]; do
		answer "memcmp+$i"
		i=$((i + 4))
	done
}
compared >/tmp/compared
check "what compares by vector registers" grep -q 'refused: .*vector registers' /tmp/compared
check "what compares little can be probed" grep -q '^[^ ]* *\(trap\|jump\)' /tmp/compared
each "registers of a program" 'refused: ' get_vr put_vr get_vsr put_vsr load_vsrn store_vsrn \
	emulate_loadstore
each "of a task that is saved, or loaded" 'refused: ' giveup_all+0x20 giveup_altivec \
	__giveup_altivec+0x20 __giveup_vsx+0x20 __giveup_fpu save_fpu save_altivec save_altivec+0x20 \
	flush_all_to_thread flush_altivec_to_thread flush_vsx_to_thread restore_math restore_math+0x20 \
	msr_check_and_set __msr_check_and_clear kvmppc_save_user_regs
each "of a guest that is being entered" 'refused: ' load_vcpu_state load_vcpu_state+0x20
# On machines on which it is called in real mode: powerpc_powernv8.sh.
each "ordinary functions that they call can be probed" '^[^ ]* *\(trap\|jump\|ftrace\)' \
	xa_find xa_find_after smp_muxed_ipi_set_message vmalloc_to_phys
each "what is beside it can be probed" '^[^ ]* *\(trap\|jump\|ftrace\)' rtas_token lock_rtas \
	opal_error_code opal_message_notifier_unregister \
	store_subcores_per_core rtas_busy_delay kvm_alloc_hpt_cma \
	int_sqrt vfs_read ksys_sync
echo "# $told places"
check "some were looked at" test $told -gt 5
check "it unloads" rmmod kprobes
ktap_end
