# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin stock noftrace debug
# modules: test_opt_paths
# timeout: 180
#
# Behind a jump handlers may do what they may do in a trap: choose where to go on, change the stack
# pointer, and run behind the instruction.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_opt_paths
check "it unloads" rmmod kprobes
ktap_end
