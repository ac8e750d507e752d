# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin stock
# modules: test_oopsed
# timeout: 120
# vm: own
# allow: ^BUG: kernel NULL pointer dereference, address: 0000000000000008
# allow: ^Oops:
# allow: ^Call Trace:
#
# A handler oopses, and its task is killed.
# shellcheck shell=sh

. ./ktap.sh

# The other CPUs' traces are of no interest.
for file in oops_all_cpu_backtrace unknown_nmi_panic; do
	[ ! -e /proc/sys/kernel/$file ] || echo 0 >/proc/sys/kernel/$file
done
check "kprobes.ko loads" insmod kprobes.ko

# One that a jprobe's function oopses in: its task has a file to close.
# shellcheck disable=SC2317 # run_cases calls it
start_victim() {
	(
		until [ -e /sys/kernel/debug/lkp_die ]; do sleep 0.1; done
		cat /sys/kernel/debug/lkp_die
	) >/dev/null 2>&1 &
}
run_cases test_oopsed start_victim
same "four have oopsed" "$(dmesg | grep -c 'BUG: kernel NULL pointer dereference')" 4
check "it unloads" rmmod kprobes
ktap_end
