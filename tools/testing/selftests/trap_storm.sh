# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# modules: test_notifier test_probe lkp_textcopy
# programs: trapped
# smp: 4
# timeout: 600
# allow: ^Call [Tt]race:
# allow: ^INFO: NMI handler
#
# Whoever else traps does so all the time, on all CPUs, while kprobes.ko comes and goes, with a
# probe of its own and without: built-in kprobes, also in NMIs, programs, probes on programs, and a
# notifier.  Nobody loses a hit, or gets another's.
#
# Where CPUs take turns, so that none keeps a breakpoint by which the kernel patches its text, that
# is patched meanwhile, too: by the tracer, for events, for watchpoints. See trap_storm_in_turn.sh.
# shellcheck shell=sh

. ./ktap.sh
. ./traps.sh

: "${rounds:=5}"
: "${in_turn:=}"
tracing=/sys/kernel/tracing
storm=/tmp/storm
here=$(pwd)

# begin NAME COMMAND...: it runs until the end, where nothing else wants the CPU, and leaves what it
# says.
begin() {
	begin_name=$1
	shift
	"$@" >"/tmp/$begin_name" 2>/dev/null &
	renice -n 19 -p $! >/dev/null
}
said() { cat "/tmp/$1"; }

# builtin_probe NAME FUNCTION: the kernel's own kprobe, as a trap, behind the tracer's site.
builtin_probe() {
	[ -e $tracing/kprobe_events ] || return
	echo 0 >/proc/sys/debug/kprobes-optimization
	for at in 5 9 6 7 8 10 11 12; do
		(echo "p:$1 $2+$at" >>$tracing/kprobe_events) 2>/dev/null &&
			echo 1 >"$tracing/events/kprobes/$1/enable" && return
	done
}
builtin_traps() {
	calls=0
	while [ -e $storm ]; do
		cat /proc/version >/dev/null
		calls=$((calls + 1))
	done
	echo $calls
}
builtin_hits() { awk -v name="$1" '$1 == name { print $2 + $3 }' $tracing/kprobe_profile; }

# Probes on a program.
user_probe() {
	[ -e $tracing/uprobe_events ] || return
	echo "p:lkp_user $here/trapped:$(./trapped offset)" >$tracing/uprobe_events &&
		echo 1 >$tracing/events/uprobes/lkp_user/enable
}
user_hits() { awk '$2 == "lkp_user" { print $3 }' $tracing/uprobe_profile; }

# In long runs, so that one of them is in a trap whenever the kernel's way of it is changed.
notifiers_traps() {
	traps=0
	while [ -e $storm ]; do
		run_traps 5000
		traps=$((traps + 5000))
	done
	echo $traps
}

# The kernel's changes of text.
text_changes() {
	echo 'vfs_*' >$tracing/set_ftrace_filter
	while [ -e $storm ]; do
		echo function >$tracing/current_tracer
		echo 1 >$tracing/events/sched/enable
		sleep 0.5
		echo 0 >$tracing/events/sched/enable
		echo nop >$tracing/current_tracer
		sleep 0.5
	done
	echo >$tracing/set_ftrace_filter
}

# NMIs, wherever a CPU is, and traps in them.
nmis() {
	while [ -e $storm ]; do
		echo l >/proc/sysrq-trigger
		sleep 1
	done
}

# come_and_go: ours, once with a probe and once without.
come_and_go() {
	insmod kprobes.ko && trap_sync || return
	ours=$(hits_of repeat_sync)
	rmmod test_probe && rmmod kprobes && insmod kprobes.ko && rmmod kprobes && [ "$ours" = 20 ]
}
repeat_sync() {
	for _ in $(seq 20); do
		sync
	done
}

echo 1 >/proc/sys/kernel/printk
echo 1 >/proc/sys/kernel/sysrq
chmod +x trapped
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
insmod test_notifier.ko
# Names of tasks would be recorded by a change of the scheduler's text.
[ ! -e $tracing/options/record-cmd ] || echo 0 >$tracing/options/record-cmd
builtin_probe lkp_trap version_proc_show
builtin_probe lkp_in_nmi show_regs
user_probe
touch $storm
begin builtin builtin_traps
if [ "$in_turn" ]; then
	begin program ./trapped $storm
else
	begin program ./trapped $storm unwatched
fi
begin notified notifiers_traps
begin notified_too notifiers_traps
[ ! "$in_turn" ] || ! has_tracer || begin changes text_changes
begin nmis nmis
round=0 bad=''
while [ $round -lt "$rounds" ]; do
	come_and_go || bad="$bad $round"
	round=$((round + 1))
done
same "kprobes.ko comes and goes, and its probe is hit" "$bad" ''
rm $storm
wait

said program | sed 's/^/# /'
check "programs got all of their breakpoints" grep -q '^all$' /tmp/program
if [ -e $tracing/kprobe_events ]; then
	check "the kernel's kprobes were hit" test "$(builtin_hits lkp_trap)" -gt 0
	same "each time" "$(builtin_hits lkp_trap)" "$(said builtin)"
	check "also in NMIs" test "$(builtin_hits lkp_in_nmi)" -gt 0
	echo 0 >$tracing/events/kprobes/enable
	echo >$tracing/kprobe_events
else
	skip "the kernel's kprobes were hit" "it has none"
fi
if [ -e $tracing/uprobe_events ]; then
	check "probes on a program were hit" test "$(user_hits)" -gt 0
	same "each time, too" "$(user_hits)" "$(awk '$1 == "calls" { print $2 }' /tmp/program)"
	echo 0 >$tracing/events/uprobes/lkp_user/enable
	echo >$tracing/uprobe_events
else
	skip "probes on a program were hit" "this kernel has none"
fi
notified=$(($(said notified) + $(said notified_too)))
check "the notifier was called for each of its breakpoints" \
	test "$(cat $notifier/called)" -ge $notified
check "and there were many" test $notified -gt 1000

# A watchpoint at the very instruction that has our trap; a kernel without kprobes allows none.
watched_at() { sed -n 's/^\(0x\)\{0,1\}\([0-9a-f]*\) .*ksys_sync.*/0x\2/p' $dir/list; }
seen() { sed -n 's/^hits //p' /tmp/watched; }
under_a_watchpoint() {
	insmod kprobes.ko
	check "a trap is armed" trap_sync
	touch $storm
	begin watched ./trapped watch "$(watched_at)" $storm
	wait_for 5 grep -q watching /tmp/watched
	same "it is hit under a watchpoint" "$(hits_of repeat_sync)" 20
	rm $storm
	wait
	check "which is hit as often" test "$(seen)" -ge 20
	rmmod test_probe
	check "kprobes.ko unloads" rmmod kprobes
}
if [ ! "$in_turn" ]; then
	:
elif has_symbol register_kprobe; then
	under_a_watchpoint
else
	skip "a trap under a watchpoint" "this kernel allows no watchpoints in it"
fi
rmmod test_notifier
# The kernel takes its own changes for watchpoints back after a while.
check "nothing differs behind it" wait_for 10 nothing_differs
rmmod lkp_textcopy
ktap_end
