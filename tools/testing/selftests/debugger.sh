# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_debugger test_probe
# timeout: 120
#
# A debugger that has set its breakpoint over our trap writes our trap back one day.  Until then the
# point stays, also if its probe is gone.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

debugger=/sys/module/test_debugger/parameters
original() { [ "$(cat $debugger/original)" = 1 ]; }
call() { echo 1 >$debugger/call; }
unload() { rmmod kprobes 2>/dev/null; }

insmod test_debugger.ko
insmod kprobes.ko
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
check "it is probed" insmod test_probe.ko symbol=lkp_debugged_fn offset="$(cat $debugger/at)"
same "and hit" "$(hits_of call)" 1
check "the debugger sets a breakpoint there" sh -c "echo 1 >$debugger/set"
check "the probe is unregistered" rmmod test_probe
refuse "kprobes.ko stays" unload
check "the debugger takes its breakpoint back" sh -c "echo 0 >$debugger/set"
check "the function works" call
check "our trap is removed then" wait_for 10 original
check "and it works" call
check "kprobes.ko unloads" wait_for 10 unload
check "without a trace" call
rmmod test_debugger

insmod test_debugger.ko
insmod kprobes.ko
insmod test_probe.ko symbol=lkp_debugged_fn offset="$(cat $debugger/at)"
echo 1 >$debugger/set
echo 0 >$debugger/set
same "a breakpoint that came and went meanwhile changes nothing" "$(hits_of call)" 1
check "the probe is unregistered" rmmod test_probe
check "the text is the original at once" original
check "kprobes.ko unloads then" unloads 10 kprobes
rmmod test_debugger
ktap_end
