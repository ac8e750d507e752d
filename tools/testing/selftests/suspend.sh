# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# heavy: yes
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# smp: 2
# qemu: -M pc
#
# Probes on the way into suspend to RAM and back, where most of the machine's state is lost
# and CPU 0 begins in real mode; then random probes, in the same way.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh

: "${seed:=7}" "${batches:=3}" "${size:=600}"
alarm=/sys/class/rtc/rtc0/wakealarm

functions="
acpi_suspend_begin acpi_suspend_enter acpi_enter_sleep_state acpi_hw_legacy_sleep acpi_pm_prepare
acpi_pm_finish acpi_leave_sleep_state acpi_leave_sleep_state_prep acpi_os_enter_sleep
x86_acpi_suspend_lowlevel x86_acpi_enter_sleep_state do_suspend_lowlevel wakeup_long64
save_processor_state __save_processor_state restore_processor_state __restore_processor_state
restore_registers msr_save_cpuid_features load_current_idt cpu_init fpu__resume_cpu mtrr_bp_restore
mtrr_save_fixed_ranges mtrr_save_state set_mtrr_state prepare_set post_set cache_disable cache_enable
syscore_suspend syscore_resume timekeeping_suspend timekeeping_resume tick_suspend tick_suspend_local
tick_resume tick_resume_local tick_freeze tick_unfreeze sched_clock_suspend sched_clock_resume
sched_clock_idle_wakeup_event tsc_save_sched_clock_state tsc_restore_sched_clock_state tsc_resume
tsc_verify_tsc_adjust clocksource_suspend clocksource_resume clockevents_suspend clockevents_resume
lapic_suspend lapic_resume disable_local_APIC setup_local_APIC ioapic_resume save_ioapic_entries
restore_ioapic_entries mask_ioapic_entries i8259A_suspend i8259A_resume irq_gc_suspend mce_syscore_resume
microcode_bsp_resume kvm_suspend kvm_resume hpet_resume_counter hrtimers_resume_local
suspend_devices_and_enter suspend_enter pm_suspend enter_state dpm_suspend_noirq dpm_resume_noirq
dpm_run_callback device_pm_check_callbacks suspend_device_irqs resume_device_irqs suspend_console
resume_console freeze_processes thaw_processes freeze_secondary_cpus thaw_secondary_cpus
suspend_nvs_save suspend_nvs_restore pci_pm_suspend_noirq pci_pm_resume_noirq pci_restore_state
serial8250_suspend_port serial8250_resume_port"

# The clock of the machine wakes it up.
sleep_and_wake() {
	echo 0 >$alarm
	echo +2 >$alarm
	echo mem >/sys/power/state || sleep_failures=$((sleep_failures + 1))
}

sleep_failures=0 failed=
if ! grep -q mem /sys/power/state || ! [ -e $alarm ]; then
	skip "suspend to RAM" "this machine can not"
	ktap_end
	exit
fi
sleep_and_wake
same "it sleeps without probes" $sleep_failures 0

begin_sweep seed="$seed"

# shellcheck disable=SC2086
addresses $functions >/tmp/functions
while read -r address name; do
	echo "$name" >/tmp/progress
	[ -z "${verbose-}" ] || echo "suspend: $name" >/dev/kmsg
	echo "function $address" >$control || failed="$failed $name"
	sleep_and_wake
	echo drop >$control
done </tmp/functions
check "functions were found" test "$(wc -l </tmp/functions)" -gt 60
check "and hit" test "$(swept hits)" -gt 1000

for batch in $(seq "$batches"); do
	echo "pick $batch $size" >$control || failed="$failed $batch"
	[ -z "${verbose-}" ] || echo "suspend: batch $batch" >/dev/kmsg
	sleep_and_wake
	echo drop >$control
done
sed 's/^/# /' $control
same "it slept and woke every time" "$sleep_failures" 0
same "every batch could be registered" "$failed" ""
end_sweep
ktap_end
