# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_impostor test_probe test_register kprobes/kretprobe_example
#
# What the kernel lacks may be the name of a function in some module, which is something else, and
# goes with its module.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

calls() { cat /sys/module/test_impostor/parameters/calls; }

insmod test_impostor.ko
check "kprobes.ko loads beside a module that has functions of the kernel's names" insmod kprobes.ko
run_cases test_register
insmod kretprobe_example.ko
check "a task's stack is followed" grep -q . /proc/self/stack
rmmod kretprobe_example
refuse "none of its functions is on the blacklist" grep test_impostor $dir/blacklist
same "none of the functions was called" "$(calls)" 0
check "the module unloads" rmmod test_impostor
check "a probe is registered when it has gone" insmod test_probe.ko symbol=wakeup_flusher_threads
check "and hit" [ "$(hits_of sync)" -ge 1 ]
rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
ktap_end
