# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_access test_handlers test_faults test_opt_registers
# modules: test_kretprobe test_kretprobe_register test_kretprobe_misses
# cpu: cortex-a72
# timeout: 120
#
# A processor without pointer authentication and BTI, and with PAN in software; or, in Debian's
# kernel, without PAN.  With PAN in software there are no jumps.
# shellcheck shell=sh

. ./ktap.sh

by_ttbr0="emulated: Privileged Access Never (PAN) using TTBR0_EL1 switching"

jumps=test_opt_registers
refuse "it signs no pointers" grep -qw paca /proc/cpuinfo
case $(uname -r) in
*-lkp-*)
	check "PAN is done by exchanging page tables" sh -c "dmesg | grep -qF '$by_ttbr0'"
	jumps='' ;;
esac
check "kprobes.ko loads" insmod kprobes.ko
for module in test_handlers test_faults test_arm64_access \
	test_kretprobe test_kretprobe_register test_kretprobe_misses $jumps; do
	run_cases "$module"
done
check "it unloads" rmmod kprobes
ktap_end
