# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: backports trixie sid
# timeout: 120
# modules: test_probe test_register
# append: retbleed=force,stuff spectre_v2=retpoline
#
# Where the kernel counts the calls of its own functions, each call leads to what counts it, in the
# padding before the function.  The functions on a breakpoint's way to the handlers are known all
# the same.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

events=/sys/kernel/tracing/events
probed() { (insmod test_probe.ko symbol="$1") 2>/dev/null; }
listed() { grep -q "	$1\$" $dir/blacklist; }

check "the kernel counts calls" \
	grep -q 'Mitigation: Stuffing' /sys/devices/system/cpu/vulnerabilities/retbleed
check "kprobes.ko loads" insmod kprobes.ko
# It is not listed by name, and found only by following calls.
function=tracing_gen_ctx_irq_test
check "$function() is refused, as it runs in a trap" listed $function
refuse "it can't be probed" probed $function
check "few of the padding are" [ "$(grep -c '	__pfx_' $dir/blacklist)" -lt 20 ]
echo 1 >$events/notifier/notifier_run/enable 2>/dev/null
run_cases test_register
[ ! -e $events/notifier ] || echo 0 >$events/notifier/notifier_run/enable
check "kprobes.ko unloads" rmmod kprobes
ktap_end
