# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: test_handlers test_faults test_opt_registers
# modules: test_kretprobe test_kretprobe_register test_kretprobe_misses
# modules: test_jprobe test_jprobe_register
# cpu: power8
# timeout: 180
#
# A processor with hashed page tables: a hash fault on our own text may occur while
# a trap is handled.
# shellcheck shell=sh

. ./ktap.sh

check "pages are found by hash" grep -q '^MMU.*: Hash' /proc/cpuinfo
check "kprobes.ko loads" insmod kprobes.ko
for module in test_handlers test_faults \
	test_kretprobe test_kretprobe_register test_kretprobe_misses \
	test_jprobe test_jprobe_register test_opt_registers; do
	run_cases $module
done
check "it unloads" rmmod kprobes
ktap_end
