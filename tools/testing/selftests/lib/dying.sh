# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts in which the kernel's function tracer shuts itself down, by one case of test_tracer_dies.
# shellcheck shell=sh

# tracer_dies PARAMETER CASE: of the cases that one runs, whose name ends so; the others are skipped.
tracer_dies() {
	insmod test_tracer_dies.ko "$1"
	cat /sys/kernel/debug/test_tracer_dies >/tmp/cases
	sed 's/^/# /' /tmp/cases
	refuse "no case fails" grep -q '^not ok' /tmp/cases
	check "its case ran" grep -q "^ok.*$2\$" /tmp/cases
	check "its module unloads" rmmod test_tracer_dies
	check "the tracer has died" sh -c "dmesg | grep -q 'kernel/trace/ftrace.c:.*ftrace_bug'"
}

# kprobes_stays: ends the script; what the tracer may call can't be unloaded.
kprobes_stays() {
	refuse "kprobes.ko stays, which the tracer calls" rmmod kprobes
	echo kprobes >>/tmp/stays
	ktap_end
}
