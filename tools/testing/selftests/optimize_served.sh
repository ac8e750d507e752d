# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace debug
# modules: test_opt_served
# timeout: 180
#
# Behind a jump handlers see and do what they see and do in a trap: post_handlers, other paths, jprobes.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_opt_served
check "it unloads" rmmod kprobes
ktap_end
