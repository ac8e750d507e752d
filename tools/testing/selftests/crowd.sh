# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_crowd
# timeout: 240
#
# Thousands of kprobes by name in one batch: its names are looked up together,
# and everything is as if they were looked up one by one.
# shellcheck shell=sh

. ./ktap.sh

# lines NAME: how often the log says that several functions bear it.
lines() { grep -c "functions are called $1: taking" /tmp/log; }

insmod kprobes.ko
run_cases test_crowd
# The log may have lost its beginning, the line before such a one maybe.
dmesg | sed -n '/test_crowd: .* ksys_sync/,$p' >/tmp/log
once=$(grep -c 'test_crowd: singly ksys_sync' /tmp/log)
check "a name that two bear was registered" test "$once" -gt 0
# As often as it was registered: singly once, and once in each batch.
same "the log counts two each time" "$(lines ksys_sync)" "$(grep -c 'test_crowd: .* ksys_sync' /tmp/log)"
same "and is silent where the name was narrowed" "$(lines '.*:ksys_sync')" 0
check "it unloads" rmmod kprobes
ktap_end
