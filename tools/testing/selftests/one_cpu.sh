# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_reserved test_handlers test_state test_faults test_ftrace
# smp: 1
# append: possible_cpus=2
# timeout: 200
#
# One CPU online of two possible: the kernel has patched lock prefixes away and may
# restore them.
# shellcheck shell=sh

. ./ktap.sh

insmod kprobes.ko
run_cases test_reserved
[ "$(uname -m)" != x86_64 ] || check "lock prefixes were tried" \
	grep -q '^ok .* a_lock_prefix_is_refused_while_it_may_change$' /tmp/test_reserved
for suite in test_handlers test_state test_faults test_ftrace; do
	run_cases $suite
done
check "kprobes.ko unloads" rmmod kprobes
ktap_end
