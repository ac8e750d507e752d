# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# machine: powernv8
# smp: 1
# timeout: 400
# modules: kvm kvm-hv lkp_sweep
# programs: guest
#
# A guest runs while each instruction is probed of what KVM is made of, and of ordinary functions
# that it calls, as far as they are not refused: on a POWER8 it serves the guest's hypercalls in
# real mode, where a trap would be the end of the machine.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

# functions PATTERN [MODULE]: the addresses of the functions whose names match, in the kernel's
# text or a module's.
functions() {
	awk -v pattern="^($1)" -v module="${2:+[$2]}" -v end="$(symbol _etext)" '
		$2 ~ /[tT]/ && $3 ~ pattern && $4 == module &&
			(module != "" || "0x" $1 < end) { printf "0x%s ", $1 }' /proc/kallsyms
}

# between FIRST LAST: the addresses of all functions and labels from one to the other.
between() {
	awk -v first="$(symbol "$1")" -v last="$(symbol "$2")" '
		$2 ~ /[tT]/ && "0x" $1 >= first && "0x" $1 <= last {
			printf "0x%s ", $1 }' /proc/kallsyms
}

# under WHAT FUNCTION...: the guest runs while they are probed.
under() {
	what=$1
	shift
	check "$what: probes" sh -c "echo function $* >/proc/lkp_sweep"
	check "$what: a guest runs" ./guest 200
	echo drop >/proc/lkp_sweep
	echo "# $what: $# functions; so far $(swept armed) armed, $(swept hit) hit"
}

insmod kvm.ko
insmod kvm-hv.ko
check "a guest runs" ./guest 200
insmod kprobes.ko
insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)"
module='kvmppc_(vcpu_run_hv|start_thread|set_timer|core_vcpu_load)'
memory='mem(cpy|set)|smp_muxed'
locks='_raw_spin_(un)?lock|(native_)?queued_|(__)?rcu_read_'
# The console need not have each refusal.
dmesg -n 1
# shellcheck disable=SC2046 # words
{
	under "KVM in the kernel" $(between kvmppc_hcall kvmppc_xics_ipi_action)
	under "KVM's module" $(functions "$module" kvm_hv)
	under "what it calls" $(functions "_?find_next|xa_find|__find_linux_pte|$memory|$locks")
}
check "many were armed" test "$(swept armed)" -gt 500
check "many were hit" test "$(swept hit)" -gt 100
same "no handler ran after its probe had gone" "$(swept late)" 0
same "every handler was told the right address" "$(swept wrong)" 0
sed "s/^/# /" /proc/lkp_sweep
rmmod lkp_sweep
for name in kvmhv_vcpu_entry_p9_nested kvmhv_save_hv_regs kvmhv_restore_hv_return_state; do
	[ -n "$(functions "$name\$" kvm_hv)" ] || continue
	check "$name, which has a nested guest's registers" judged "$name+0x20" 'refused: .*not allowed'
done
check "a guest runs without probes" ./guest 200
check "kprobes.ko unloads" rmmod kprobes
rmmod kvm_hv kvm
ktap_end
