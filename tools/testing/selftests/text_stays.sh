# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_text test_target test_probe test_faults
# timeout: 120
# once: yes
#
# For clients that check the kernel's text: once wait_for_kprobe_optimizer() has returned
# it stays as it is, that of kprobes.ko included; and the module can be loaded with jumps
# turned off.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

sums() { sort /sys/kernel/debug/test_text; }
list() { sed 's/^[0-9a-f]* *//' $dir/list; }
# Longer than the optimiser, its retries and the reclaiming of slots take, which begins after a second
a_while() { sleep 2.5; }
# stays NAME: text and list are the same after a while.
stays() {
	before=$(sums; list)
	a_while
	same "$1: text and list stay as they are" "$(sums; list)" "$before"
}
is_jump() { grep -q OPTIMIZED $dir/list; }
plant() { insmod test_probe.ko symbol=lkp_target_fn offset="$at"; }

insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
check "text has checksums" insmod test_text.ko start="$(symbol _stext)" end="$(symbol _etext)"

insmod kprobes.ko
echo 1 >/sys/module/test_text/parameters/ours
plant
tell settle 1
check "registered and waited: it is a jump" is_jump
stays "registered and waited"
same "it is hit" "$(hits_of target_call)" 1
tell disabled 1
tell disabled 0
tell settle 1
check "turned off, on and waited: it is a jump" is_jump
stays "turned off, on and waited"
tell planted 0
tell settle 1
stays "unregistered and waited"

# Instructions that may fault have slots in our own text, which are cleared some time later.
insmod test_faults.ko
cat /sys/kernel/debug/test_faults >/tmp/faults
rmmod test_faults
check "such instructions are probed" all_passed /tmp/faults
tell settle 1
stays "slots freed and waited"
rmmod test_probe
rmmod kprobes

insmod kprobes.ko optimization=0
switch=/proc/sys/debug/$(basename $dir)-optimization
same "loaded with jumps off: the sysctl says so" "$(cat "$switch")" 0
same "and so does the parameter" "$(cat /sys/module/kprobes/parameters/optimization)" N
plant
stays "with jumps off, without a wait"
refuse "it is no jump" is_jump
check "the status says why" grep -q 'trap: optimisation is turned off$' $dir/status
tell settle 1
refuse "nor when somebody has waited" is_jump
echo 1 >"$switch"
check "turned on: it is a jump" is_jump
same "and the parameter says so" "$(cat /sys/module/kprobes/parameters/optimization)" Y
same "it is hit, too" "$(hits_of target_call)" 1
rmmod test_probe
rmmod kprobes
insmod kprobes.ko
same "loaded without the parameter they are on" "$(cat "$switch")" 1
rmmod kprobes
rmmod test_text test_target
ktap_end
