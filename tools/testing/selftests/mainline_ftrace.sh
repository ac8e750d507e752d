# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# timeout: 400
# heavy: yes
# modules: kprobes_events
# source: tools/testing/selftests/ftrace/test.d
# vm: own
#
# The kernel's own tests of kprobe_events and dynamic events, from its source, with kprobes_events.ko:
# changed are only the names of files and of the group, which are ours.  A table says which pass, and
# why others do not.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

tracing=/sys/kernel/tracing
events=$dir/events
tests=$PWD/test.d
work=/tmp/mainline_ftrace
mkdir -p $work

# What is not passed, and why: TEST RESULT WHY.
known() {
	cat <<-'END'
	kprobe/kprobe_non_uniq_symbol.tc failed of several functions of a name the first one is probed
	kprobe/kprobe_syntax_errors.tc failed an argument may be long, see below
	kprobe/uprobe_syntax_errors.tc n/a uprobes are the kernel's own
	dynevent/add_remove_eprobe.tc n/a event probes are the kernel's own
	dynevent/add_remove_synth.tc n/a synthetic events are the kernel's own
	dynevent/eprobes_syntax_errors.tc n/a event probes are the kernel's own
	dynevent/test_duplicates.tc n/a event probes are the kernel's own
	dynevent/clear_select_events.tc n/a synthetic events are the kernel's own
	dynevent/generic_clear_event.tc n/a synthetic events are the kernel's own
	END
}

# ours FILE: with the names of our files.
ours() {
	sed -E "s#(^|[^a-z_/\$'])(kprobe_events|kprobe_profile|error_log)\\b#\\1$events/\\2#g
		s#'(kprobe_events)'#'$events/\\1'#g
		s#\\bdynamic_events\\b#$events/kprobe_events#g
		s#\\bevents/kprobes\\b#events/lkprobes#g; s#\\bkprobes/(testevent)#lkprobes/\\1#g
		s#\\.\\./kprobes/list#$dir/list#g" "$1"
}

# The line that the kernel refuses and we take: an argument may be longer than 63 bytes.
taken='p vfs_read +1234567(+1234567(+1234567(+1234567(+1234567(+1234567(@1234))))))'

# In the place of the kernel's: goes on behind a line that is taken, or marked elsewhere, and counts.
count_marks() {
	ftrace_errlog_check() {
		line=$(printf '%s' "$2" | tr -d '^')
		wanted=$(printf '%s' "${2%^*}" | wc -c)
		echo "$line" >>$work/lines
		echo >$events/error_log
		if printf '%s' "$line" 2>/dev/null >>"$3"; then
			echo "$line" >>$work/taken
			# The next one may have the same name.
			case $line in *testevent*) ;; *) echo >"$3" ;; esac
			return
		fi
		grep -q "$1: error:" $events/error_log
		[ "$(tail -n 1 $events/error_log | wc -c)" = $((13 + wanted)) ] || echo "$line" >>$work/elsewhere
	}
}

# What the kernel's runner gives to its tests, with the result as the exit code.
# shellcheck disable=SC2034 # variables that tests use
run_one() (
	exit_pass() { exit 0; }
	exit_fail() { exit 1; }
	exit_unresolved() { exit 3; }
	exit_untested() { exit 3; }
	exit_unsupported() { exit 3; }
	TMPDIR=$work testlog=$work/log
	ours "$tests/functions" >$work/functions
	ours "$1" >$work/test
	# The names in the first lines are words for the shell.
	# The kernel's description of itself is of its own file.
	needs=$(sed -n 's/^# requires: //p' "$1")
	cd $tracing || exit
	. $work/functions
	eval "check_requires $(echo "$needs" | sed "s#\\b\\(kprobe_events\\|error_log\\|dynamic_events\\)\\( \\|\$\\)##g")"
	clear_dynamic_events() { :; }
	count_marks
	read -r PID _ </proc/self/stat
	set -ex
	initialize_ftrace 2>/dev/null
	# shellcheck disable=SC1091 # made above
	. $work/test
)

: >$work/taken
: >$work/elsewhere
insmod kprobes.ko
insmod kprobes_events.ko
for path in "$tests"/kprobe/*.tc "$tests"/dynevent/*.tc; do
	name=${path#"$tests"/}
	wanted=$(known | sed -n "s#^$name ##p")
	case $wanted in
	n/a*)	echo "# $name: not applicable: ${wanted#n/a }"
		continue ;;
	esac
	run_one "$path" >$work/said 2>&1
	code=$?
	# Its other lines come behind those that would have ended it.
	[ "$name" != kprobe/kprobe_syntax_errors.tc ] || [ ! -s $work/taken ] || code=1
	case $code in
	0)	result=passed ;;
	3)	result='not applicable' ;;
	*)	result=failed ;;
	esac
	why=$(grep -E 'Required|^[A-Z]' $work/said | tail -n 1)
	echo "# $name: $result${wanted:+: ${wanted#failed }}$([ $code != 3 ] || echo ": $why")"
	case $wanted:$result in
	:failed)	tail -n 12 $work/said | sed 's/^/# /'
			not_ok "$name" ;;
	:not*)		skip "$name" "${why:-it asks for more}" ;;
	:*)		ok "$name" ;;
	*:failed | *:not*)	ok "$name" ;;
	*)		not_ok "$name" "it was thought to fail: ${wanted#failed }" ;;
	esac
	for enable in $tracing/events/*probes*/enable $tracing/events/mygroup/enable; do
		[ ! -e "$enable" ] || echo 0 >"$enable"
	done
	echo nop >$tracing/current_tracer
	echo >$events/kprobe_events
done
echo "# kprobe/kprobe_syntax_errors.tc: $(wc -l <$work/lines) wrong lines"
same "the kernel's wrong lines are refused, but for one" "$(cat $work/taken)" "$taken"
same "and marked at the same places" "$(cat $work/elsewhere)" ''
check "no event is left" sh -c "[ -z \"\$(cat $events/kprobe_events)\" ]"
check "kprobes_events.ko unloads" rmmod kprobes_events
check "kprobes.ko unloads" rmmod kprobes
ktap_end
