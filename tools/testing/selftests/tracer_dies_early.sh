# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin stock
# modules: test_tracer_dies
# timeout: 120
# vm: own
# allow: ^WARNING: CPU: .* at (kernel/trace|arch/x86/kernel)/ftrace.c
# allow: ^Call Trace:
#
# The function tracer shuts itself down while an fprobe is registered.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./dying.sh

check "kprobes.ko loads" insmod kprobes.ko
tracer_dies early=1 registered
check "the log says that the tracer may call us" \
	sh -c "dmesg | grep -q \"tracer can't be detached from an fprobe\""
kprobes_stays
