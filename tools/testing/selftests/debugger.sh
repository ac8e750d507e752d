# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_debugger test_probe kprobes/kprobe_example
# inject: yes
# timeout: 120
#
# A debugger that has set its breakpoint over our trap writes our trap back one day.  Until then the
# point stays, also if its probe is gone.  It calls nobody who is off, and stops nobody else.
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

# others_hits: how often the debugged function's probe is hit in a call.
example=/sys/module/kprobe_example/parameters
others_hits() {
	others_before=$(cat $example/hits)
	call
	echo $(($(cat $example/hits) - others_before))
}
turn_all() { (echo "$1" >$dir/enabled) 2>/dev/null; }

insmod test_debugger.ko
insmod kprobes.ko
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
insmod kprobe_example.ko symbol=lkp_debugged_fn offset="$(cat $debugger/at)" post=0
insmod test_probe.ko symbol=wakeup_flusher_threads
echo 1 >$debugger/set
check "all are turned off beside a breakpoint" turn_all 0
same "and are off" "$(cat $dir/enabled)" 0
same "an ordinary one is not hit" "$(hits_of sync)" 0
check "all are turned on" turn_all 1
same "an ordinary one is hit" "$(hits_of sync)" 1
check "all are turned off again" turn_all 0
echo 0 >$debugger/set
same "our trap is back, and calls nobody" "$(others_hits)" 0
check "it is removed" wait_for 10 original
turn_all 1
same "when all are on it is hit" "$(others_hits)" 1
echo 1 >$debugger/set
check "one below a breakpoint is disabled" sh -c "echo 1 >$example/disabled"
echo 0 >$debugger/set
same "it is not hit then" "$(others_hits)" 0
check "it is removed then" wait_for 10 original
rmmod test_probe kprobe_example
check "kprobes.ko unloads at last" unloads 10 kprobes
rmmod test_debugger

# But on x86-64, the kernel's debugger waits for nobody who is about to write to text.
insmod test_debugger.ko
insmod kprobes.ko
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
insmod test_probe.ko symbol=lkp_debugged_fn offset="$(cat $debugger/at)"
echo 1 >$debugger/late
check "the probe is unregistered as the debugger comes" rmmod test_probe
same "our trap is not there" "$(cat $debugger/original)" 1
refuse "kprobes.ko stays, as the debugger has a copy" unload
echo 0 >$debugger/set
check "the debugger has written that back, and the function works" call
check "our trap is removed then" wait_for 10 original
check "and it works" call
check "kprobes.ko unloads" wait_for 10 unload
rmmod test_debugger
ktap_end
