# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_fprobe_inject
# inject: yes
# timeout: 200
#
# Error paths of fprobes: each step that can fail is made to fail, one after the other.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

insmod kprobes.ko
# Steps of the optimiser must not fail in place of these.
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
run_cases test_fprobe_inject
check "it unloads" wait_for 20 rmmod kprobes
ktap_end
