# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# once: yes
# modules: test_fprobe_many test_target lkp_textcopy fprobe/fprobe_example
# timeout: 180
#
# What an operator sees of fprobes and turns off is the same whoever serves them: the files list,
# status and enabled.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./synced.sh

# shellcheck disable=SC2034 # for value
parameters=/sys/module/test_fprobe_many/parameters
# probe PATTERN: an fprobe on these functions.
probe() { insmod test_fprobe_many.ko filter="$1"; }
# calls COMMAND...: the calls seen while it runs.
calls() {
	before=$(value entries)
	"$@"
	echo $(($(value entries) - before))
}
nr_listed() { grep -c '  f  ' $dir/list; }
lists() { grep -Eq "$1" $dir/list; }
states() { grep -Eq "$1" $dir/status; }
same_text() { grep -q ' 0 differ$' /proc/lkp_textcopy; }

if entry_is_the_tracers; then
	mark='\[FTRACE\]' served=ftrace
else
	mark='(\[OPTIMIZED\])?' served='(jump|trap: .*)'
fi

insmod kprobes.ko
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"

probe $synced
check "it is listed" lists "^[0-9a-f]{16}  f  $synced\\+0x[048c]  *$mark\$"
same "once" "$(nr_listed)" 1
check "its status is known" states "^f $synced\\+0x[048c] $served\$"
same "calls are seen" "$(calls sync)" 1
echo 0 >$dir/enabled
check "when all are off it is listed" lists "  f  $synced\\+"
check "its status is off" states "^f $synced\\+0x[048c] off\$"
same "no call is seen" "$(calls sync)" 0
echo 1 >$dir/enabled
check "when all are on again its status is known" states "^f $synced\\+0x[048c] $served\$"
same "and calls are seen" "$(calls sync)" 1
echo 0 >$dir/enabled
rmmod test_fprobe_many
same "one that goes while all are off is not listed" "$(cat $dir/list $dir/status)" ''
check "nor left in the text" same_text

check "one can be registered while all are off" probe $synced
check "its status is off, too" states "^f $synced\\+0x[048c] off\$"
same "no call is seen by it" "$(calls sync)" 0
echo 1 >$dir/enabled
same "but when all are on" "$(calls sync)" 1
rmmod test_fprobe_many

# A name that is mistyped, among others.
dmesg -c >/dev/null
probe $synced,ksys_snyc,ksys_syn?,nosuch_*
check "a name that no function has is named" sh -c "dmesg | grep -q 'can be probed matches ksys_snyc,'"
check "and a pattern" sh -c "dmesg | grep -q 'can be probed matches nosuch_\*,'"
same "and none that one has" "$(dmesg | grep -c 'can be probed matches')" 2
same "whose calls are seen" "$(calls sync)" 1
rmmod test_fprobe_many

# Small functions, one beside the other: the sites of two may be nearer than a site can be to the entry.
if grep -q ' __probestub_' /proc/kallsyms; then
	probe '__probestub_*'
	check "functions that do nothing are found" [ "$(nr_listed)" -gt 100 ]
	same "and none that is called otherwise" "$(grep '  f  ' $dir/list | grep -cv '  f  __probestub_')" 0
	same "each once" "$(grep '  f  ' $dir/list | sort | uniq -d)" ''
	rmmod test_fprobe_many
fi

# Functions of a module that goes while all are off.
insmod test_target.ko
probe "lkp_target_in_c,$synced"
check "a module's functions are listed" lists '  f  lkp_target_in_c\+[^ ]*  test_target '
echo 0 >$dir/enabled
rmmod test_target
refuse "not when it has gone" lists '^[0-9a-f]{16}  f  .*  test_target *(\[FTRACE\])?$'
echo 1 >$dir/enabled
same "the others are still seen" "$(calls sync)" 1
rmmod test_fprobe_many

# The other switch of the tracer.
if entry_is_the_tracers; then
	echo 0 >$dir/enabled
	probe $synced
	echo 0 >/proc/sys/kernel/ftrace_enabled
	refuse "all can't be on without the tracer" sh -c "echo 1 >$dir/enabled" 2>/dev/null
	same "and then they are off" "$(cat $dir/enabled)" 0
	echo 1 >/proc/sys/kernel/ftrace_enabled
	echo 1 >$dir/enabled
	same "with it they can" "$(calls sync)" 1
	rmmod test_fprobe_many
fi

# Where the tracer's site is behind the entry, a few functions get jumps.
if [ ! "$entry_is_site" ] && has_symbol ftrace_regs_caller; then
	switch=/proc/sys/debug/$(basename $dir)-optimization
	probe $synced
	check "a function gets a jump" wait_for 30 states "^f $synced\\+0x[04] jump\$"
	echo 0 >"$switch"
	check "without jumps it has a trap" states "^f $synced\\+0x[04] trap: optimisation is turned off"
	insmod fprobe_example.ko symbol=$synced
	check "and the tracer serves the next" states "^f $synced\\+0x[48] ftrace\$"
	same "the first sees calls" "$(calls sync)" 1
	echo 1 >"$switch"
	check "the first gets its jump again" wait_for 30 states "^f $synced\\+0x[04] jump\$"
	check "the other stays with the tracer" states "^f $synced\\+0x[48] ftrace\$"
	same "the first still sees calls" "$(calls sync)" 1
	dmesg -c >/dev/null
	rmmod test_fprobe_many fprobe_example
	same "and the other has seen them" "$(dmesg | sed -n "s/.*\($synced: .* returned\),.*/\1/p")" \
		"$synced: 2 calls, 2 returned"
	probe "$synced,s*"
	check "very many functions are the tracer's" states "^f $synced\\+0x[48] ftrace\$"
	refuse "and have no probes" states "^f .* (jump|trap)"
	check "calls are seen" test "$(calls sync)" -ge 1
	rmmod test_fprobe_many
fi

# All functions are found by address, or by name.
if has_tracer; then
	probe '*'
	check "few calls are seen before it is on all functions" test "$(value early)" -lt 10000
	# Else each line of the list takes thousands of hits: minutes, where the emulator is slow.
	echo 0 >$dir/enabled
	check "all functions are many" test "$(nr_listed)" -gt 1000
	refuse "its own handlers are not among them" lists ' on_(entry|exit)\+0x'
	functions=$(nr_listed)
	rmmod test_fprobe_many
	probe '?*'
	same "those with any name are as many" "$(nr_listed)" "$functions"
	rmmod test_fprobe_many
	echo 1 >$dir/enabled
fi

refuse "a handler alone is no function" probe on_entry
check "for that" sh -c \
	"dmesg | tail -n 5 | grep -q 'filter matches no function\|none of the functions can be probed'"

check "the text is what it was" same_text
check "kprobes.ko unloads" rmmod kprobes
rmmod lkp_textcopy
ktap_end
