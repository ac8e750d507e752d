# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_events kprobes_events
# append: tp_printk
# timeout: 100
#
# With the boot option tp_printk the kernel prints each record when it is made: as it is seen later.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
parameters=/sys/module/test_events/parameters
events=$dir/events
target=test_events:lkp_events_target

define() { echo "$1" >>$events/kprobe_events; } 2>/dev/null
turn() { echo "$2" >"$tracing/events/lkprobes/$1/enable"; }
# texts: what is said of hits, without when.
texts() { sed -n 's/^.*\(\(it\|back\): (.*)\)/\1/p'; }

insmod kprobes.ko
load_events
insmod test_events.ko
same "records are printed" "$(cat /proc/sys/kernel/tracepoint_printk)" 1
define "p:it $target n=\$arg2:u8 s=+0(+24(\$arg1)):string a=+32(\$arg1):string[2] m=+16(\$arg1):u16[4] c=\$comm"
define "r:back $target \$retval s=+0(+24(\$arg1)):string u=+0(\$arg4):ustring"
turn it 1
turn back 1
dmesg -c >/dev/null
echo string >$parameters/call
echo unmapped >$parameters/call
dmesg | texts >printed
turn it 0
turn back 0
texts <$tracing/trace >seen
same "each is printed" "$(grep -cE '^(it|back): ' printed)" 4
same "as it is seen" "$(cat printed)" "$(cat seen)"
check "with numbers and strings" grep -q 'n=41 s="a name" a={"one","two"} m={1,20,300,4000} c="' printed
check "with what can't be read" grep -q 'arg1=0x2a s="a name" u=(fault)' printed

true >$events/kprobe_events
check "kprobes_events.ko unloads" rmmod kprobes_events
rmmod test_events
check "kprobes.ko unloads" wait_for 20 rmmod kprobes
ktap_end
