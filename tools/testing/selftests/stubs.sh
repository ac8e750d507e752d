# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64 arm64 powerpc
# modules: test_stub_fillers test_stubs test_rets test_asleep test_traces test_returns test_kretprobe
# mem: 2G
# timeout: 600
# vm: own
# allow: ^Call [Tt]race:
#
# More calls are followed at once than kprobes.ko has stubs for in its text: others are made.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# Each sleeps in two calls of the function, each of which eight probes follow.
tasks=2500 probes=8
rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters

exactly() { [ "$(cat "$2")" -eq "$1" ]; }
threads() { grep -l '^lkp_asleep$' /proc/[0-9]*/comm 2>/dev/null | wc -l; }
none_left() { [ "$(threads)" = 0 ]; }
# sleepers NUMBER [PARAMETER]
sleepers() {
	before=$(cat $asleep/inside)
	echo "$1" >$asleep/"${2:-start}"
	wait_for 100 exactly $((before + $1)) $asleep/inside
}
# wake NUMBER: they come back
wake() {
	back=$(cat $asleep/back)
	echo 1 >$asleep/release
	wait_for 100 exactly $((back + $1)) $asleep/back && wait_for 60 none_left
}
# A trace of one that sleeps there; as text, since reading it is an unwinder of its own.
a_sleeper() { grep -l '^lkp_asleep$' /proc/[0-9]*/comm | head -n 1 | sed 's/comm$/stack/'; }
# On ppc64 it begins with what a frame without a saved LR has for one: any word.
trace_of_sleeper() {
	sed 's/+0x.*//; s/.*] //' "$(a_sleeper)" |
		if [ "$(uname -m)" = ppc64le ]; then sed '1{/^0x/d}'; else cat; fi
}
tell_walks() {
	echo 1 >/sys/module/test_traces/parameters/added_stubs
	case $(uname -m) in
	x86_64)	file=stack_trace_save_tsk_reliable ;;
	*)	file=stack_trace_save_tsk ;;
	esac
	for parameter in save_tsk:$file save_reliable:stack_trace_save_tsk_reliable \
		get_callchain:get_perf_callchain get_buffers:get_callchain_buffers \
		put_buffers:put_callchain_buffers; do
		to=/sys/module/test_traces/parameters/${parameter%:*}
		at=$(symbol "${parameter#*:}")
		[ ! -e "$to" ] || [ ! "$at" ] || echo "$at" >"$to"
	done
}

echo 32768 >/proc/sys/kernel/pid_max
echo 30000 >/proc/sys/kernel/threads-max

check "kprobes.ko loads" insmod kprobes.ko
insmod test_asleep.ko
check "a task sleeps beside no probe" sleepers 1
plain=$(trace_of_sleeper)
check "a trace of it has all callers" \
	test "$(echo "$plain" | grep -c -e '^lkp_asleep' -e '^lkp_doze')" -ge 4
check "and wakes" wake 1

check "more calls may be followed than there are stubs in our text" \
	insmod test_rets.ko func=lkp_asleep nr=$probes maxactive=$((2 * tasks))
check "tasks sleep inside followed calls" sleepers $tasks
same "all are followed at once" "$(cat $rets/entries)" $((tasks * 2 * probes))
same "none was missed" "$(cat $rets/missed)" 0
same "a trace of one is as beside no probe" "$(trace_of_sleeper)" "$plain"
echo 0 >$dir/enabled
same "also while all are off" "$(trace_of_sleeper)" "$plain"
echo 1 >$dir/enabled
check "they come back" wake $tasks
same "as they should" "$(cat $asleep/wrong)" 0
same "with all handlers called" "$(cat $rets/hits)" $((tasks * 2 * probes))

check "they sleep there again" sleepers $tasks
echo 0 >$dir/enabled
echo 1 >$dir/enabled
echo 3 >$rets/drop
same "a trace does without a probe that went" "$(trace_of_sleeper)" "$plain"
check "the client unloads beneath them" rmmod test_rets
same "of what it had on stacks nothing is left" "$(trace_of_sleeper)" "$plain"
check "all come back" wake $tasks
same "as they should then, too" "$(cat $asleep/wrong)" 0

insmod test_rets.ko func=lkp_asleep nr=$probes maxactive=$((2 * tasks))
check "tasks sleep that will exit there" sleepers $tasks start_mortal
echo 1 >$asleep/release
check "they exit" wait_for 100 none_left
check "the client unloads then" rmmod test_rets
rmmod test_asleep

# What holds for stubs of our text holds for others.
check "the stubs of our text are taken" insmod test_stub_fillers.ko
refuse "status has nothing to say yet" grep '^#' $dir/status
run_cases test_stubs
check "status says what was met" \
	grep -q '^# no more than 1048576 calls are followed at once: refused 1 times$' $dir/status
run_cases test_kretprobe
run_cases test_returns
run_cases test_traces tell_walks
rmmod test_stub_fillers
check "kprobes.ko unloads" rmmod kprobes
check "and loads" insmod kprobes.ko
check "and unloads" rmmod kprobes
ktap_end
