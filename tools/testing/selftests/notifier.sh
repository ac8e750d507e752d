# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# arch: x86_64 powerpc
# modules: test_notifier test_probe
# timeout: 120
#
# A notifier that is called for each trap before our own would be called for its own trap,
# again and again.  It is refused, wherever in it the probe is; one that comes later is not.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# why FUNCTION: the reason; where the kernel's own kprobes refuse the function, that is one, too, and
# which of the two is told first is not promised.
why() {
	theirs=/sys/kernel/debug/kprobes/blacklist
	if [ "$dir" != "${theirs%/*}" ] && grep -qw "$1" $theirs; then
		echo "\(on the blacklist of the kernel's own kprobes\|called for every trap\)"
	else
		echo "called for every trap"
	fi
}

# refused PLACE: it is, and the files say so.
refused() {
	check "$1: check says why" judged "$1" "refused: $(why "$1")"
	refuse "$1: not registered" insmod test_probe.ko symbol="$1"
}

insmod test_notifier.ko
insmod kprobes.ko
refused hw_breakpoint_exceptions_notify
# Others are found by the head of the chain.
if has_symbol die_chain; then
	refused lkp_notified
	check "nor in the middle of it" judged lkp_notified+0x4 "refused: called for every trap"
	check "it is on the blacklist" grep -q lkp_notified $dir/blacklist
else
	skip "lkp_notified is refused" "this kernel has no CONFIG_KALLSYMS_ALL"
fi
check "rmmod of the notifier" rmmod test_notifier
refuse "and off the blacklist with its module" grep -q lkp_notified $dir/blacklist

insmod test_notifier.ko
check "one that comes after ours is probed" insmod test_probe.ko symbol=lkp_notified
check "and unregistered" rmmod test_probe
rmmod test_notifier
check "kprobes.ko unloads" rmmod kprobes
ktap_end
