# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: mainline/kprobe_example
# vm: own
#
# Mainline's own samples/kprobes/kprobe_example.c, built unmodified.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

told() { grep -Eq "$1" /tmp/log; }

insmod kprobes.ko
dmesg -c >/dev/null
check "it loads" insmod kprobe_example.ko
check "its probe is listed" grep -q ' k  kernel_clone+0x' $dir/list
(true) # a fork
check "it unloads" rmmod kprobe_example
dmesg -c >/tmp/log
check "it was planted" told 'Planted kprobe at'
check "its pre_handler was called" told 'handler_pre: <kernel_clone> p->addr = 0x.*, (ip|pc|nip) = '
check "its post_handler was called" told 'handler_post: <kernel_clone> p->addr = 0x.*, (flags|pstate|msr) = 0x'
check "it was unregistered" told 'kprobe at .* unregistered'

refuse "it does not load for a symbol there is none of" \
	insmod kprobe_example.ko symbol=no_such_function 2>/tmp/error
check "insmod says ENOENT" grep -q 'unknown symbol\|No such file' /tmp/error
dmesg >/tmp/log
check "and so does its line in the log" told 'register_kprobe failed, returned -2'
rmmod kprobes
ktap_end
