# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# modules: test_arm64_oops
# vm: own
# allow: ^Unable to handle kernel
# allow: ^Internal error: Oops
# allow: ^Call trace:
#
# An oops in a slot names the probed instruction and its callers.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

insmod kprobes.ko
# A jump's copy of the instruction is in a detour, a trap's in a slot.
for optimization in 0 1; do
	echo $optimization >"$(echo /proc/sys/debug/*kprobes-optimization)"
	dmesg -c >/dev/null
	insmod test_arm64_oops.ko jump=$optimization
	dmesg >/tmp/log
	check "the fault is at the probed instruction" grep -q 'pc : loads_fn+0xc/' /tmp/log
	check "its trace begins there" \
		sh -c "grep -A1 'Call trace:' /tmp/log | grep -q ' loads_fn[+]0xc/'"
	check "with the caller" grep -q '] *lkp_lets_load[+]' /tmp/log
	check "whose caller is behind that" grep -q '] *loader[+]' /tmp/log
	refuse "which is a jump if it is to be" grep -q 'does not become' /tmp/log
	refuse "and no stub" grep -q '] *arch_return_stubs[+]' /tmp/log
	check "the module unloads" rmmod test_arm64_oops
done
check "kprobes.ko unloads" rmmod kprobes
ktap_end
