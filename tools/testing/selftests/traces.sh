# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace framepointer
# modules: test_traces lkp_textcopy kprobes/kretprobe_example
# timeout: 900
# vm: own
# allow: ^Call [Tt]race:
# allow: ^INFO: NMI handler
# allow: stack going in the wrong direction. at return_to_handler
#
# Stack traces beside probes are whole; also beside the graph tracer, in both orders, and among
# the return probes of the kernel's own.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
# changed: where the kernel's text is another one. On ppc64 built-in probes leave what they had in
# their part of it.
changed() { grep -v -e '^optinsn_slot+' -e ' differ$' /proc/lkp_textcopy; }
same_as_before() { [ "$(changed)" = "$as_loaded" ]; }
unchanged() { [ ! "$(changed)" ]; }
# same_text NAME: nothing is hooked
# Where a trap is led to us ahead of the chain, that is so while the module is loaded.
only_traps() {
	! changed | grep -v '^\(el1_[a-z0-9_]*\|el1h_64_sync_handler\|\(exc\|do\)_int3\)[+.]'
}
# tell_unless COMMAND...: shows what is changed, if the command fails.
tell_unless() { "$@" || { sed 's/^/# /' /proc/lkp_textcopy && false; }; }
same_text() { check "$1" tell_unless same_as_before; }
# cases NAME: the cases of the module that is loaded
cases() {
	cat /sys/kernel/debug/test_traces >/tmp/traces
	sed 's/^/# /' /tmp/traces
	check "$1" all_passed /tmp/traces
}

# tell_of PARAMETER FUNCTION: tells the cases of a function that is not exported, if there is one.
tell_of() {
	if [ -e "/sys/module/test_traces/parameters/$1" ] && [ "$(symbol "$2")" ]; then
		symbol "$2" >"/sys/module/test_traces/parameters/$1"
	fi
}
walks() {
	case $(uname -m) in
	x86_64)	tell_of save_tsk stack_trace_save_tsk_reliable ;;
	*)	tell_of save_tsk stack_trace_save_tsk ;;
	esac
	tell_of save_reliable stack_trace_save_tsk_reliable
	tell_of get_callchain get_perf_callchain
	tell_of get_buffers get_callchain_buffers
	tell_of put_buffers put_callchain_buffers
	# An unwinder by ORC whose orc_find() is inlined, as by clang.
	if [ "$(symbol unwind_module_init)" ] &&
		! grep -Eqi ' t orc_find(\.|$)' /proc/kallsyms; then
		echo 1 >/sys/module/test_traces/parameters/orc_inlined
	fi
}

insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
check "kprobes.ko loads" insmod kprobes.ko
# On ppc64 what the tracer itself runs is changed for as long as the module is there.
as_loaded=$(changed)
if [ "$(uname -m)" != ppc64le ]; then
	check "nothing is changed for nobody" only_traps
fi
run_cases test_traces walks
same_text "nor when the last probe has gone"

if grep -qw function_graph $tracing/available_tracers 2>/dev/null; then
	insmod test_traces.ko && walks
	# There the kernel itself does not know what the tracer has replaced: ours has to be there.
	if [ "$(uname -m)" = ppc64le ]; then
		insmod kretprobe_example.ko func=ksys_sync
	fi
	echo 1 >/sys/module/test_traces/parameters/traced
	echo 'lkp_*:mod:test_traces' >$tracing/set_ftrace_filter
	echo function_graph >$tracing/current_tracer
	cases "behind the graph tracer"
	echo nop >$tracing/current_tracer
	if [ "$(uname -m)" = ppc64le ]; then
		rmmod kretprobe_example
	fi
	insmod kretprobe_example.ko func=lkp_chain_middle
	refuse "a return probe hooks the unwinder" same_as_before
	echo function_graph >$tracing/current_tracer
	cases "before the graph tracer"
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
	rmmod kretprobe_example test_traces
fi

# Return probes of the kernel's own, further in than ours and further out; not where tasks run
# while others follow their stacks, which the kernel complains of.
if [ -e $tracing/kprobe_events ] && has_symbol arch_rethook_trampoline; then
	insmod test_traces.ko && walks
	insmod kretprobe_example.ko func=ksys_read
	echo 'r:lkp/inner test_traces:take' >$tracing/kprobe_events
	echo 'r:lkp/outer test_traces:expect_whole' >>$tracing/kprobe_events
	echo 1 >$tracing/events/lkp/enable
	cases "among the built-in return probes"
	same "which are hit" "$(grep -Ec '^ *(inner|outer) +[1-9]' $tracing/kprobe_profile)" 2
	echo 0 >$tracing/events/lkp/enable
	echo >$tracing/kprobe_events
	rmmod kretprobe_example test_traces
fi

# A built-in probe on the call by which live patching gets its traces: ours can't be called there.
if [ -e $tracing/kprobe_events ] && [ "$(uname -m)" = ppc64le ]; then
	insmod kretprobe_example.ko func=ksys_read
	site=$(sed -n 's/^stack_trace_save_tsk_reliable+\(0x[0-9a-f]*\).*/\1/p' /proc/lkp_textcopy |
		head -n 1)
	rmmod kretprobe_example
	check "the call is put back" wait_for 10 same_as_before
	echo "p:lkp/call stack_trace_save_tsk_reliable+$((site / 4 * 4))" >$tracing/kprobe_events
	echo 1 >$tracing/events/lkp/enable
	dmesg -c >/dev/null
	refuse "no stub comes to a stack that live patching would trust" \
		insmod kretprobe_example.ko func=ksys_read
	check "which the log says" sh -c \
		"dmesg | grep -q 'live patching would trust a stack with a stub on it (error -16)'"
	echo 0 >$tracing/events/lkp/enable
	echo >$tracing/kprobe_events
	same_text "and nothing is hooked"
	check "then one can" insmod kretprobe_example.ko func=ksys_read
	rmmod kretprobe_example
fi

# ppc64 prints a stub, and the caller behind it in parentheses.
no_stub() {
	if [ "$(uname -m)" = ppc64le ]; then
		# The link register itself is shown as it is.
		refuse "$1" grep -E '[]] [[][0-9a-f]+[]] arch_return_stubs[^(]*$' /tmp/log
	else
		refuse "$1" grep -E '[]] +(arch_return_stubs|0xffff)' /tmp/log
	fi
}
# Backtraces in NMIs, of CPUs that run followed calls, while the probe comes and goes. On the
# console they would look like an oops.
dmesg -n 1
# Who asks for these gives up a CPU that the emulator stops for ten seconds: its NMI is unknown then.
nmi=/proc/sys/kernel/unknown_nmi_panic
if [ -e $nmi ]; then
	echo 0 >$nmi
fi
dmesg -c >/dev/null
dd bs=1 </dev/zero >/dev/null 2>&1 &
reader=$!
touch /tmp/storm
# A kernel without NMIs does not wait for what it has asked for: the log would hold nothing else.
pause=0
has_symbol nmi_cpu_backtrace || pause=0.2
while [ -e /tmp/storm ]; do
	echo l >/proc/sysrq-trigger
	[ $pause = 0 ] || sleep $pause
done &
storm=$!
# On a slow machine it takes its time until one is shown in the middle of a read.
shown() { grep -Eq '[]] +ksys_read[+]' /tmp/log; }
rm -f /tmp/log
rounds=0
while [ $rounds -lt 8 ] || { [ $rounds -lt 60 ] && ! shown; }; do
	insmod kretprobe_example.ko func=ksys_read
	sleep 1
	rmmod kretprobe_example
	dmesg -c >>/tmp/log
	rounds=$((rounds + 1))
done
rm /tmp/storm
wait $storm
kill $reader
dmesg >>/tmp/log
check "CPUs are shown while they read" shown
if has_tracer; then
	no_stub "no stub among their callers"
fi
dmesg -n 7

# A task that sleeps in a followed call, in what an operator sees.
insmod kretprobe_example.ko func=ksys_read
sleep 1000 | cat &
reads() { reader=$(pidof cat | cut -d' ' -f1) && grep -q pipe_read "/proc/$reader/stack"; } 2>/dev/null
wait_for 20 reads
if has_tracer; then
	check "the stack of a task that sleeps names all callers" \
		grep -Eq 'do_syscall_64|do_el0_svc|system_call_' "/proc/$reader/stack"
	refuse "and no stub" grep -q kprobes "/proc/$reader/stack"
fi
# Backtraces of all tasks, and in NMIs of all CPUs.
dmesg -n 1
dmesg -c >/dev/null
echo l >/proc/sysrq-trigger
echo t >/proc/sysrq-trigger
dmesg >/tmp/log
check "all tasks are shown" grep -q 'Call [Tt]race' /tmp/log
if has_tracer; then
	no_stub "no stub among the callers"
fi
dmesg -n 7
if [ -e $tracing/kprobe_events ] && grep -q ^unwind_next_frame /proc/lkp_textcopy; then
	# The second byte of the call is the first that differs.
	site=$(sed -n 's/^unwind_next_frame+\(0x[0-9a-f]*\).*/\1/p' /proc/lkp_textcopy | head -n 1)
	echo "p:lkp/call unwind_next_frame+$((site - 1))" >$tracing/kprobe_events
	rmmod kretprobe_example
	refuse "while a built-in probe has a copy of our call, kprobes.ko stays" rmmod kprobes
	echo >$tracing/kprobe_events
	check "then it need not" wait_for 10 same_as_before
else
	rmmod kretprobe_example
fi
killall sleep
check "kprobes.ko unloads" rmmod kprobes
check "and the kernel's text is what it was" tell_unless unchanged
rmmod lkp_textcopy
ktap_end
