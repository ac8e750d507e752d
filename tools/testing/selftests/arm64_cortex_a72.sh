# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_handlers test_faults test_opt_registers
# modules: test_kretprobe test_kretprobe_register test_kretprobe_misses
# cpu: cortex-a72
# timeout: 120
#
# A processor without pointer authentication and BTI, and with PAN in software.
# shellcheck shell=sh

. ./ktap.sh

refuse "it signs no pointers" grep -qw paca /proc/cpuinfo
check "kprobes.ko loads" insmod kprobes.ko
for module in test_handlers test_faults \
	test_kretprobe test_kretprobe_register test_kretprobe_misses test_opt_registers; do
	run_cases $module
done
check "it unloads" rmmod kprobes
ktap_end
