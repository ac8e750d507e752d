# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_optimize
# timeout: 240
#
# Probes that become jumps.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
dmesg -c >/dev/null
run_cases test_optimize
dmesg >/tmp/log
refuse "the log says that text was not as it should be" grep 'not what it was' /tmp/log
check "it unloads" rmmod kprobes
ktap_end
