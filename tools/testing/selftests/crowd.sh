# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_crowd
# timeout: 480
#
# Thousands of kprobes by name in one batch: the names are looked up together, with
# the same results as one by one.
# shellcheck shell=sh

. ./ktap.sh

# lines NAME: how often the log says that several functions have this name.
lines() { grep -c "functions are called $1: taking" /tmp/log; }

insmod kprobes.ko
run_cases test_crowd
# The beginning of the log may be lost, and with it the line before such a line.
dmesg | sed -n '/test_crowd: .* ksys_sync/,$p' >/tmp/log
once=$(grep -c 'test_crowd: singly ksys_sync' /tmp/log)
check "a name that two bear was registered" test "$once" -gt 0
# Once for the single registration, and once for each batch.
same "the log counts two each time" "$(lines ksys_sync)" "$(grep -c 'test_crowd: .* ksys_sync' /tmp/log)"
same "and is silent where the name was narrowed" "$(lines '.*:ksys_sync')" 0
check "it unloads" rmmod kprobes
ktap_end
