# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# modules: test_jprobe_returns test_redirect
#
# Built-in return probes on a jprobe's function, which need not return, on what it calls, on the
# probed function and on its caller.
# shellcheck shell=sh

. ./ktap.sh

tracing=/sys/kernel/tracing

# add NAME FUNCTION: a built-in return probe
add() {
	echo "r16:lkp/$1 $2" >>$tracing/kprobe_events && echo 1 >$tracing/events/lkp/"$1"/enable
}
add_all() {
	for function; do
		add "$function" test_jprobe_returns:"$function" || return
	done
}
clear() {
	[ ! -e $tracing/events/lkp ] || echo 0 >$tracing/events/lkp/enable
	echo >$tracing/kprobe_events
}
# returns NAME: how many were seen, and how many not, for lack of an instance
returns() { awk -v name="$1" '$1 == name { print $2, $3 }' $tracing/kprobe_profile; }

insmod kprobes.ko
all="lkp_calls_it lkp_entered lkp_leaves lkp_entered_to_return"
for functions in lkp_entered lkp_leaves "$all"; do
	# shellcheck disable=SC2086
	run_cases test_jprobe_returns add_all $functions
	for function in $functions; do
		echo "# $function: $(returns "$function")"
	done
	case $functions in
	lkp_calls_it*)
		same "each return of the caller is seen" "$(returns lkp_calls_it)" "4002 0"
		same "those of a jprobe's function, too" "$(returns lkp_entered_to_return)" "2000 0"
		;;
	esac
	clear
done

# Theirs on the probed function, too. The tracer calls first who came last: with a probe of theirs
# from before, that is us, and their return probe waits after that for a call which does return.
add first vfs_fsync
insmod test_redirect.ko symbol=ksys_sync jprobe=1
add inner test_redirect:see
if add outer ksys_sync 2>/dev/null; then
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sync
	done
	same "the jprobe is called" "$(cat /sys/module/test_redirect/parameters/hits)" 10
	case $(uname -m) in
	# Theirs replaces the link register, which a jprobe's end puts back as it was for us.
	ppc64le) seen="0 0" ;;
	*)	seen="10 0" ;;
	esac
	same "each return of its probed function is seen" "$(returns outer)" "$seen"
else
	skip "both on one function" "an entry is a trap here, and theirs is refused"
fi
clear
check "its module unloads" rmmod test_redirect
sync
check "kprobes.ko unloads" rmmod kprobes
ktap_end
