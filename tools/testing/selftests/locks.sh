# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_locks
#
# Lists of the kernel's that change as modules come and go are read under the kernel's locks.
# shellcheck shell=sh

. ./ktap.sh

# tell NAME...: where the kernel's own mutexes of these names are; modules have some, too.
tell() {
	for name; do
		at=$(grep -Fw "$name" /proc/kallsyms |
			awk -v "name=$name" '$3 == name && NF == 3 { print "0x" $1; exit }')
		[ -z "$at" ] || echo "$at" >/sys/module/test_locks/parameters/"$name"
	done
}

insmod kprobes.ko
run_cases test_locks tell kprobe_mutex jump_label_mutex static_call_mutex ftrace_lock
rmmod kprobes
ktap_end
