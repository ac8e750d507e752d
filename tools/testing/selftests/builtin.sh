# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# modules: test_probe test_builtin_lock
#
# Side by side with the kernel's own kprobes, in one function.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
refused() { our_log | tail -n 1 | grep -q "can't probe ksys_sync.*: $1"; }

# builtin WHERE: puts a built-in probe there; builtin_off: removes it.
builtin() {
	(echo "p:lkp $1" >"$tracing"/kprobe_events) 2>/dev/null &&
		echo 1 >"$tracing"/events/kprobes/lkp/enable
}
builtin_off() {
	echo 0 >$tracing/events/kprobes/lkp/enable
	echo >$tracing/kprobe_events
}
builtin_hits() { awk '$1 == "lkp" { print $2 + $3 }' $tracing/kprobe_profile; }
same_hits() {
	[ "$(hits_of sync)" = 1 ] && [ "$(builtin_hits)" = "$1" ]
}

insmod kprobes.ko
# Ours has a mutex of that name, too.
mutex=$(grep -Fw kprobe_mutex /proc/kallsyms | awk '$3 == "kprobe_mutex" && NF == 3 { print "0x" $1 }')
tell_mutex() { echo "$mutex" >/sys/module/test_builtin_lock/parameters/builtin; }
if [ "$mutex" ]; then
	run_cases test_builtin_lock tell_mutex
else
	skip "text is not written while a built-in probe is registered" \
		"this kernel has no CONFIG_KALLSYMS_ALL"
fi

# An instruction always begins right behind the tracer's call.
behind=$(($(pad_size) + behind_site))

# A built-in probe first, then ours on the same place.
for at in 0 $behind; do
	check "+$at: theirs is there" builtin ksys_sync+"$at"
	refuse "+$at: ours is refused" insmod test_probe.ko symbol=ksys_sync offset="$at"
	check "+$at: for that reason" refused 'a kprobe of the kernel.s own is there'
	sync
	same "+$at: theirs works on" "$(builtin_hits)" 1
	builtin_off
	check "+$at: ours is accepted when it has gone" \
		insmod test_probe.ko symbol=ksys_sync offset="$at"
	same "+$at: and hit" "$(hits_of sync)" 1
	rmmod test_probe
done

# A built-in probe before ours in the same function.
check "theirs is at the entry" builtin ksys_sync
if insmod test_probe.ko symbol=ksys_sync offset=$behind 2>/dev/null; then
	check "ours behind it, both are hit" same_hits 1
	rmmod test_probe
else
	check "ours behind it is refused for that reason" refused 'a kprobe of the kernel.s own is before it'
fi
builtin_off
check "theirs is behind the entry" builtin ksys_sync+$behind
check "ours is at the entry" insmod test_probe.ko symbol=ksys_sync
check "both are hit" same_hits 1
builtin_off
same "ours stays when theirs goes" "$(hits_of sync)" 1
rmmod test_probe

# Ours first: the built-in one may be accepted or refused, and nothing breaks.
for at in 0 $behind; do
	insmod test_probe.ko symbol=ksys_sync offset="$at"
	same "+$at: ours is hit" "$(hits_of sync)" 1
	if builtin ksys_sync+"$at"; then
		echo "# +$at: theirs is accepted beside ours"
		same "+$at: ours is still hit" "$(hits_of sync)" 1
		rmmod test_probe
		sync
		check "+$at: theirs works when ours has gone" test "$(builtin_hits)" -ge 1
		builtin_off
	else
		echo "# +$at: theirs is refused beside ours"
		same "+$at: ours is still hit" "$(hits_of sync)" 1
		rmmod test_probe
		check "+$at: theirs is accepted when ours has gone" builtin ksys_sync+"$at"
		builtin_off
	fi
done
echo >$tracing/kprobe_events

# Theirs is a trap where ours is off: that is not ours, whoever is asked first.  What is left below
# theirs from before goes first.
check "what was below theirs goes" wait_for 20 rmmod kprobes
insmod kprobes.ko
[ ! -e /proc/sys/debug/kprobes-optimization ] || echo 0 >/proc/sys/debug/kprobes-optimization
turn_all() { (echo "$1" >$dir/enabled) 2>/dev/null; }
insmod test_probe.ko symbol=ksys_sync offset=$behind off=1
check "theirs is a trap where ours is disabled" builtin ksys_sync+$behind
same "ours is not hit" "$(hits_of sync)" 0
same "theirs is" "$(builtin_hits)" 1
refuse "ours is enabled there" tell disabled 0
same "ours is not hit still" "$(hits_of sync)" 0
same "theirs is still" "$(builtin_hits)" 2
builtin_off
check "ours is enabled when theirs has gone" tell disabled 0
same "and hit" "$(hits_of sync)" 1
check "all of ours are turned off" turn_all 0
check "theirs is a trap there, too" builtin ksys_sync+$behind
same "theirs is hit, and ours is not" "$(hits_of sync) $(builtin_hits)" '0 1'
refuse "all are turned on without an error" turn_all 1
same "ours is off there, and theirs is hit again" "$(hits_of sync) $(builtin_hits)" '0 2'
builtin_off
check "all are turned on" turn_all 1
same "ours is hit again" "$(hits_of sync)" 1
rmmod test_probe
[ ! -e /proc/sys/debug/kprobes-optimization ] || echo 1 >/proc/sys/debug/kprobes-optimization

# Ours in the five bytes that the built-in kprobes would replace with a jump.
insmod test_probe.ko symbol=ksys_sync offset=$behind
check "theirs at the entry, ours behind" builtin ksys_sync
check "both are hit, again" same_hits 1
builtin_off
rmmod test_probe
check "all is as before" sync
# A built-in probe over our trap, which is removed soon after the built-in one is gone.
check "kprobes.ko unloads" wait_for 20 rmmod kprobes
ktap_end
