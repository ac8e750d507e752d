# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: dropin
# modules: test_switched
#
# Barriers that the kernel patches at run time, if kallsyms has their table.
# shellcheck shell=sh

. ./ktap.sh
. ./kernel.sh

# Only a kernel that names none of its data has no name of the table.
if ! has_symbol die_chain; then
	skip "test_switched" "this kernel has no CONFIG_KALLSYMS_ALL"
	ktap_end
fi

insmod kprobes.ko
start=$(symbol __start___barrier_nospec_fixup)
end=$(symbol __stop___barrier_nospec_fixup)
check "the kernel names the table" test -n "$start" -a -n "$end"
check "the cases load" insmod test_switched.ko "start=$start" "end=$end"
echo "    # Subtest: test_switched"
cat /sys/kernel/debug/test_switched >cases
sed 's/^/    /' cases
check "test_switched" all_passed cases
rmmod test_switched
check "it unloads" rmmod kprobes
ktap_end
