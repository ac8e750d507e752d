# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin stock
# modules: test_oopsed
# timeout: 120
# vm: own
# allow: ^BUG: kernel NULL pointer dereference, address: 0000000000000008
# allow: ^Oops:
# allow: ^Call Trace:
#
# A handler oopses, and its task is killed.
# shellcheck shell=sh

. ./ktap.sh

# The other CPUs' traces are of no interest.
for file in oops_all_cpu_backtrace unknown_nmi_panic; do
	[ ! -e /proc/sys/kernel/$file ] || echo 0 >/proc/sys/kernel/$file
done
check "kprobes.ko loads" insmod kprobes.ko
run_cases test_oopsed
same "three have oopsed" "$(dmesg | grep -c 'BUG: kernel NULL pointer dereference')" 3
check "it unloads" rmmod kprobes
ktap_end
