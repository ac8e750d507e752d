# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64 powerpc
# modules: test_probe
#
# In newer kernels each trap is recorded by the event notifier_run before our notifier is called.  What
# records events is refused there; what the ring buffer's guard covers is hit.
# shellcheck shell=sh

. ./ktap.sh
. ./traps.sh

event=/sys/kernel/tracing/events/notifier/notifier_run/enable
insmod kprobes.ko
if has_symbol tdx_get_ve_info; then
	check "what runs before a guest of TDX can take an exception is refused" \
		judged tdx_get_ve_info "refused: "
else
	skip "what runs before a guest of TDX can take an exception is refused" \
		"this kernel can't be one"
fi
if ! [ -e $event ]; then
	skip "what records events is refused" "this kernel has no event on the way of a trap"
	rmmod kprobes
	ktap_end
	exit
fi
for function in trace_event_raw_event_notifier_info trace_event_buffer_reserve \
	trace_event_buffer_commit ring_buffer_lock_reserve; do
	check "$function is refused" judged $function "refused: called by trace events"
done
# What counts for an event's triggers is one function for all of them, in newer kernels.
for function in traceon_trigger traceon_count_trigger event_trigger_count; do
	! has_symbol $function ||
		check "$function is refused" judged $function "refused: called by trace events"
done
echo 1 >$event
# Clang has made one function of all that reserves room for an event, so this is what it calls, and
# what such a function calls is refused whole.
if symbols_of_kernel | grep -q ' \(__rb_reserve_next\|rb_reserve_next_event\)'; then
	check "what the guard covers is probed" insmod test_probe.ko symbol=rb_move_tail
	check "while events are recorded" sh -c \
		'for i in $(seq 200); do cat /proc/uptime; done >/dev/null'
	check "it is unregistered" rmmod test_probe
else
	check "what the guard covers is refused where its holder calls it" \
		judged rb_move_tail "refused: called by trace events"
fi
check "another function is probed" trap_sync
check "and hit" test "$(hits_of sync)" -gt 0
rmmod test_probe
echo 0 >$event
check "kprobes.ko unloads" rmmod kprobes
ktap_end
