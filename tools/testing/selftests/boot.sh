# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin noftrace stock debug
#
# The kernel has the features that the other tests assume.
# shellcheck shell=sh

. ./ktap.sh
. ./kernel.sh

if [ -e /proc/config.gz ]; then
	refuse "no kprobes in the drop-in kernel" has_symbol register_kprobe
else
	check "kprobes in the stock kernel" has_symbol register_kprobe
fi

check "debugfs is mounted" grep -q ' /sys/kernel/debug debugfs ' /proc/mounts
check "tracefs is mounted" grep -q ' tracefs ' /proc/mounts
check "kprobes.ko loads" insmod kprobes.ko
refuse "no breakpoint of the kernel's is taken for another tool's" \
	sh -c "dmesg | grep 'hides what runs in a trap'"
check "and unloads" rmmod kprobes
ktap_end
