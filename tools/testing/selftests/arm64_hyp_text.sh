# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: stock dropin
# modules: test_arm64_hyp_text
#
# Text of the hypervisor in a module, which the kernel can't read any more, is not read.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

say_where() {
	awk '$3 == "set_memory_valid" { print "0x" $1 }' /proc/kallsyms \
		>/sys/module/test_arm64_hyp_text/parameters/set_memory_valid_at
}

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_arm64_hyp_text say_where
check "it unloads" rmmod kprobes
ktap_end
