# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_returns
#
# Returns that do not match a call, and stack traces.
# shellcheck shell=sh

. ./ktap.sh

dmesg -c >/dev/null
check "kprobes.ko loads" insmod kprobes.ko
run_cases test_returns
same "there was one complaint" "$(dmesg | grep -c 'returned to .* more often than it was called')" 1
check "it unloads" rmmod kprobes
ktap_end
