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
# The function tracer shuts itself down while all probes are turned off: nobody is called then, and what does
# not need the tracer is turned on again.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

check "kprobes.ko loads" insmod kprobes.ko
insmod test_tracer_dies.ko enabled="$(realpath "$dir")/enabled"
cat /sys/kernel/debug/test_tracer_dies >/tmp/cases
sed 's/^/# /' /tmp/cases
refuse "no case fails" grep -q '^not ok' /tmp/cases
check "its case ran" grep -q '^ok.*turned_off$' /tmp/cases
check "its module unloads" rmmod test_tracer_dies
check "the tracer has died" sh -c "dmesg | grep -q 'kernel/trace/ftrace.c:.*ftrace_bug'"
check "the log says why some stay off" sh -c "dmesg | grep -q 'tracer has failed: probes on its sites stay off'"
refuse "kprobes.ko stays, which the tracer calls" rmmod kprobes
echo kprobes >>/tmp/stays
ktap_end
