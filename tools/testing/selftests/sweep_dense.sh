# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# programs: workload
# smp: 2
#
# Probes at every instruction of functions that run all the time, or that run while
# probes are registered and unregistered, one function after the other.
# shellcheck shell=sh

. ./ktap.sh

: "${seed:=1}" "${dwell:=0.2}" "${rounds:=1}"
control=/proc/lkp_sweep

: "${functions:=
do_syscall_64 ksys_read vfs_read vfs_write path_openat __d_lookup_rcu dput __fget_light
pipe_read pipe_write _copy_to_user _copy_from_user handle_mm_fault __handle_mm_fault
do_anonymous_page zap_pte_range copy_process wake_up_new_task do_exit do_wait begin_new_exec
schedule __schedule pick_next_task_fair update_curr enqueue_task_fair dequeue_task_fair
try_to_wake_up switch_mm_irqs_off __switch_to scheduler_tick update_process_times
hrtimer_interrupt __hrtimer_run_queues ktime_get clockevents_program_event call_timer_fn
__do_softirq __irq_exit_rcu rcu_core rcu_sched_clock_irq rcu_note_context_switch rcu_gp_fqs_loop
get_page_from_freelist kmem_cache_alloc kmem_cache_free tcp_ack __send_signal_locked get_signal
do_futex _raw_spin_lock _raw_spin_lock_irqsave _raw_spin_unlock_irqrestore mutex_lock
memcpy memset strcmp copy_user_generic_unrolled vprintk_emit vprintk_store printk_sprint
console_emit_next_record vsnprintf format_decode stop_machine multi_cpu_stop cpu_stopper_thread
text_poke __text_poke text_poke_bp_batch do_sync_core smp_call_function_many_cond
__flush_smp_call_function_queue kallsyms_lookup_size_offset get_symbol_pos find_bug
jump_label_text_reserved search_exception_tables ftrace_hash_move_and_update_ops vmap
alloc_vmap_area notify_die notifier_call_chain unwind_next_frame process_one_work __queue_work
exit_to_user_mode_prepare do_user_addr_fault restore_fpregs_from_fpstate native_write_msr
do_el0_svc gic_handle_irq generic_handle_domain_irq handle_percpu_devid_irq gic_eoi_irq
gic_ipi_send_mask ipi_handler arch_timer_handler_virt arch_timer_set_next_event_virt
arch_counter_get_cntvct fpsimd_thread_switch fpsimd_restore_current_state do_notify_resume
caches_clean_inval_pou cpu_do_switch_mm check_and_switch_context clear_page copy_page copy_highpage
flush_dcache_page __sync_icache_dcache __arch_copy_from_user __arch_copy_to_user __pi_strlen
__pi_memcmp __pi_memcpy ptep_set_access_flags __arm64_sys_rt_sigreturn
system_call_exception syscall_exit_prepare interrupt_exit_user_prepare_main timer_interrupt
__do_IRQ doorbell_exception xive_get_irq smp_ipi_demux_relaxed __copy_tofrom_user_base
__copy_tofrom_user_power7 copy_page restore_math radix__tlb_flush ptep_set_access_flags
replay_soft_interrupts patch_instruction raw_patch_instruction hvc_console_print pseries_lpar_idle
}"

# With all=1, also functions that take too long for every run.
more="
do_syscall_64 __x64_sys_read ksys_read vfs_read vfs_write ksys_write __x64_sys_openat
do_sys_openat2 do_filp_open path_openat link_path_walk lookup_fast __d_lookup_rcu dput
walk_component step_into try_to_unlazy inode_permission generic_permission fput __fput filp_close
do_dentry_open alloc_empty_file __fdget fget_raw __fget_light fd_install close_fd
new_sync_read new_sync_write pipe_read pipe_write shmem_file_read_iter
copy_page_to_iter _copy_from_iter _copy_to_user _copy_from_user
handle_mm_fault __handle_mm_fault do_anonymous_page do_wp_page do_fault filemap_map_pages
mmap_region unmap_vmas unmap_page_range zap_pte_range free_pgtables vma_merge
exit_mmap dup_mm copy_process kernel_clone wake_up_new_task do_exit release_task
do_wait wait_consider_task begin_new_exec load_elf_binary bprm_execve search_binary_handler
schedule __schedule pick_next_task_fair put_prev_entity set_next_entity update_curr
enqueue_task_fair dequeue_task_fair try_to_wake_up ttwu_do_activate select_task_rq_fair
finish_task_switch finish_task_switch.isra.0 context_switch switch_mm_irqs_off __switch_to
prepare_to_wait_event autoremove_wake_function __wake_up_common
scheduler_tick update_process_times tick_sched_timer tick_sched_handle tick_program_event
hrtimer_interrupt __hrtimer_run_queues hrtimer_start_range_ns hrtimer_wakeup ktime_get
update_wall_time timekeeping_advance clockevents_program_event lapic_next_deadline
run_timer_softirq __run_timers call_timer_fn mod_timer add_timer_on
raise_softirq __do_softirq irq_exit_rcu __irq_exit_rcu invoke_softirq ksoftirqd_should_run
rcu_core rcu_sched_clock_irq rcu_do_batch note_gp_changes rcu_report_qs_rnp __call_rcu_common
call_rcu rcu_note_context_switch rcu_gp_kthread rcu_gp_fqs_loop rcu_gp_cleanup rcu_gp_init
synchronize_rcu synchronize_rcu_tasks rcu_tasks_one_gp rcu_tasks_wait_gp
__alloc_pages get_page_from_freelist rmqueue free_unref_page free_pcppages_bulk
free_unref_page_list release_pages clear_page_erms clear_page_orig copy_page
kmem_cache_alloc kmem_cache_free __slab_free ___slab_alloc kfree __kmalloc
unix_stream_sendmsg unix_stream_read_generic tcp_sendmsg_locked tcp_ack tcp_rcv_established
tcp_v4_rcv tcp_write_xmit ip_rcv ip_queue_xmit __dev_queue_xmit net_rx_action
process_backlog sock_def_readable __alloc_skb skb_release_data
send_signal_locked __send_signal_locked get_signal dequeue_signal arch_do_signal_or_restart
do_futex futex_wait futex_wake do_epoll_wait ep_poll seq_read_iter show_stat
_raw_spin_lock _raw_spin_lock_irqsave _raw_spin_unlock_irqrestore _raw_spin_unlock_irq
native_queued_spin_lock_slowpath mutex_lock mutex_unlock __mutex_lock rwsem_down_write_slowpath
down_read up_read up_write memcpy memset memcmp strcmp strlen memmove __memcpy __memset
copy_user_generic_unrolled copy_user_generic_string copy_user_enhanced_fast_string clear_user_erms
vprintk_emit vprintk_store console_unlock console_emit_next_record _printk vsnprintf
format_decode number pointer symbol_string serial8250_console_write wait_for_xmitr
stop_machine stop_one_cpu stop_machine_cpuslocked multi_cpu_stop cpu_stopper_thread
stop_cpus __stop_cpus queue_stop_cpus_work cpu_stop_queue_work
text_poke __text_poke text_poke_bp text_poke_bp_batch text_poke_flush text_poke_sync
do_sync_core on_each_cpu_cond_mask smp_call_function_many_cond
generic_exec_single __flush_smp_call_function_queue flush_smp_call_function_queue
native_send_call_func_ipi native_smp_send_reschedule
kallsyms_lookup kallsyms_lookup_name kallsyms_lookup_size_offset kallsyms_expand_symbol.constprop.0
get_symbol_pos sprint_symbol core_kernel_text kernel_text_address __kernel_text_address
jump_label_text_reserved arch_jump_entry_size static_call_text_reserved find_bug insn_decode
alternatives_text_reserved ftrace_location search_exception_tables __module_text_address
__module_address ftrace_set_filter_ips ftrace_hash_move_and_update_ops __register_ftrace_function
vmap vunmap vmap_small_pages_range_noflush vunmap_range_noflush alloc_vmap_area
free_vmap_area_noflush __purge_vmap_area_lazy find_vmap_area vmalloc_to_page remove_vm_area
register_die_notifier notify_die atomic_notifier_call_chain notifier_call_chain
blocking_notifier_call_chain load_module layout_and_allocate simplify_symbols do_init_module
free_module find_module_sections module_put try_module_get
unwind_next_frame __unwind_start unwind_get_return_address stack_trace_save arch_stack_walk
process_one_work worker_thread queue_work_on __queue_work delayed_work_timer_fn kthread
exit_to_user_mode_prepare syscall_trace_enter ptrace_stop
do_user_addr_fault exc_page_fault fixup_exception search_module_extables
fpu_clone save_fpregs_to_fpstate restore_fpregs_from_fpstate switch_fpu_return copy_fpstate_to_sigframe
math_state_restore native_write_msr native_read_msr native_sched_clock sched_clock_cpu
read_tsc delay_tsc __delay __const_udelay
interrupt_exit_user_prepare __replay_soft_interrupts handle_rt_signal64 do_notify_resume
clear_user_page __arch_clear_user flush_dcache_icache_page flush_icache_range set_pte_at
radix__flush_tlb_range radix__flush_tlb_page radix__ptep_set_access_flags enter_vmx_usercopy
exit_vmx_usercopy copy_thread start_thread arch_dup_task_struct account_process_tick
decrementer_set_next_event xive_esb_read xive_do_source_eoi xive_irq_eoi xive_muxed_ipi_action
smp_muxed_ipi_message_pass arch_send_call_function_single_ipi do_idle arch_cpu_idle plpar_hcall
plpar_hcall9 hvterm_raw_put_chars hvc_put_chars csum_partial_copy_generic __patch_instruction
"
[ -z "${all-}" ] || functions="$functions $more"

symbol() { awk -v name="$1" '$3 == name { print "0x" $1; exit }' /proc/kallsyms; }

value() { awk -v name="$1" '$1 == name { print $2 }' $control; }

# addresses NAME...: of the functions that this kernel has, with their names; not of
# init text, which has been freed.
addresses() {
	echo "$*" | awk -v end="$(symbol _etext)" '
		NR == FNR { for (i = 1; i <= NF; i++) wanted[$i] = 1; next }
		NF == 3 && $3 in wanted && tolower($2) == "t" && "0x" $1 < "" end {
			print "0x" $1, $3
		}' \
		- /proc/kallsyms
}

text="start=$(symbol _stext) end=$(symbol _etext)"
# The segmentation faults of the workload would fill the log.
echo 0 >/proc/sys/debug/exception-trace
chmod +x workload
check "the workload runs" ./workload 2

# shellcheck disable=SC2086 # several parameters
insmod lkp_textcopy.ko $text
insmod kprobes.ko
# shellcheck disable=SC2086
check "the sweep's module loads" insmod lkp_sweep.ko $text seed="$seed"

./workload >/tmp/workload.1 2>&1 &
one=$!
./workload >/tmp/workload.2 2>&1 &
two=$!

# shellcheck disable=SC2086
addresses $functions >/tmp/functions
failed=
for _ in $(seq "$rounds"); do
	while read -r address name; do
		echo "$name" >/tmp/progress
		[ -z "${verbose-}" ] || echo "sweep: $name" >/dev/kmsg
		echo "function $address" >$control || failed="$failed $name"
		sleep "$dwell"
		echo drop >$control
	done </tmp/functions
done

check "the workload is still at work" kill $one $two
wait $one $two
same "it has seen nothing unusual" "$(cat /tmp/workload.*)" ""
sed 's/^/# /' $control
check "many functions were found" test "$(wc -l </tmp/functions)" -gt 80
same "every batch could be registered" "$failed" ""
check "most were hit" test "$(value hit)" -gt $(($(value armed) / 4))
check "post handlers ran" test "$(value posts)" -gt 0
same "no handler ran after its probe had gone" "$(value late)" 0
same "every handler was told the right address" "$(value wrong)" 0

rmmod lkp_sweep
check "kprobes.ko unloads" rmmod kprobes
grep ':' /proc/lkp_textcopy | sed 's/^/# /'
check "the kernel's text is what it was" grep -q ' 0 differ$' /proc/lkp_textcopy
rmmod lkp_textcopy
ktap_end
