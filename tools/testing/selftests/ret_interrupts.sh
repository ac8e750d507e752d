# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# smp: 4
# timeout: 90
# modules: test_rets
#
# Return probes and jprobes on the first function on an interrupt stack, where there
# are no stack arguments.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
insmod kprobes.ko

busy() {
	for _ in $(seq 20); do
		sleep 0.02 &
		cat /proc/interrupts >/dev/null
	done
	wait
}

seen() {
	busy
	[ "$(cat $rets/$1)" -gt 0 ]
}

# With PREEMPT_RT softirqs run in threads, which call what is behind __do_softirq().
if grep -q PREEMPT_RT /proc/version; then
	must_run='hrtimer_interrupt'
else
	must_run='__do_softirq hrtimer_interrupt'
fi

tried=0
for function in __do_softirq handle_edge_irq __common_interrupt hrtimer_interrupt \
	__sysvec_apic_timer_interrupt __sysvec_call_function_single irq_enter_rcu \
	scheduler_ipi tick_sched_timer run_rebalance_domains rcu_core; do
	if ! insmod test_rets.ko func=$function nr=2 jumper=1 maxactive=64 2>/dev/null; then
		echo "# $function: refused"
		continue
	fi
	tried=$((tried + 1))
	busy
	echo "# $function: $(cat $rets/calls) calls, $(cat $rets/hits) returns, $(cat $rets/missed) missed"
	case " $must_run " in
	*" $function "*)
		check "$function: the jprobe runs" wait_for 10 seen calls
		check "$function: the return probes run" wait_for 10 seen hits ;;
	esac
	rmmod test_rets || not_ok "$function: the client unloads"
done
check "some could be probed" test $tried -ge 4
check "kprobes.ko unloads" rmmod kprobes
ktap_end
