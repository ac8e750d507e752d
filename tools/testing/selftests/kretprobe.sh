# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace notasks
# timeout: 120
# modules: test_kretprobe test_kretprobe_register test_kretprobe_misses
#
# Return probes: registration, what handlers see and may do, hits and misses.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_kretprobe
run_cases test_kretprobe_register
refuse "no limit was met" grep -q '^#' $dir/status
run_cases test_kretprobe_misses
check "it unloads" rmmod kprobes
ktap_end
