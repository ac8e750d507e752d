# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: fprobe/fprobe_example test_probe
#
# Where a weak function is overridden, its text and its tracer's site stay, but not its symbol: to the
# kernel they are a part of the function before.  An fprobe on that is on its own site.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./kernel.sh

insmod kprobes.ko
# Functions behind which there is such text in some of the tests' kernels.
for function in do_one_initcall nr_processes __x64_sys_umask __x64_sys_acct __arm64_sys_umask \
	__arm64_sys_acct; do
	! has_symbol $function ||
		check "an fprobe on $function" sh -c \
			"insmod fprobe_example.ko symbol=$function && rmmod fprobe_example"
done
insmod fprobe_example.ko symbol=do_one_initcall
dmesg -c >/dev/null
insmod test_probe.ko
check "is called" sh -c "dmesg | grep -q 'do_one_initcall called from'"
check "and sees the return" sh -c "dmesg | grep -q 'do_one_initcall returned'"
rmmod test_probe
rmmod fprobe_example
# On ppc64 these are so short that the other site is within reach of the first byte.
for function in bpf_jit_compile arch_bpf_stack_walk pcibios_resource_survey_bus; do
	has_symbol $function || continue
	# arm64 has one of them there from 7.0 on.
	insmod test_probe.ko symbol=$function 2>/dev/null ||
		! our_log | tail -n 1 | grep -q "$function.*: in noinstr text" || continue
	check "a kprobe on $function is at its beginning" grep -q "$function+0x[048c] " $dir/list
	rmmod test_probe
done
check "kprobes.ko unloads" rmmod kprobes
ktap_end
