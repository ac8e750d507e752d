# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_rets test_probe test_target test_asleep test_interrupted fprobe/fprobe_example
# icount: yes
# timeout: 300
#
# How often all CPUs are stopped in the life of a probe, from its registration until the memory
# of its slot and its detour is free again: never, unless stacks must be changed or searched.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters
longest=/sys/module/test_interrupted/parameters/longest
stopper=$(grep -lx migration/0 /proc/[0-9]*/comm | cut -d/ -f3)

# The task that stops this CPU runs once for each stop, and sleeps again. The detector of hangs
# uses it, too, and for a while after booting, the kernel's clocks.
for file in /proc/sys/kernel/soft_watchdog /proc/sys/kernel/watchdog; do echo 0 >$file; done
stops() { awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$stopper/status"; }
none_now() { before=$(stops) && sleep 5 && [ "$(stops)" = "$before" ]; }
exactly() { [ "$(cat "$2")" -eq "$1" ]; }
is_jump() { grep -q 'OPTIMIZED' $dir/list; }

begin() { before=$(stops) && echo 0 >$longest; }
# ended NAME MOST: the life of the probe is over, once the work behind it is done.
ended() {
	sleep 5
	cost=$(($(stops) - before))
	echo "# $1: $cost stops; interrupts were off for at most $(cat $longest) ns"
	check "$1: at most $2 stops" test $cost -le "$2"
}

check "stops are counted" test "$(stops)" -gt 0
# stopped NAME: once at least, where nothing else would do.
stopped() { check "$1: that stop is seen" test $cost -gt 0; }

wait_for 1 none_now
insmod kprobes.ko
for module in test_target test_asleep test_interrupted; do insmod $module.ko; done

# Where an instruction may not be replaced while CPUs run it, they are stopped to arm and to disarm.
# And once, on an emulated CPU, for the call by which breakpoints reach us.
case $(uname -m) in
aarch64) text=2 call=0 ;;
x86_64) text=0 call=1 ;;
*) text=0 call=0 ;;
esac

begin
insmod test_probe.ko symbol=lkp_target_fn offset="$(cat /sys/module/test_target/parameters/at)"
check "a kprobe becomes a jump" wait_for 10 is_jump
target_call
rmmod test_probe
ended "a kprobe that is a jump" $text

begin
insmod test_probe.ko symbol=lkp_target_fn offset="$(cat /sys/module/test_target/parameters/at)" post=1
same "one with a post_handler is hit" "$(hits_of target_call)" 1
rmmod test_probe
ended "a kprobe with a post_handler" $text

for function in lkp_target_fn lkp_target_in_c; do
	begin
	insmod test_rets.ko func=$function
	sleep 1
	target_call
	same "$function: a return was seen" "$(cat $rets/hits)" 1
	rmmod test_rets
	ended "a kretprobe on $function" $text
done

begin
check "an fprobe is registered" insmod fprobe_example.ko symbol=lkp_target_in_c
target_call
rmmod fprobe_example
ended "an fprobe" $text

begin
insmod test_rets.ko func=lkp_asleep_in_asm_target_fn maxactive=100
echo 40 >$asleep/start
wait_for 30 exactly 40 $asleep/inside
rmmod test_rets
ended "a kretprobe with 40 pending returns" $((text + 1))
stopped "a kretprobe with 40 pending returns"
echo 1 >$asleep/release
check "they come back" wait_for 30 exactly 40 $asleep/back

for module in test_asleep test_target; do rmmod $module; done
begin
check "kprobes.ko unloads" rmmod kprobes
ended "unloading" $call
rmmod test_interrupted
ktap_end
