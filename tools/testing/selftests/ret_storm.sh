# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# smp: 4
# timeout: 180
# modules: test_ret_storm lkp_textcopy
#
# Return probes, fprobes and jprobes are registered and unregistered on 4 CPUs while
# tasks sleep and exit inside the probed functions.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

: "${seconds:=25}"
storm=/sys/module/test_ret_storm/parameters

# sleeps, pipes and children; some tasks are killed while they sleep
workload() {
	while [ ! -e /tmp/stop ]; do
		sleep 0.01
		sleep 300 &
		victim=$!
		echo one two three | cat | wc -w >/tmp/words.$1
		[ "$(cat /tmp/words.$1)" = 3 ] || echo "$1: words" >>/tmp/wrong
		(sleep 0.02; exit 7) &
		wait $! || [ $? = 7 ] || echo "$1: status" >>/tmp/wrong
		kill -9 $victim
		wait $victim
		[ $? = 137 ] || echo "$1: killed" >>/tmp/wrong
		[ "$(sh -c 'echo $((6 * 7))')" = 42 ] || echo "$1: sum" >>/tmp/wrong
	done
}

rm -f /tmp/stop /tmp/wrong
# shellcheck disable=SC2086 # two parameters
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
check "kprobes.ko loads" insmod kprobes.ko
check "the storm begins" insmod test_ret_storm.ko
workers=
for nr in 1 2 3 4 5 6; do
	workload $nr 2>/dev/null &
	workers="$workers $!"
done
# The minimum duration; longer on a slow machine, until enough has happened.
for _ in $(seq $((seconds * 4))); do
	sleep 1
	seconds=$((seconds - 1))
	[ $seconds -gt 0 ] || [ "$(cat $storm/rounds)" -le 8 ] || break
done
check "it ends" sh -c "echo 1 >$storm/stop"
touch /tmp/stop
# shellcheck disable=SC2086 # several
wait $workers
for what in rounds entries returns fentries fexits calls refused strange; do
	echo "# $what: $(cat $storm/$what)"
done
same "the workload saw nothing unusual" "$(cat /tmp/wrong 2>/dev/null)" ''
check "probes came and went" test "$(cat $storm/rounds)" -gt 8
check "calls were seen" test "$(cat $storm/entries)" -gt 100
check "returns were seen" test "$(cat $storm/returns)" -gt 100
check "calls were seen by fprobes" test "$(cat $storm/fentries)" -gt 100
check "and their returns" test "$(cat $storm/fexits)" -gt 100
check "jprobes were run" test "$(cat $storm/calls)" -gt 100
same "every return was its call's" "$(cat $storm/strange)" 0
same "nothing is registered" "$(cat $dir/list)" ''
check "the storm unloads" rmmod test_ret_storm
check "kprobes.ko unloads" rmmod kprobes
unchanged
ktap_end
