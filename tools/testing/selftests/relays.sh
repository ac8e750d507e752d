# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin stock noftrace
# modules: test_relays test_probe test_target test_text
# timeout: 240
#
# Short jumps to relays in padding: all text is as before when they have gone, whoever goes first.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

sums() { sort /sys/kernel/debug/test_text; }

check "text has checksums" insmod test_text.ko start="$(symbol _stext)" end="$(symbol _etext)"
insmod test_target.ko
check "kprobes.ko loads" insmod kprobes.ko
before=$(sums)
dmesg -c >/dev/null
run_cases test_relays
same "text is as before" "$(sums)" "$before"

# relayed: a probe of a client's becomes a short jump in a module that does not know us.
relayed() {
	insmod test_probe.ko symbol=lkp_cramped_fn \
		offset="$(cat /sys/module/test_target/parameters/cramped)"
	check "$1: it becomes a jump" wait_for 20 grep -q OPTIMIZED $dir/list
	same "$1: it is hit" "$(hits_of target_call)" 1
}

relayed "its module goes first"
check "its module unloads" rmmod test_target
rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
insmod test_target.ko
before=$(sums)
insmod kprobes.ko

relayed "kprobes.ko goes at once"
rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
same "text is as before once more" "$(sums)" "$before"
check "the probed functions work" target_call
dmesg >/tmp/log
refuse "the log says that text was not as it should be" grep 'not what it was' /tmp/log
rmmod test_target
rmmod test_text
ktap_end
