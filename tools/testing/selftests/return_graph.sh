# SPDX-License-Identifier: GPL-2.0-only
#
# modules: test_rets test_fprobe_many
#
# Return probes, fprobes and the graph tracer replace the return address of the same calls.  Each of
# them sees each return, whichever was there first.
# shellcheck shell=sh

. ./ktap.sh
. ./synced.sh

rets=/sys/module/test_rets/parameters
exits=/sys/module/test_fprobe_many/parameters
tracing=/sys/kernel/tracing
CALLS=20

[ -d $tracing/events ] || mount -t tracefs nodev $tracing
check "kprobes.ko loads" insmod kprobes.ko
if ! grep -qw function_graph $tracing/available_tracers 2>/dev/null; then
	rmmod kprobes
	skip "beside the graph tracer" "this kernel has none"
	ktap_end
	exit
fi

# The caller is traced, too: it returns by what the tracer has kept last.
callers=$(grep -F sys_sync $tracing/available_filter_functions | grep -E '^(__(arm64|x64|se|do)_)?sys_sync$')
graph() {
	echo $synced >$tracing/set_ftrace_filter
	for caller in $callers; do echo "$caller" >>$tracing/set_ftrace_filter; done
	echo function_graph >$tracing/current_tracer
	# A call in which its CPU has done something else ends without its name otherwise.
	echo 1 >$tracing/options/funcgraph-tail
}
no_graph() {
	echo 0 >$tracing/options/funcgraph-tail
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}
kretprobes() { insmod test_rets.ko func=$synced nr=2; }
fprobe() { insmod test_fprobe_many.ko filter=$synced; }

sync_often() {
	calls=0
	while [ $calls -lt $CALLS ]; do
		sync
		calls=$((calls + 1))
	done
}

# returns_of FUNCTION: how many the tracer has seen.
returns_of() { grep -cE "\| +$1\(\);|\} /\* $1 \*/|^[^a-z]*us[^a-z]*\} */\* $1" $tracing/trace; }

# seen: entries, returns and misses of those that are there.
seen() {
	for counters in "$rets/entries $rets/hits $rets/missed" \
			"$exits/entries $exits/exits $exits/missed $exits/strange"; do
		# shellcheck disable=SC2086 # several files
		set -- $counters
		[ ! -e "$1" ] || cat "$@" | tr '\n' ' '
	done
}

two="$((2 * CALLS)) $((2 * CALLS)) 0 "
one="$CALLS $CALLS 0 0 "

# try_order WANTED STEP...
try_order() {
	wanted=$1
	shift
	for step in "$@"; do $step; done
	echo >$tracing/trace
	sync_often
	same "$*: each return is seen" "$(seen)" "$wanted"
	same "$*: by the tracer, too" "$(returns_of $synced)" $CALLS
	same "$*: which is at work" "$(cat $tracing/current_tracer)" function_graph
	for module in test_rets test_fprobe_many; do
		[ ! -e /sys/module/$module ] || check "$*: $module unloads" rmmod $module
	done
	sync_often
	no_graph
}

try_order "$two" graph kretprobes
try_order "$two" kretprobes graph
try_order "$one" graph fprobe
try_order "$one" fprobe graph
try_order "$two$one" graph kretprobes fprobe
try_order "$two$one" kretprobes graph fprobe
try_order "$two$one" fprobe kretprobes graph
check "kprobes.ko unloads" rmmod kprobes
ktap_end
