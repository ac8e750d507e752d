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
# The function tracer shuts itself down while an fprobe is unregistered.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./dying.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_tracer_dies
check "the tracer has died" sh -c "dmesg | grep -q 'kernel/trace/ftrace.c:.*ftrace_bug'"
same "the log says of each fprobe that the tracer does not let it go" \
	"$(dmesg | grep -c "tracer can't be detached from an fprobe")" 3
check "and that kprobes.ko stays" \
	sh -c "dmesg | grep -q \"can't be unregistered from the function tracer: this module stays\""
check "its files are read" grep -c . $dir/blacklist
kprobes_stays
