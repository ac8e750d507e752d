# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin
# arch: x86_64 powerpc
# modules: test_idle_hits
# timeout: 120
#
# No RCU waits for an idle CPU. Unregistering waits for the handler that runs there. On dropin an
# idle CPU surely calls arch_cpu_idle(); Debian's kernels have drivers that poll, or sleep, instead.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

if one_cpu; then
	skip "unregistering waits for handlers of idle CPUs" "there is one CPU, and it is not idle"
	ktap_end
fi
check "kprobes.ko loads" insmod kprobes.ko
if judged arch_cpu_idle "in noinstr text" >/dev/null; then
	skip "unregistering waits for handlers of idle CPUs" "newer kernels idle in noinstr text"
	rmmod kprobes
	ktap_end
fi
run_cases test_idle_hits
check "it unloads" rmmod kprobes
ktap_end
