# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_opt_inject test_probe test_target test_text
# inject: yes
# timeout: 400
#
# Error paths of jumps: each step that can fail is made to fail, one after the other.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

sums() { sort /sys/kernel/debug/test_text | grep -v '^test_probe '; }
fail=/sys/module/kprobes/parameters/fail_nth
insmod test_target.ko
check "text has checksums" insmod test_text.ko start="$(symbol _stext)" end="$(symbol _etext)"
at=$(cat /sys/module/test_target/parameters/at)

check "kprobes.ko loads" insmod kprobes.ko
# Loading may redirect a call in the kernel's text, see text.sh.
before=$(sums)
run_cases test_opt_inject
same "text is as before" "$(sums)" "$before"

# The first probe in a module makes the optimiser scan its text: each step fails in turn.
step=1 bad='' reached=1
while [ $reached = 1 ] && [ $step -lt 60 ]; do
	insmod test_probe.ko symbol=lkp_target_fn offset="$at"
	echo $step >$fail
	[ "$(hits_of target_call)" = 1 ] || bad="$bad early-$step"
	wait_for 20 grep -q OPTIMIZED $dir/list || bad="$bad trap-$step"
	[ "$(cat $fail)" -le 0 ] || reached=0
	echo 0 >$fail
	[ "$(hits_of target_call)" = 1 ] || bad="$bad hits-$step"
	rmmod test_probe
	rmmod test_target
	insmod test_target.ko || bad="$bad module-$step"
	step=$((step + 1))
done
same "it becomes a jump in the end, whatever failed" "$bad" ''
check "it failed at each of several steps" test $step -gt 4
same "and worked when none failed" "$reached" 0

# A jump that could not be removed keeps kprobes.ko loaded until it is removed.
held=0 bad=''
for step in 1 2 3 4 5 6; do
	insmod test_probe.ko symbol=lkp_target_fn offset="$at"
	wait_for 20 grep -q OPTIMIZED $dir/list || bad="$bad trap-$step"
	echo $step >$fail
	tell planted 0
	echo 0 >$fail
	target_call || bad="$bad target-$step"
	rmmod test_probe || bad="$bad client-$step"
	if ! rmmod kprobes 2>/dev/null; then
		held=$((held + 1))
		wait_for 20 rmmod kprobes 2>/dev/null || bad="$bad held-$step"
	fi
	target_call || bad="$bad after-$step"
	insmod kprobes.ko
done
same "kprobes.ko unloads when no jump is left" "$bad" ''
check "and not before" test $held -gt 0

# The probed module is unloaded while its jump is still there.
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
check "it becomes a jump anew" wait_for 20 grep -q OPTIMIZED $dir/list
echo 2 >$fail
tell planted 0
same "a step of its removal fails" "$(cat $fail)" 0
check "a module with a jump left in it unloads" rmmod test_target
rmmod test_probe
check "and then kprobes.ko does" wait_for 20 rmmod kprobes
rmmod test_text
ktap_end
