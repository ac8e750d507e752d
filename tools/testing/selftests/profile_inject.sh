# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_profile
# inject: yes
# timeout: 300
#
# Each step of turning the file "profile" on that can fail is made to fail, one after the other, and
# every fifth of registering probes while hits are counted: there are many.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

profile=$dir/profile
fail=/sys/module/kprobes/parameters/fail_nth
parameters=/sys/module/test_profile/parameters
agrees() {
	sed -E 's/^(f .*)\+0x[0-9a-f]+/\1/' $profile | sort >said
	sort $parameters/counts | cmp -s said -
}
# reached: was the step that is to fail?  None fails from now on.
reached() {
	left=$(cat $fail)
	echo 0 >$fail
	[ "$left" -le 0 ]
}

insmod kprobes.ko
# Steps of the optimiser must not fail in place of these.
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
insmod test_profile.ko
step=1 failures=0 bad=
while [ $step -lt 100 ]; do
	echo $step >$fail
	if (echo 1 >$profile) 2>/dev/null; then
		reached || break
		echo 0 >$profile
	else
		echo 0 >$fail
		failures=$((failures + 1))
		[ "$(cat $profile)" = off ] || bad="$bad $step"
	fi
	step=$((step + 1))
done
same "it is off when turning it on has failed" "$bad" ''
check "it failed at each of many steps" test $failures -ge 10
echo 1 >$parameters/forget
echo 10 >$parameters/call
check "and then it counts" agrees
rmmod test_profile

# If it fails, insmod tries once more by an older system call, and nothing fails then.
step=1 failures=0 bad=
while [ $step -lt 300 ]; do
	dmesg -c >/dev/null
	echo $step >$fail
	insmod test_profile.ko || bad="$bad insmod-$step"
	reached
	over=$?
	! dmesg | grep -q "can't probe" || failures=$((failures + 1))
	echo 5 >$parameters/call
	agrees || bad="$bad $step"
	rmmod test_profile
	[ $over = 0 ] || break
	step=$((step + 5))
done
same "probes that could not be registered are not counted, others are" "$bad" ''
check "it failed at each of several steps" test $failures -ge 3
check "kprobes.ko unloads" wait_for 20 rmmod kprobes
ktap_end
