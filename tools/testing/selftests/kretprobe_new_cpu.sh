# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64 arm64
# smp: 2
# append: maxcpus=1
# modules: test_rets
#
# A CPU comes for the first time.  Its idle task enters what it never leaves before it is marked
# as one.  Unregistering does not wait for it.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
kprobes_unload() { rmmod kprobes 2>/dev/null; }
entered() { [ "$(cat $rets/entries)" -gt 0 ]; }
come() { echo 1 >/sys/devices/system/cpu/cpu1/online && wait_for 10 entered; }

insmod kprobes.ko
if insmod test_rets.ko func=cpu_startup_entry nr=2 maxactive=9 2>/dev/null; then
	check "a CPU comes, and is in a followed call for good" come
	check "the client unloads all the same" unloads 30 test_rets
	check "and kprobes.ko at once" wait_for 5 kprobes_unload
else
	case $(uname -m)-$(uname -r) in
	x86_64-6.1.*) not_ok "a CPU comes in a followed call" ;;
	*)	skip "a CPU comes in a followed call" "what it begins with can't be probed" ;;
	esac
	rmmod kprobes
fi
ktap_end
