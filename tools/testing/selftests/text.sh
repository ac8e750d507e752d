# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_text test_target test_probe test_handlers test_ftrace test_faults
# timeout: 200
#
# kprobes.ko restores all text when it is unloaded.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

sums() { sort /sys/kernel/debug/test_text; }

insmod test_target.ko
check "the checksums can be made" insmod test_text.ko start="$(symbol _stext)" end="$(symbol _etext)"
before=$(sums)
same "two readings agree" "$(sums)" "$before"
check "they are of the kernel and its modules" test "$(echo "$before" | wc -l)" = 3

insmod kprobes.ko
found=$before
# Some changes stay while the module is loaded: where breakpoints have a shorter way than the
# notifiers, or there are none for them, a call in the kernel is redirected to us; and the tracer's
# restore of r13 and the beginning of the graph tracer's callback are patched.
changes_kernel() {
	case $(uname -m) in
	aarch64) ;;
	ppc64le) has_symbol ftrace_graph_func || zcat /proc/config.gz 2>/dev/null | grep -q '^CONFIG_PREEMPTION=y' ;;
	*) has_symbol text_mutex ;;
	esac
}

if changes_kernel; then
	before=$(sums)
	refuse "loaded: a word of the kernel's is another" test "$before" = "$found"
else
	same "loaded, nothing registered: text is as before" "$(sums)" "$before"
fi
insmod test_probe.ko symbol=lkp_target_fn offset="$(cat /sys/module/test_target/parameters/at)"
without_client() { sums | grep -v '^test_probe '; }
refuse "a probe in a module is seen" test "$(without_client)" = "$before"
tell disabled 1
same "disabled: text is as before" "$(without_client)" "$before"
tell disabled 0
refuse "enabled: a probe is seen" test "$(without_client)" = "$before"
echo 0 >$dir/enabled
same "all off: text is as before" "$(without_client)" "$before"
echo 1 >$dir/enabled
rmmod test_probe
same "unregistered: text is as before" "$(sums)" "$before"

insmod test_probe.ko symbol=wakeup_flusher_threads
refuse "a probe in the kernel is seen" test "$(without_client)" = "$before"
rmmod test_probe
same "unregistered from the kernel: text is as before" "$(sums)" "$before"

for suite in test_handlers test_ftrace test_faults; do
	insmod $suite.ko
	cat /sys/kernel/debug/$suite >/tmp/$suite
	rmmod $suite
	check "$suite: its cases have run" all_passed /tmp/$suite
	same "after $suite: text is as before" "$(sums)" "$before"
done
rmmod kprobes
before=$found
same "unloaded: text is as before" "$(sums)" "$before"

times=0
while [ $times -lt 8 ] && insmod kprobes.ko && insmod test_probe.ko symbol=wakeup_flusher_threads &&
	[ "$(hits_of sync)" = 1 ] && rmmod test_probe && rmmod kprobes; do
	times=$((times + 1))
done
same "loaded, used and unloaded eight times" $times 8
same "text is as before then" "$(sums)" "$before"
rmmod test_text test_target
ktap_end
