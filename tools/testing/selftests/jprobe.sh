# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# timeout: 120
# modules: test_jprobe test_jprobe_register
#
# Jprobes see the arguments and have no side effects.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_jprobe
case $(uname -m)-$(uname -r) in
x86_64-6.1.*) check "the top of a task's stack is no end" \
	has_run test_jprobe the_function_at_the_very_top_of_the_stack ;;
esac
# The same with jumps, where there can be any.
run_cases test_jprobe sh -c "echo 1 >/sys/module/test_jprobe/parameters/jumps"
run_cases test_jprobe_register
check "it unloads" rmmod kprobes
ktap_end
