# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# once: yes
# modules: test_probe test_target test_nops
# timeout: 120
#
# Probed modules and clients that are unloaded while their probes are jumps.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

lists() { grep -Eq "$1" "$dir"/list; }
becomes_jump() { wait_for 20 lists '\[OPTIMIZED\]$'; }
status_says() { grep -q "$1" $dir/status; }
insmod kprobes.ko

insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
# plant [PARAMETER...]: registers a probe and waits until it is a jump.
plant() {
	insmod test_probe.ko symbol=lkp_target_fn offset="$at" "$@"
	check "$kind: it becomes a jump" becomes_jump
}

kind='module goes'
plant
same "$kind: hit" "$(hits_of target_call)" 1
check "$kind: the probed module unloads" rmmod test_target
check "$kind: listed as gone" lists '\[GONE\]'
refuse "$kind: and not as a jump" lists OPTIMIZED
check "$kind: its status is gone" status_says '^k .* gone$'
check "$kind: it says so" grep -q gone $parameters/flags
check "$kind: enabling is EINVAL" told_error 'Invalid argument' disabled 0
check "$kind: the probed module comes back" insmod test_target.ko
same "$kind: that does not revive it" "$(hits_of target_call)" 0
check "$kind: unregistered" tell planted 0
same "$kind: the list is empty" "$(cat $dir/list)" ''
check "$kind: registered anew" tell planted 1
check "$kind: a jump anew" becomes_jump
same "$kind: hit again" "$(hits_of target_call)" 1
rmmod test_probe

# Before the optimiser has handled the probe, and while it does.
kind='module goes early'
for pause in 0 0.05 0.1 0.15 0.2; do
	insmod test_probe.ko symbol=lkp_target_fn offset="$at"
	sleep $pause
	rmmod test_target || not_ok "$kind: after $pause s the probed module unloads"
	sleep 0.1
	insmod test_target.ko
	rmmod test_probe
	target_call || not_ok "$kind: after $pause s its functions work"
done
check "$kind: all is well" target_call
same "$kind: nothing is left" "$(cat $dir/list)" ''

kind='neighbour stays loaded'
insmod test_nops.ko
plant
check "$kind: another module unloads" rmmod test_nops
check "$kind: it is still a jump" lists '\[OPTIMIZED\]$'
same "$kind: hit" "$(hits_of target_call)" 1
rmmod test_probe

kind='module not in use'
plant
same "$kind" "$(awk '$1 == "test_target" { print $3 }' /proc/modules)" 0
rmmod test_probe

kind='all off'
plant
echo 0 >$dir/enabled
refuse "$kind: it is no jump" lists OPTIMIZED
same "$kind: it is not hit" "$(hits_of target_call)" 0
check "$kind: its status is off" status_says '^k test_target:lkp_target_fn+0x[0-9a-f]* off$'
sleep 0.5
same "$kind: it is still not hit" "$(hits_of target_call)" 0
echo 1 >$dir/enabled
same "$kind: on again it is hit" "$(hits_of target_call)" 1
check "$kind: on again it becomes a jump" becomes_jump
same "$kind: and is hit" "$(hits_of target_call)" 1
echo 0 >$dir/enabled
check "$kind: the client unloads" rmmod test_probe
echo 1 >$dir/enabled
same "$kind: nothing is left" "$(cat $dir/list)" ''
check "$kind: the functions work" target_call

kind='client forgets'
dmesg -c >/dev/null
plant forget=1
check "$kind: it unloads" rmmod test_probe
dmesg >/tmp/log
check "$kind: the log says so" \
	grep -q 'module test_probe goes and leaves its probe at .* registered' /tmp/log
check "$kind: the functions work" target_call
same "$kind: nothing is left" "$(cat $dir/list)" ''

kind='client unloads'
plant
check "$kind: it unloads" rmmod test_probe
check "$kind: the functions work" target_call
same "$kind: nothing is left" "$(cat $dir/list)" ''

kind='gone, client forgets'
plant forget=1
rmmod test_target
check "$kind: it unloads" rmmod test_probe
same "$kind: nothing is left" "$(cat $dir/list)" ''

# Init text is freed before its probes could become jumps.
kind='init text'
insmod test_probe.ko symbol=lkp_target_in_init when=1
check "$kind: the module loads" insmod test_target.ko
same "$kind: hit" "$(value hits)" 1
[ -z "$init_text_goes" ] || check "$kind: gone" lists '\[GONE\]'
sleep 0.5
check "$kind: the functions work" target_call
rmmod test_probe

kind='kprobes.ko unloads at once'
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
rmmod test_probe
check "$kind: with nothing done yet" rmmod kprobes
check "$kind: the functions work" target_call
insmod kprobes.ko
plant
rmmod test_probe
check "$kind: after a jump" rmmod kprobes
check "$kind: the functions work then" target_call
rmmod test_target
ktap_end
