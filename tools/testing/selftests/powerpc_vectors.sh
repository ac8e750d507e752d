# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# modules: raid6_pq
#
# What uses vector registers in modules is refused: a handler that copies much uses them, too. The
# module comes after ours.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# The tracer's site at the entry is not in use of them yet.
all_refused() {
	nr=0
	for name in $(awk '$3 ~ /^raid6_altivec[0-9]+_gen_syndrome_real$/ { print $3 }' /proc/kallsyms); do
		nr=$((nr + 1))
		echo "$name+0x40" >$dir/check
		grep -q 'refused: .*runs where traps are not allowed' $dir/check ||
			{ sed 's/^/# /' $dir/check; return 1; }
	done
	[ $nr -gt 0 ]
}

check "kprobes.ko loads" insmod kprobes.ko
check "a module with such code" insmod raid6_pq.ko
check "it is refused" all_refused
check "but not what does without" spared raid6_int4_gen_syndrome+0x40 'not allowed'
rmmod raid6_pq
check "it unloads" rmmod kprobes
ktap_end
