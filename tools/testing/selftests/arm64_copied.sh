# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: stock backports
#
# What no trap can come back from: vectors that are copied, and run at EL2 on the way to another kernel;
# and what a CPU that comes up calls before it has vectors. Nobody waits for one that goes, in the end.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# refused_all SYMBOL FROM TO REASON: each word between these offsets that can be decoded is refused for that.
refused_all() {
	at=$(($2))
	while [ $at -lt $(($3)) ]; do
		judged "$(printf '%s+0x%x' "$1" $at)" "refused: $4" || return
		at=$((at + 4))
	done
}

check "kprobes.ko loads" insmod kprobes.ko
if has_symbol trans_pgd_stub_vectors; then
	check "vectors for a new kernel are refused" refused_all trans_pgd_stub_vectors 0x400 0x440 'in text that is copied'
else
	skip "vectors for a new kernel are refused" "this kernel has none"
fi
check "what a CPU runs before it has vectors is refused" \
	refused_all set_cpu_boot_mode_flag 0 0x14 '\(runs\|in idmap text\)'
firmware=psci_0_2_cpu_off
has_symbol $firmware || firmware=psci_cpu_off
for name in cpu_die cpu_psci_cpu_die $firmware; do
	check "what a CPU runs that goes is refused: $name" judged $name 'refused: runs where traps are not allowed'
done
check "it unloads" rmmod kprobes
ktap_end
