# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: powerpc
# modules: lkp_sweep
# programs: kexec_say
# cpu: power8
# smp: 1
# mem: 1G
# timeout: 120
#
# kexec while there are probes on all that is run on the way.  The last part runs with the data of a CPU
# without that of its own, which handlers would read, and with much of the memory overwritten.  With
# hashed page tables it does so in the kernel's own mode.  What it leads to is no kernel, but gives the
# last result.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh

: "${test_name:=powerpc_kexec}"
way="kernel_kexec kernel_restart_prepare migrate_to_reboot_cpu syscore_shutdown machine_shutdown
machine_kexec default_machine_kexec kexec_prepare_cpus_wait kexec_sequence kexec_copy_flush
pseries_machine_kexec pseries_kexec_cpu_down xive_kexec_teardown_cpu kexec_smp_down
memcpy copy_page flush_icache_range udelay mmu_cleanup_all radix__mmu_cleanup_all
opal_nmmu_set_ptcr ___tlbie native_hpte_clear pseries_hpte_clear_all plpar_pte_read_4_raw
memset _find_next_bit smp_call_function smp_call_function_many_cond int_sqrt"

# unit NUMBER: of a virtual terminal.
unit() {
	for node in /proc/device-tree/vdevice/vty@*; do
		echo "0x${node##*@}"
	done | sed -n "$1p"
}

# probe_way: all instructions of the functions that this kernel has.
probe_way() {
	# shellcheck disable=SC2086 # several names
	addresses $way | awk '{ printf " %s", $1 }' >/tmp/way
	(echo "function$(cat /tmp/way)" >$control) 2>/dev/null
}

chmod +x kexec_say
check "what is to follow is loaded" ./kexec_say \
	"$(unit 2)" "    ok 5 - it is reached\n    1..5\nok 1 - $test_name\n" \
	"$(unit 1)" "\nlkp-vm: exit status 0\nreboot: Power down\n"
insmod kprobes.ko
insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)" seed="${seed:=9}"
check "probes are registered" probe_way
sleep 1
echo drop >$control
sed 's/^/# /' $control
check "most are armed" test "$(swept armed)" -gt 200
check "they are there again" probe_way
# Until most of them are jumps.
sleep 3
if [ "$ktap_failures" = 0 ]; then
	# The reader of this output passes a line on when it has the next one.
	echo "# on the way"
	sleep 1
	# As reboot() does, where nothing else is left to be done.
	./kexec_say now
fi
not_ok "it is reached"
ktap_end
