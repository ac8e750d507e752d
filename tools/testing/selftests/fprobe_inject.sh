# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_fprobe_inject test_fprobe_many test_target
# inject: yes
# timeout: 300
#
# Error paths of fprobes: each step that can fail is made to fail, one after the other.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

insmod kprobes.ko
# Steps of the optimiser must not fail in place of these.
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
run_cases test_fprobe_inject

# A module goes of which functions are traced: they leave the tracer's filter, or it is given up,
# or what is loaded there next would be traced for what was there.
# shellcheck disable=SC2034 # for value and tell
parameters=/sys/module/test_fprobe_many/parameters
fail=/sys/module/kprobes/parameters/fail_nth
fail_all=/sys/module/kprobes/parameters/fail_all
# seen COMMAND...: the calls entered and returned while it runs
seen() {
	entered=$(value entries) returned=$(value exits)
	"$@"
	echo "$(($(value entries) - entered)) $(($(value exits) - returned))"
}
traced() { insmod test_target.ko && insmod test_fprobe_many.ko filter='lkp_target_in_*'; }
comes_again() {
	rmmod test_target || return
	[ "$(cat $fail)" != 0 ] || failures=$((failures + 1))
	echo 0 >$fail && echo 0 >$fail_all && insmod test_target.ko
}
bad='' failures=0
for step in 1 2 3 4; do
	traced
	echo $step >$fail
	comes_again || bad="$bad target-$step"
	seen=$(seen target_call)
	[ "$seen" = '0 0' ] || bad="$bad hit-$step:$seen"
	rmmod test_fprobe_many || bad="$bad client-$step"
	rmmod test_target
done
same "a module with traced functions goes, whatever step fails" "$bad" ''
check "some steps do" test $failures -gt 0
traced
echo 1 >$fail_all
check "and while no step works" comes_again
same "what is loaded there next is not hit" "$(seen target_call)" '0 0'
tell planted 0
tell planted 1
same "but after registering again" "$(seen target_call)" '1 1'
rmmod test_fprobe_many
rmmod test_target
check "it unloads" wait_for 20 rmmod kprobes
ktap_end
