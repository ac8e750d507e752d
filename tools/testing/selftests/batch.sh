# SPDX-License-Identifier: GPL-2.0-only
#
# modules: batch_example
#
# The sample that registers an array of kprobes.
# shellcheck shell=sh

. ./ktap.sh
. ./kernel.sh

debug=/sys/kernel/debug
dir=$debug/kprobes
has_symbol register_kprobe && dir=$debug/lkprobes
param=/sys/module/batch_example/parameters

hits_of() { sed -n "s/^$1 //p" $param/hits; }
work() { for _ in 1 2 3; do cat /proc/uptime >/dev/null; done; }
# shellcheck disable=SC2317 # called by check
at_least() { [ "$1" -ge "$2" ]; }

insmod kprobes.ko
check "loads" insmod batch_example.ko symbols=vfs_read,vfs_open,kernel_clone
same "each is in the list" "$(grep -cE ' k +(vfs_read|vfs_open|kernel_clone)\+' $dir/list)" 3
before=$(hits_of vfs_read)
work
check "reads are counted" at_least "$(hits_of vfs_read)" $((before + 3))
check "forks are counted" at_least "$(hits_of kernel_clone)" 3
check "unloads" rmmod batch_example
same "none is left" "$(cat $dir/list)" ""

dmesg -c >/dev/null
refuse "a wrong name fails all" insmod batch_example.ko symbols=vfs_read,no_such_function 2>/dev/null
check "and says which and why" sh -c \
	'dmesg | grep -q "no_such_function: no such symbol"'
same "none of it is registered" "$(cat $dir/list)" ""
rmmod kprobes
ktap_end
