# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# timeout: 300
# modules: lkp_sweep lkp_textcopy
# programs: workload
# smp: 2
# allow: ^Call [Tt]race:
# allow: ^INFO: NMI handler
#
# Probes on the code of CPU hotplug and of NMIs, while a CPU goes offline and online
# and NMIs arrive. Then random probes, in the same way.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh

: "${seed:=7}" "${batches:=6}" "${size:=300}" "${nmis:=1}"
cpu=/sys/devices/system/cpu/cpu1/online

functions="
cpu_init_secondary cr4_init early_setup_idt setup_ghcb cc_platform_has native_write_cr4
native_write_cr0 native_write_msr native_write_gdt_entry native_load_tr_desc cr4_set_bits memset
__memset memset_orig memset_erms load_percpu_segment load_direct_gdt switch_to_new_gdt
cpu_device_down cpu_device_up _cpu_up _cpu_down cpuhp_thread_fun cpuhp_invoke_callback
cpuhp_kick_ap bringup_cpu native_cpu_up do_boot_cpu common_cpu_up wakeup_cpu_via_init_nmi
cpu_init fpu__init_cpu fpu__init_cpu_xstate identify_secondary_cpu identify_cpu
x2apic_setup apic_ap_setup setup_local_APIC setup_APIC_timer lapic_setup_esr end_local_APIC_setup
mtrr_ap_init mtrr_rendezvous_handler cache_ap_init cache_cpu_init set_cpu_sibling_map
notify_cpu_starting ap_init_aperfmperf calibrate_delay check_tsc_sync_target
check_tsc_sync_source tsc_store_and_check_tsc_adjust set_cpu_online cpu_set_state_online
apic_read native_apic_mem_read native_apic_mem_write speculative_store_bypass_ht_init
x86_spec_ctrl_setup_ap update_srbds_msr kvmclock_setup_secondary_clock
setup_secondary_APIC_clock xen_cpuhp_setup
take_cpu_down native_cpu_disable cpu_disable_common remove_cpu_from_maps fixup_irqs
clear_local_APIC disable_local_APIC lapic_shutdown idle_task_exit cpuhp_report_idle_dead
cpuhp_complete_idle_dead native_play_dead play_dead_common hlt_play_dead mwait_play_dead
tick_handover_do_timer tick_shutdown tick_cleanup_dead_cpu hrtimers_dead_cpu
hrtimers_cpu_dying hrtimers_prepare_cpu
sched_cpu_activate sched_cpu_deactivate sched_cpu_dying sched_cpu_starting sched_cpu_wait_empty
set_rq_online set_rq_offline migrate_tasks balance_push_set balance_push
rcu_cpu_starting rcutree_report_cpu_starting rcu_report_dead rcutree_report_cpu_dead
rcutree_dying_cpu rcutree_dead_cpu rcutree_migrate_callbacks smpcfd_dying_cpu
workqueue_online_cpu workqueue_offline_cpu page_alloc_cpu_dead vmstat_cpu_online
nmi_trigger_cpumask_backtrace nmi_cpu_backtrace nmi_cpu_backtrace_handler nmi_handle
default_do_nmi show_regs __show_regs show_stack show_trace_log_lvl show_regs_print_info
dump_stack_print_info vprintk printk_get_next_message unwind_next_frame native_send_call_func_ipi
secondary_start_kernel cpu_die arch_cpu_idle_dead cpu_psci_cpu_boot cpu_psci_cpu_die
cpu_psci_cpu_disable __cpu_up __cpu_disable __cpu_die store_cpu_topology cpuinfo_store_cpu
check_local_cpu_capabilities gic_starting_cpu gic_cpu_init arch_timer_starting_cpu
arch_timer_dying_cpu hw_breakpoint_reset clear_os_lock cpuid_cpu_online gic_ipi_send_mask
arch_trigger_cpumask_backtrace nmi_raise_cpu_backtrace default_send_IPI_mask_sequence_phys
__x2apic_send_IPI_mask sysrq_handle_showallcpus __handle_sysrq
__cpu_up __cpu_disable __cpu_die arch_cpu_idle_dead pseries_cpu_die pseries_cpu_disable
pseries_cpu_offline_self smp_pSeries_kick_cpu smp_query_cpu_stopped rtas_call start_secondary
smp_setup_cpu secondary_cpu_time_init register_decrementer_clockevent enable_large_decrementer
radix__early_init_mmu_secondary cleanup_cpu_mmu_context or_cpumasks_related vpa_init
xive_smp_prepare_cpu xive_smp_setup_cpu xive_smp_disable_cpu xive_prepare_cpu xive_setup_cpu
xive_teardown_cpu xive_setup_cpu_ipi xive_cleanup_cpu_ipi xive_spapr_setup_queue
xive_spapr_cleanup_queue irq_migrate_all_off_this_cpu dtl_worker_online
pseries_cause_nmi_ipi system_reset_exception pSeries_system_reset_exception
"

# The load for each batch of probes.
go_and_come() {
	echo 0 >$cpu || cpu_failures=$((cpu_failures + 1))
	echo 1 >$cpu || cpu_failures=$((cpu_failures + 1))
	[ "$nmis" = 0 ] || echo l >/proc/sysrq-trigger
}

cpu_failures=0 failed=
echo 1 >/proc/sys/kernel/sysrq
try_workload
go_and_come

begin_sweep seed="$seed"

begin_workload 1

# shellcheck disable=SC2086
addresses $functions >/tmp/functions
while read -r address name; do
	echo "$name" >/tmp/progress
	[ -z "${verbose-}" ] || echo "sweep: $name" >/dev/kmsg
	echo "function $address" >$control || failed="$failed $name"
	go_and_come
	echo drop >$control
done </tmp/functions

for batch in $(seq "$batches"); do
	echo "$batch" >/tmp/progress
	echo "pick $batch $size" >$control || failed="$failed $batch"
	go_and_come
	echo drop >$control
done

end_workload
sed 's/^/# /' $control
check "functions were found" test "$(wc -l </tmp/functions)" -gt 40
check "and hit" test "$(swept hits)" -gt "$(wc -l </tmp/functions)"
same "the CPU went and came back every time" "$cpu_failures" 0
same "every batch could be registered" "$failed" ""
end_sweep
ktap_end
