# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: samples/*
# vm: own
# heavy: yes
# timeout: 500
#
# Every sample works on whatever it can be loaded on: what runs with locks of the clock,
# of the scheduler, of timers or of a console held, or prints, or is on the way of an
# interrupt. A handler that waits for such a lock hangs the machine; then the last line
# says where.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# parameter_of SAMPLE: the one that says where its probes go, if it has one.
parameter_of() {
	for parameter in symbol func symbols; do
		if grep -aq "parmtype=$parameter:" "$1.ko"; then
			echo $parameter
			return
		fi
	done
}

# Forks, faults, timers, clocks, waking up, and lines that go to the consoles.
work() {
	for _ in 1 2 3; do
		echo '<4>samples.sh: at work' >/dev/kmsg
		(sleep 0.02)
		cat /proc/interrupts /proc/uptime >/dev/null
	done
}

# on FUNCTION: all samples at once; $loaded are those that could be loaded.
on() {
	loaded=
	for sample in $samples; do
		insmod "$sample.ko" "$(parameter_of "$sample")=$1" 2>/dev/null && loaded="$loaded $sample"
	done
	work
	# shellcheck disable=SC2086 # a list
	[ -z "$loaded" ] || rmmod $loaded || not_ok "$1: they unload"
}

# group NAME FUNCTION...: those of the functions that this kernel has.
group() {
	group=$1 probed=0
	shift
	for function; do
		has_symbol "$function" || continue
		echo "# $group: $function"
		on "$function"
		if [ "$loaded" ]; then probed=$((probed + 1)); else echo "# refused by all"; fi
	done
	echo "# $group: $probed functions"
	check "$group: works while samples are on it" test $probed -ge 3
}

samples='' fixed=''
for file in *_example.ko; do
	sample=${file%.ko}
	if [ "$(parameter_of "$sample")" ]; then
		samples="$samples $sample"
	else
		fixed="$fixed $sample"
	fi
done
echo "# samples that go anywhere:$samples; that do not:$fixed"
check "there are some that go anywhere" test "$(echo "$samples" | wc -w)" -ge 4

insmod kprobes.ko
for sample in $fixed; do
	check "$sample: loads" insmod "$sample.ko"
	work
	check "$sample: unloads" rmmod "$sample"
done

group clock timekeeping_update timekeeping_advance update_fast_timekeeper update_vsyscall \
	ktime_get ktime_get_mono_fast_ns ktime_get_update_offsets_now tick_do_update_jiffies64 \
	do_timer ntp_tick_length update_wall_time read_tsc
group print vprintk vprintk_emit vprintk_store vprintk_deferred prb_reserve prb_commit \
	prb_final_commit prb_read_valid console_trylock console_unlock console_emit_next_record \
	record_print_text __wake_up_klogd wake_up_klogd serial8250_console_write \
	serial8250_console_putchar wait_for_xmitr io_serial_in io_serial_out pl011_console_write \
	hvc_console_print down_trylock up vsnprintf pointer kallsyms_lookup irq_work_queue \
	irq_work_run_list irq_work_single __irq_work_queue_local
group sched try_to_wake_up ttwu_do_activate enqueue_task_fair dequeue_task_fair update_curr \
	update_rq_clock pick_next_task_fair scheduler_tick select_task_rq_fair prepare_to_wait \
	finish_task_switch raw_spin_rq_lock_nested _raw_spin_lock _raw_spin_lock_irqsave \
	_raw_spin_unlock_irqrestore __wake_up kick_process resched_curr
group timer hrtimer_interrupt __hrtimer_run_queues hrtimer_start_range_ns enqueue_hrtimer \
	run_timer_softirq add_timer mod_timer clockevents_program_event lapic_next_event \
	lapic_next_deadline tick_sched_timer tick_program_event update_process_times
group irq handle_edge_irq handle_fasteoi_irq handle_irq_event __handle_irq_event_percpu \
	irq_enter_rcu irq_exit_rcu __do_softirq raise_softirq rcu_core rcu_sched_clock_irq \
	rcu_gp_kthread note_gp_changes __queue_work insert_work
group memory __alloc_pages get_page_from_freelist kmem_cache_alloc __kmalloc kfree \
	handle_mm_fault __handle_mm_fault kernel_clone vfs_read vfs_write do_exit

check "an fprobe on all functions loads" insmod fprobe_example.ko 'symbol=*'
work
work
check "and unloads" rmmod fprobe_example
check "kprobes.ko unloads" rmmod kprobes
ktap_end
