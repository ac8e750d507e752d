# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: stock
# machine: server
# programs: guest
# timeout: 600
#
# The kernel runs at EL2, with VHE.  What KVM runs there with other exception vectors is refused,
# and guests run.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

why="runs while the exception vectors are not the kernel's"

# known NAME...: those that this kernel has once.
known() {
	for name; do
		[ "$(grep -c " [tT] $name\$" /proc/kallsyms)" = 1 ] && echo "$name"
	done
}
prefixed() { sed -n "s/^.* [tT] \\($1[a-z0-9_]*\\)\$/\\1/p" /proc/kallsyms; }

check "the kernel runs at EL2" sh -c "dmesg | grep -q 'VHE mode initialized'"
check "a guest runs" ./guest 200
insmod kprobes.ko
# shellcheck disable=SC2046 # words
for name in $(known __guest_enter __guest_exit __kvm_hyp_vector el1_sync __kvm_adjust_pc \
	      __kvm_vcpu_run_vhe __kvm_vcpu_run __activate_traps __deactivate_traps \
	      __debug_switch_to_guest __debug_switch_to_host sysreg_save_host_state_vhe \
	      sysreg_restore_host_state_vhe sysreg_save_guest_state_vhe hyp_panic \
	      kvm_unexpected_el2_exception kvm_skip_instr32 __vgic_v3_perform_cpuif_access \
	      __fpsimd_save_state kvm_auth_eretax $(prefixed kvm_hyp_handle_)); do
	check "$name is refused" judged "$name" "refused: $why"
done
for name in kvm_arch_vcpu_ioctl_run kvm_pgtable_walk kvm_handle_guest_abort; do
	check "$name is not" spared "$name" "refused"
done

check "a guest runs" ./guest 200
check "kprobes.ko unloads" rmmod kprobes
ktap_end
