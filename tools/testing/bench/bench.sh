# SPDX-License-Identifier: GPL-2.0-only
#
# The script of the benchmark's VM. bench.conf says what to measure. A line
# "== module" precedes the output of each module.
# shellcheck shell=sh

debug=/sys/kernel/debug

# measure MODULE FILE [ARGUMENT...]
measure() {
	module=$1 file=$2
	shift 2
	insmod "./$module.ko" "$@" && cat "$debug/$module/$file" && rmmod "$module"
}

# optimisation CASE: turns optimisation on for the cases of jumps only.
optimisation() {
	on=0
	case $1 in *jump*) on=1 ;; esac
	for file in /proc/sys/debug/*kprobes-optimization; do
		[ ! -e "$file" ] || echo $on >"$file"
	done
}

# kprobe_events of ours, or of the kernel.
definitions() {
	for file in "$debug"/*kprobes/events/kprobe_events /sys/kernel/tracing/kprobe_events; do
		[ ! -e "$file" ] || { echo "$file"; return; }
	done
}

# begin_event MODULE CASE: what is recorded, with two arguments; by the kernel or in our own buffer.
begin_event() {
	lines=$(definitions)
	case $2 in
	*own-event) enable=${lines%kprobe_events}bench/it/enable ;;
	*)	enable=/sys/kernel/tracing/events/bench/it/enable ;;
	esac
	case $2 in
	*return) echo "r:bench/it $1:bench_traced_long %di %si" >>"$lines" ;;
	# Behind the call site of the tracer, or that and a landing pad.
	*)	for offset in 5 9; do
			echo "p:bench/it $1:bench_traced_long+$offset %di %si" >>"$lines" && break
		done 2>/dev/null ;;
	esac
	echo 1 >"$enable"
}

# end_event HITS: so many were recorded, and none was missed.
end_event() {
	hits=$(awk '$1 == "it" { print $2 "+" $3 }' "${lines%events}profile")
	echo 0 >"$enable" && echo "-:bench/it" >>"$lines" || return
	[ "$hits" = "$1+0" ]
}

# event MODULE CASE [ARGUMENT...]: the cost of a hit that is recorded.
event() {
	module=$1 case=$2
	shift 2
	insmod "./$module.ko" "$@" && begin_event "$module" "$case" &&
		cost=$(cat "$debug/$module/cost") || return
	# Those of the measurement, and as many before.
	end_event 2000 || cost="$case error: $hits were recorded"
	rmmod "$module" || return
	echo "$cost"
}

event_of_ours() {
	where=''
	case $1 in *own-event) where=own_buffer=1 ;; esac
	# shellcheck disable=SC2086 # no word
	insmod ./kprobes_events.ko $where && event bench_ours "$@" && rmmod kprobes_events
}

# cost MODULE CASE
cost() {
	case $1:$2 in
	bench_ours:*event)	event_of_ours "$2" only="$2" ;;
	*event)	event "$1" "$2" only="$2" ;;
	*)	measure "$1" cost only="$2" others="$OTHERS" ;;
	esac
}

part() {
	[ -e "$1.ko" ] && echo "== $1"
}

costs() {
	if part bench_floor; then
		measure bench_floor cost || return
	fi
	insmod ./kprobes.ko && cases=$(measure bench_ours cases) && rmmod kprobes || return
	[ -z "$ONLY" ] || cases=$ONLY
	part bench_ours
	for name in $cases; do
		# On a kernel without tracing there are no events.
		case $name in *-own-event) ;; *event) [ -e /sys/kernel/tracing/events ] || continue ;; esac
		# It is loaded anew for every case: no state is left of the previous one.
		insmod ./kprobes.ko && optimisation "$name" && cost bench_ours "$name" && rmmod kprobes || return
	done
	part bench_builtin || return 0
	for name in $cases; do
		is_of_builtin "$name" || continue
		optimisation "$name"
		cost bench_builtin "$name" || return
	done
}

# What of the cases of ours also the built-in kprobes have: $1.
is_of_builtin() {
	case $1 in
	jprobe* | fprobe* | jump-left | *:counted | *own-event) return 1 ;;
	# On arm64 the built-in kprobes refuse call sites of the tracer, and have no jumps.
	ftrace* | *jump*) [ -e /proc/sys/debug/kprobes-optimization ] ;;
	esac
}

# Where the sections of a module are.
where() {
	for section in /sys/module/"$1"/sections/.[tbd]*; do
		echo "section $1 ${section##*/} $(cat "$section")"
	done
}

# circumstances CASE 1|0: what a name says behind a colon, on and off.
circumstances() {
	tracing=/sys/kernel/tracing
	case $1:$2 in
	*:counted:*) echo "$2" >"$(echo $debug/*kprobes/profile)" ;;
	*:tracer:1)
		echo bench_traced >$tracing/set_ftrace_filter &&
			echo function >$tracing/current_tracer ;;
	*:tracer:0) echo nop >$tracing/current_tracer && echo >$tracing/set_ftrace_filter ;;
	esac
}

# The calls of a case on all CPUs, marked; $calls of them.
marked() {
	status=0 called=${2%:*}
	# The emulator counts the cases: so what can't be called is written, too.
	case $2 in *event*) begin_event "$1" "$2" || called=none ;; esac
	circumstances "$2" 1 || called=none
	echo "$called" >"$debug/$1/lines" || status=1
	circumstances "$2" 0
	case $2 in *event*) end_event "$calls" || status=1 ;; esac
	return $status
}

# lines_of MODULE INTERRUPTS CASE...: those that make sense here; the number that each has for the
# emulator, and how it went.
lines_of() {
	module=$1 interrupts=$2
	shift 2
	echo "$interrupts" >"/sys/module/$module/parameters/interrupts"
	for name; do
		# Events are recorded in the kernel's buffer here.
		case $name in *-crowd-* | *-used | stack-trace* | *-own-event) continue ;; esac
		[ "$module" = bench_ours ] || is_of_builtin "$name" || continue
		optimisation "$name"
		number=$((number + 1))
		echo "case $number $module $interrupts $name"
		marked "$module" "$name" || echo "failed $number"
	done
}

# shellcheck disable=SC2086,SC2046 # lists of names
lines() {
	number=0 calls=$(($(nproc) * 210)) more=
	for name in int3-slot int3-slot-post jump kretprobe-int3 ftrace fprobe; do
		more="$more $name:counted"
	done
	insmod ./kprobes.ko && insmod ./kprobes_events.ko && insmod ./bench_ours.ko || return
	cases=$(cat $debug/bench_ours/cases $debug/bench_ours/line_cases | tr "\n" " ")
	if [ -e /sys/kernel/tracing/set_ftrace_filter ]; then
		more="$more ftrace:tracer ftrace-post:tracer fprobe:tracer"
		case " $cases " in *" kretprobe-ftrace "*) more="$more kretprobe-ftrace:tracer" ;; esac
	fi
	cases="$cases $more"
	[ -z "$ONLY" ] || cases=$ONLY
	where kprobes
	where bench_ours
	lines_of bench_ours N $cases
	lines_of bench_ours Y $cases
	rmmod bench_ours && rmmod kprobes_events && rmmod kprobes || return
	[ -e bench_builtin.ko ] || return 0
	insmod ./bench_builtin.ko || return
	where bench_builtin
	lines_of bench_builtin N $cases
	rmmod bench_builtin
}

scaling() {
	part bench_ours
	insmod ./kprobes.ko && optimisation scaling &&
		measure bench_ours scaling rounds="$ROUNDS" window_ms="$WINDOW" && rmmod kprobes || return
	if part bench_builtin; then
		measure bench_builtin scaling rounds="$ROUNDS" window_ms="$WINDOW"
	fi
}

symbol() { awk -v name="$1" '$3 == name { print "0x" $1; exit }' /proc/kallsyms; }

# Those of others are not counted: on powerpc the built-in return probes have one of their own.
jumps_now() { echo $(($(grep -c 'OPTIMIZED' "$1/list") - others)); }

# settle DIR FILE SIDE: waits until no more probes become jumps; prints the time of
# that, in nanoseconds since their registration began.
settle() {
	since=0 before=-1 now=0
	# The sysctl of ours returns when the optimiser has finished.
	if [ "$3" = ours ]; then
		echo 1 >"/proc/sys/debug/${1##*/}-optimization"
		since=$(cut -d' ' -f5 "$2")
		before=$(jumps_now "$1") now=$before
	fi
	while [ "$now" != "$before" ]; do
		before=$now
		since=$(cut -d' ' -f5 "$2")
		usleep 200000
		now=$(jumps_now "$1")
	done
	[ "$now" != 0 ] || since=0
	echo "$now $since"
}

# The kernel memory in use that is allocated in pieces, in KiB.
memory() { awk '/^(Slab|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo; }

# batch_of SIDE WHAT COUNT [PICK]: prints a line: WHAT COUNT, nanoseconds to register,
# to unregister, to unregister until the text is restored, number of jumps,
# nanoseconds until there were as many, KiB of memory. Waits first for the deferred
# work of earlier batches.
batch_of() {
	file=$debug/batch_$1/batch dir=$debug/kprobes
	[ "$1" = builtin ] || [ ! -e $debug/lkprobes ] || dir=$debug/lkprobes
	echo "${4:-pick} $3" >"$file" && sleep 3 || return
	others=0
	others=$(jumps_now "$dir") before=$(memory)
	echo in >"$file" || return
	jumps=$(settle "$dir" "$file" "$1")
	taken=$(($(memory) - before))
	echo out >"$file" || return
	echo "$2 $(cut -d' ' -f1-4 "$file") $jumps $taken"
}

# The built-in kprobes have jumps, and use the tracer, on some architectures only.
builtin_batches() {
	switch=/proc/sys/debug/kprobes-optimization
	[ ! -e $switch ] || echo 1 >$switch
	[ ! -e $switch ] || batch_of builtin jump "$BUILTIN" || return
	[ ! -e $switch ] || echo 0 >$switch
	batch_of builtin int3 "$BUILTIN" || return
	[ ! -e $switch ] || batch_of builtin ftrace "$BUILTIN" pick-entries
}

batches() {
	text="start=$(symbol _stext) end=$(symbol _etext)"
	if part batch_builtin; then
		# shellcheck disable=SC2086 # two parameters
		insmod ./batch_builtin.ko $text || return
		builtin_batches || return
		rmmod batch_builtin
	fi
	part batch_ours
	# shellcheck disable=SC2086
	insmod ./kprobes.ko && insmod ./batch_ours.ko $text || return
	for size in $SIZES; do
		batch_of ours default "$size" || return
	done
	[ "$ENTRIES" = 0 ] || batch_of ours ftrace "$ENTRIES" pick-entries || return
	rmmod batch_ours && rmmod kprobes
}

# shellcheck source=/dev/null
. ./bench.conf
optimisation scaling
"$WHAT"
