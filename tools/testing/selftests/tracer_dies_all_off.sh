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
. ./dying.sh

check "kprobes.ko loads" insmod kprobes.ko
tracer_dies enabled="$(realpath "$dir")/enabled" turned_off
check "the log says why some stay off" sh -c "dmesg | grep -q 'tracer has failed: probes on its sites stay off'"
kprobes_stays
