# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# arch: x86_64 arm64
# modules: test_rets
# timeout: 240
#
# A CPU that goes offline never returns from the function that it ends in.  When it comes back
# its idle task begins anew, on the same stack.  Unregistering waits for neither.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

if one_cpu; then
	skip "a CPU goes offline in a function" "there is one CPU"
	ktap_end
fi
rets=/sys/module/test_rets/parameters
cpu=/sys/devices/system/cpu/cpu1/online
kprobes_unload() { rmmod kprobes 2>/dev/null; }
entered() { [ "$(cat $rets/entries)" -gt "$before" ]; }
# offline, online: one call of the function by CPU 1, which does not return.
offline() {
	before=$(cat $rets/entries)
	echo 0 >$cpu && wait_for 10 entered
}
online() { echo 1 >$cpu; }

if ! [ -e $cpu ]; then
	skip "a CPU goes" "this machine has one, or it stays"
	ktap_end
	exit
fi
insmod kprobes.ko
if ! insmod test_rets.ko func=arch_cpu_idle_dead nr=2 maxactive=9; then
	case $(uname -m)-$(uname -r) in
	x86_64-6.1.*) not_ok "a CPU goes in a followed call" ;;
	*)	skip "a CPU goes in a followed call" "what it ends in can't be probed" ;;
	esac
	rmmod kprobes
	ktap_end
	exit
fi
check "a CPU goes" offline
check "and comes back" online
check "again" offline
check "and again" online
check "the client unloads after that" unloads 30 test_rets
check "and so does kprobes.ko" wait_for 20 kprobes_unload

insmod kprobes.ko
insmod test_rets.ko func=arch_cpu_idle_dead nr=2 maxactive=9
check "a CPU is gone" offline
check "the client unloads meanwhile" unloads 30 test_rets
check "the CPU comes back" online
check "kprobes.ko unloads then" wait_for 20 kprobes_unload

# No instance is left for the second call, so it is missed, on a CPU that is not online any more:
# work that is queued there would never be run, nor waited for with success.
missed() { [ "$(cat $rets/missed)" -gt 0 ]; }
insmod kprobes.ko
insmod test_rets.ko func=arch_cpu_idle_dead nr=1 maxactive=1
check "one call is followed" offline
online
echo 0 >$cpu
check "the next is missed, on a CPU that goes" wait_for 10 missed
online
check "the client unloads behind that" unloads 30 test_rets
check "so does kprobes.ko" unloads 30 kprobes
check "the CPU goes and comes without any probe" sh -c "echo 0 >$cpu && echo 1 >$cpu"

# Its idle task lives on, and so do its calls for all that is known of them: they are on no stack any more.
count() { cat $rets/$1; }
misses_end() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		before=$(count missed)
		sleep 1
		[ "$(count missed)" -gt "$before" ] || return 0
	done
	return 1
}
returns() { before=$(count hits) && sleep 1 && [ "$(count hits)" -gt "$before" ]; }
insmod kprobes.ko
if insmod test_rets.ko func=do_idle maxactive=3; then
	for _ in 1 2 3 4 5; do
		echo 0 >$cpu
		sleep 0.3
		echo 1 >$cpu
	done
	check "there are instances again for calls that a CPU has taken with it" misses_end
	check "and returns" returns
	check "this client unloads" unloads 30 test_rets
else
	skip "there are instances again for calls that a CPU has taken with it" "do_idle can't be probed"
fi
check "kprobes.ko unloads behind that" unloads 30 kprobes

# On a real-time kernel a thread runs irq_works, and is not there any more while the CPU is still online.
insmod kprobes.ko
if insmod test_rets.ko func=multi_cpu_stop maxactive=1; then
	for _ in 1 2 3; do
		echo 0 >$cpu
		echo 1 >$cpu
	done
	echo 0 >$cpu
	check "calls were missed as CPUs went" test "$(count missed)" -gt 0
	check "a client unloads while the CPU is gone" unloads 30 test_rets
	check "kprobes.ko unloads then, too" unloads 30 kprobes
	echo 1 >$cpu
else
	skip "calls were missed as CPUs went" "multi_cpu_stop can't be probed"
	rmmod kprobes
fi
ktap_end
