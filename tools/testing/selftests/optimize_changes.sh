# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_opt_changes test_opt_registers
# timeout: 180
# once: yes
#
# Jumps while other probes are registered and unregistered, and the registers after
# a jump.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
dmesg -c >/dev/null
run_cases test_opt_registers
run_cases test_opt_changes
dmesg >/tmp/log
refuse "the log says that text was not as it should be" grep 'not what it was' /tmp/log
check "it unloads" rmmod kprobes
ktap_end
