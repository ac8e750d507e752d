# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# timeout: 180
# modules: test_fprobe test_fprobe_misses test_fprobe_order test_fprobe_6_14
#
# Fprobes: registration, what handlers see and may do, order, misses, contexts, handlers of newer kernels.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
dmesg -c >/dev/null
run_cases test_fprobe
case $(uname -m) in
x86_64) check "the log says why the blacklist refuses a function" sh -c \
	"dmesg | grep -q \"can't probe play_dead_common+.*: runs where traps are not allowed (error -22)\"" ;;
esac
run_cases test_fprobe_misses
run_cases test_fprobe_order
run_cases test_fprobe_6_14
check "it unloads" rmmod kprobes
ktap_end
