# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# heavy: yes
# timeout: 400
# modules: lkp_sweep lkp_textcopy test_rets kprobes/kprobe_example
# smp: 2
# qemu: -M pc
#
# Probes on the way into suspend to RAM and back, where most of the machine's state is lost
# and CPU 0 begins in real mode; then random probes, in the same way.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh
. ./sleeping.sh

: "${seed:=7}" "${batches:=3}" "${size:=600}"
alarm=/sys/class/rtc/rtc0/wakealarm

# The clock of the machine wakes it up: not before it sleeps, even if it is slow.
sleep_and_wake() {
	echo 0 >$alarm
	echo +6 >$alarm
	echo mem >/sys/power/state || sleep_failures=$((sleep_failures + 1))
}

sleep_failures=0 failed=
if ! grep -q mem /sys/power/state || ! [ -e $alarm ]; then
	skip "suspend to RAM" "this machine can not"
	ktap_end
	exit
fi
sleep_and_wake
same "it sleeps without probes" $sleep_failures 0

# The function that lets the machine sleep never returns to who called it. Interrupts are off by then:
# what a miss wants to be done would be forgotten, and the machine not hear of it nor of anything else.
rets=/sys/module/test_rets/parameters
missed() { cat $rets/missed; }
none_missed() { before=$(missed) && sleep_and_wake && [ "$(missed)" -eq "$before" ]; }
insmod kprobes.ko
if insmod test_rets.ko func=x86_acpi_enter_sleep_state maxactive=2; then
	for _ in 1 2 3; do sleep_and_wake; done
	check "a call is missed where it sleeps" test "$(missed)" -gt 0
	sleep 1
	check "there are instances again" none_missed
	check "the client unloads behind that" unloads 30 test_rets
	insmod kprobe_example.ko symbol=x86_acpi_enter_sleep_state
	sleep_and_wake
	check "a sample that has seen it unloads" unloads 30 kprobe_example
else
	skip "a call is missed where it sleeps" "the function can't be probed"
fi
check "kprobes.ko unloads" unloads 30 kprobes

begin_sweep seed="$seed"

# shellcheck disable=SC2086
addresses $asleep_functions >/tmp/functions
# Some at a time: each sleep takes seconds.
cut -d ' ' -f 1 /tmp/functions | xargs -n 6 >/tmp/groups
while read -r some; do
	[ -z "${verbose-}" ] || echo "suspend: $some" >/dev/kmsg
	echo "function $some" >$control || failed="$failed $some"
	sleep_and_wake
	echo drop >$control
done </tmp/groups
check "functions were found" test "$(wc -l </tmp/functions)" -gt 60
check "and hit" test "$(swept hits)" -gt "$(wc -l </tmp/functions)"

for batch in $(seq "$batches"); do
	echo "pick $batch $size" >$control || failed="$failed $batch"
	[ -z "${verbose-}" ] || echo "suspend: batch $batch" >/dev/kmsg
	sleep_and_wake
	echo drop >$control
done
sed 's/^/# /' $control
same "it slept and woke every time" "$sleep_failures" 0
same "every batch could be registered" "$failed" ""
end_sweep
ktap_end
