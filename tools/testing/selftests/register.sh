# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_register test_names test_reserved
# timeout: 120
#
# Where a kprobe may be registered, and the reasons for refusals.
# shellcheck shell=sh

. ./ktap.sh

# told REASON: a line in the log gives that reason.
told() { grep -q "kprobes: can't probe .*: $1 (error" /tmp/log; }

check "kprobes.ko loads" insmod kprobes.ko
dmesg -c >/dev/null
run_cases test_register
dmesg -c >/tmp/log
check "the log says: user space address" told "user space address"
check "the log says: no such symbol" told "no such symbol"
check "the log says: boundary" told "not on an instruction boundary"
check "the log says: registered already" told "already registered"
check "the log names symbol, offset and errno" \
	grep -q "can't probe no_such_function+0x0: .* (error -2)" /tmp/log
refuse "the log gives an address with one offset" \
	grep -Eq "can't probe [^ ]*\+0x[^ ]*\+0x" /tmp/log

run_cases test_names
dmesg -c >/tmp/log
check "the log counts two functions of a module" \
	grep -q '2 functions are called lkp_test_twin: taking' /tmp/log
check "the log counts the kernel's and a module's" \
	grep -q '2 functions are called ksys_sync: taking' /tmp/log
refuse "the log is silent about a name that was narrowed" \
	grep -q 'functions are called .*:ksys_sync' /tmp/log

run_cases test_reserved
check "it unloads" rmmod kprobes
ktap_end
