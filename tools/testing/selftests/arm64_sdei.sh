# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: stock
#
# What serves events of firmware (SDEI) is refused, whatever it is called; what else that calls is
# not, as this machine has no such firmware.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

why="called by firmware, at any place in the kernel"

# named PATTERN...: the functions of the kernel's that are called so, with the compiler's endings.
named() {
	for pattern; do
		sed -n "s/^.* [tT] \\($pattern\\(\\.[a-z]*\\.[0-9]*\\)*\\)\$/\\1/p" /proc/kallsyms
	done
}

if [ ! "$(named sdei_event_register)" ]; then
	skip "functions for firmware" "this kernel serves no events of firmware"
	ktap_end
fi
check "kprobes.ko loads" insmod kprobes.ko
check "there are such functions" test "$(named ghes_in_nmi_queue_one_entry)"
# shellcheck disable=SC2046 # words
for name in $(named ghes_sdei_normal_callback ghes_sdei_critical_callback \
	      ghes_in_nmi_queue_one_entry __ghes_peek_estatus __ghes_check_estatus \
	      ghes_copy_tofrom_phys ghes_clear_estatus ghes_estatus_cached); do
	check "$name is refused" judged "$name" "refused: $why"
done
for name in irq_work_queue gen_pool_alloc_algo_owner cper_estatus_check ghes_notify_hed; do
	if [ "$(named $name)" ]; then
		check "$name is not" spared "$name" "$why"
	else
		skip "$name is not" "this kernel has no such function"
	fi
done
check "it unloads" rmmod kprobes
ktap_end
