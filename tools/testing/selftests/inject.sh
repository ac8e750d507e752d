# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_inject test_probe test_target test_text fprobe/fprobe_example jprobe_example
# inject: yes
# timeout: 400
#
# Error paths of traps: each step that can fail is made to fail, one after the
# other. The optimiser is off.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

sums() { sort /sys/kernel/debug/test_text | grep -v '^test_probe '; }
fail=/sys/module/kprobes/parameters/fail_nth
switch=/proc/sys/debug/$(basename $dir)-optimization
# load_traps: loads kprobes.ko with the optimiser off, so that its steps do not
# count; optimize_inject.sh tests those.
load_traps() { insmod kprobes.ko && echo 0 >"$switch"; }
# has_failed: the step that was to fail has.
has_failed() { [ "$(cat $fail)" -le 0 ]; }
insmod test_target.ko
check "text has checksums" insmod test_text.ko start="$(symbol _stext)" end="$(symbol _etext)"
before=$(sums)

# Loading fails at each step in turn, until there are no more steps.
step=1 failures=0 bad=
while [ $step -lt 200 ]; do
	if insmod kprobes.ko fail_nth=$step 2>/dev/null; then
		left=$(cat $fail)
		rmmod kprobes || bad="$bad unload-$step"
		[ "$left" -le 0 ] || break
	else
		failures=$((failures + 1))
	fi
	[ "$(sums)" = "$before" ] || bad="$bad text-$step"
	[ ! -e $dir ] || bad="$bad folder-$step"
	step=$((step + 1))
done
same "nothing is left of a load that failed at any step" "$bad" ''
check "it failed at each of many steps" test $failures -gt 20
check "and worked when none failed" test $step -lt 200

check "kprobes.ko loads" load_traps
# Loading may redirect a call in the kernel's text, see text.sh.
loaded=$(sums)
run_cases test_inject
same "text is as before" "$(sums)" "$loaded"

# All off and on by debugfs.
at=$(cat /sys/module/test_target/parameters/at)
insmod test_probe.ko symbol=lkp_target_fn offset="$at"
echo 0 >$dir/enabled
# Without the first steps only stack traces are shorter, where those go through slots.
step=1
while echo $step >$fail; (echo 1 >$dir/enabled) 2>/dev/null && [ $step -lt 20 ]; do
	echo 0 >$fail
	echo 0 >$dir/enabled
	step=$((step + 1))
done
check "enabling all fails" test $step -lt 20
same "and all are off" "$(cat $dir/enabled)" 0
same "nothing is hit" "$(hits_of target_call)" 0
echo 1 >$dir/enabled
same "the next attempt works" "$(hits_of target_call)" 1
echo 1 >$fail
(echo 0 >$dir/enabled) 2>/dev/null
same "disabling all fails" $? 1
same "it is still on, and says so" "$(hits_of target_call) $(cat $dir/enabled)" '1 1'
echo 0 >$dir/enabled
same "the next attempt to disable works" "$(hits_of target_call)" 0
echo 1 >$dir/enabled

# A trap that could not be removed is, before a client that waits for it goes on.
echo 1 >$fail
tell planted 0
check "a trap can't be removed" has_failed
tell settle 1
same "who waits until text stays finds it as before" "$(sums)" "$loaded"

# Nor does it stay, or call anybody, if it is taken over by a probe that is off like all others, or
# by itself.
tell planted 1
echo 1 >$fail
tell planted 0
check "a trap can't be removed once more" has_failed
echo 0 >$dir/enabled
tell planted 1
same "one that is off with all others takes it over, not hit" "$(hits_of target_call)" 0
tell settle 1
same "it is removed" "$(sums)" "$loaded"
echo 1 >$dir/enabled
same "it is hit when all are on" "$(hits_of target_call)" 1
rmmod test_probe
insmod test_probe.ko symbol=lkp_target_fn offset="$at" lazy=1 off=1
tell planted 1
tell disabled 0
echo 1 >$fail
tell planted 0
check "nor can this one" has_failed
tell planted 1
same "a disabled one takes it over, not hit" "$(hits_of target_call)" 0
tell settle 1
same "it is removed, too" "$(sums)" "$loaded"
rmmod test_probe

# A trap that could not be removed keeps kprobes.ko loaded until it is removed.  That is tried again
# soon: on a slow machine it may come before the attempt to unload.
trap_stays() {
	for _ in 1 2 3 4 5; do
		insmod test_probe.ko symbol=lkp_target_fn offset="$at"
		echo 1 >$fail
		tell planted 0
		rmmod test_probe || return
		rmmod kprobes 2>/dev/null || return 0
		load_traps
	done
	return 1
}
check "while a trap is left kprobes.ko does not unload" trap_stays
check "the target works" target_call
check "it unloads when the trap is gone" wait_for 20 rmmod kprobes
same "and text is as before" "$(sums)" "$before"

# The same on a function entry.
load_traps
insmod test_probe.ko symbol=lkp_target_in_c
same "an entry is hit" "$(hits_of target_call)" 1
echo 1 >$fail
tell planted 0
has_failed || echo "# nothing there can fail"
echo 0 >$fail
rmmod test_probe
check "the target works, with or without an entry left" target_call
check "it unloads then, too" wait_for 20 rmmod kprobes
same "text is as before, too" "$(sums)" "$before"

# The probed module is unloaded while its trap is still there.
load_traps
insmod test_probe.ko symbol=lkp_target_fn offset="$(cat /sys/module/test_target/parameters/at)"
echo 1 >$fail
tell planted 0
check "a trap is left" has_failed
check "a module with it unloads" rmmod test_target
rmmod test_probe
check "and then kprobes.ko does" wait_for 20 rmmod kprobes

# Not at once, but the text still runs.
load_traps
bad='' failures=0
for step in 1 2 3 4; do
	insmod test_target.ko late=1
	insmod test_probe.ko symbol=lkp_target_fn offset="$at"
	echo $step >$fail
	rmmod test_target || bad="$bad target-$step"
	! has_failed || failures=$((failures + 1))
	echo 0 >$fail
	rmmod test_probe || bad="$bad client-$step"
done
same "a module unloads whose text runs until its end" "$bad" ''
check "while steps fail" test $failures -gt 0
rmmod kprobes

# The same with an entry, while the tracer has another of ours.
load_traps
insmod fprobe_example.ko symbol=ksys_sync stackdump=0
bad='' failures=0
for step in 1 2 3 4 5 6; do
	insmod test_target.ko
	insmod test_probe.ko symbol=lkp_target_in_c
	echo $step >$fail
	rmmod test_target || bad="$bad target-$step"
	! has_failed || failures=$((failures + 1))
	echo 0 >$fail
	rmmod test_probe || bad="$bad client-$step"
	insmod test_target.ko || bad="$bad again-$step"
	insmod test_probe.ko symbol=lkp_target_in_c || bad="$bad probe-$step"
	[ "$(hits_of target_call)" = 1 ] || bad="$bad hits-$step"
	rmmod test_probe test_target
done
same "a module unloads whatever fails, and is probed again" "$bad" ''
check "some steps do" test $failures -gt 0

# Memory stays short for longer than anybody waits: what can't be removed goes with the text.
all=/sys/module/kprobes/parameters/fail_all
for where in "lkp_target_in_c offset=0" "lkp_target_fn offset=$at"; do
	insmod test_target.ko
	# shellcheck disable=SC2086 # two parameters
	insmod test_probe.ko symbol=$where
	dmesg -c >/dev/null
	echo 1 >$all
	check "$where: the module unloads" rmmod test_target
	echo 0 >$all
	check "$where: that is said" sh -c "dmesg | grep -q 'they go with its text'"
	check "$where: it is gone" grep -q 'GONE' $dir/list
	rmmod test_probe
	insmod test_target.ko
	# shellcheck disable=SC2086
	insmod test_probe.ko symbol=$where
	same "$where: probed again and hit" "$(hits_of target_call)" 1
	rmmod test_probe test_target
done
rmmod fprobe_example
# It may not be switched off while it serves probes.
tracer=/proc/sys/kernel/ftrace_enabled
if [ -e $tracer ]; then
	check "the function tracer is let go" sh -c "echo 0 >$tracer"
	echo 1 >$tracer
	echo 0 >$dir/enabled
	check "a jprobe is registered while all are off" insmod jprobe_example.ko
	check "and not held for a jprobe that is off" sh -c "echo 0 >$tracer"
	echo 1 >$tracer
	rmmod jprobe_example
	echo 1 >$dir/enabled
fi
check "nothing of it keeps kprobes.ko" wait_for 20 rmmod kprobes
rmmod test_text
ktap_end
