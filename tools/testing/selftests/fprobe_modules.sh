# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# once: yes
# timeout: 180
# modules: test_fprobe_many test_target test_text
#
# Fprobes while modules are loaded and unloaded: those with the probed functions,
# and those with the handlers.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./synced.sh

# shellcheck disable=SC2034 # for value and tell
parameters=/sys/module/test_fprobe_many/parameters
sums() { sort /sys/kernel/debug/test_text | grep -Ev '^test_(fprobe_many|target) '; }
# shellcheck disable=SC2317 # check calls it
said() { our_log | tail -n 5 | grep -q "$1"; }
# seen COMMAND...: the calls entered and returned while it runs
seen() {
	entered=$(value entries) returned=$(value exits)
	"$@"
	echo "$(($(value entries) - entered)) $(($(value exits) - returned))"
}

check "text has checksums" insmod test_text.ko start="$(symbol _stext)" end="$(symbol _etext)"
before=$(sums)
insmod kprobes.ko
insmod test_target.ko
check "on a module's function" insmod test_fprobe_many.ko filter='lkp_target_in_*'
same "it is hit" "$(seen target_call)" '1 1'
check "the module goes" rmmod test_target
insmod test_target.ko
same "what is loaded there next is not hit" "$(seen target_call)" '0 0'
tell planted 0
tell planted 1
same "but after registering again" "$(seen target_call)" '1 1'
same "none was missed" "$(value missed)" 0


# The same with very many functions: older tracers have no filter for them, but call for each function.
# Where the tracer is of no use to us, as on newer arm64, each would have a probe: slow, and nothing new.
rmmod test_fprobe_many
if has_tracer && { [ "$entry_is_site" ] || has_symbol ftrace_regs_caller; }; then
	insmod test_fprobe_many.ko notfilter="$synced"
	tell watch "$(symbol $synced)"
	sync
	same "a function that is left out is not hit" "$(value watched)" 0
	tell watch "$(symbol lkp_target_in_c)"
	target_call
	same "another one is, once for each call" "$(value watched)" 1
	rmmod test_target
	insmod test_target.ko
	tell watch "$(symbol lkp_target_in_c)"
	target_call
	same "what is loaded where a module was is not hit" "$(value watched)" 1
	rmmod test_fprobe_many
fi
insmod test_fprobe_many.ko filter='lkp_target_in_*'

tell forget 1
check "a client that forgets its fprobe unloads" rmmod test_fprobe_many
check "which is taken back, and said so" said 'test_fprobe_many goes and leaves an fprobe'
check "its function works" target_call
refuse "a pattern for what has gone matches nothing" sh -c \
	'rmmod test_target && insmod test_fprobe_many.ko filter=lkp_target_in_c 2>/dev/null'
check "and says why" said 'filter matches no function'
check "kprobes.ko unloads" rmmod kprobes
same "the kernel's text is as before" "$(sums)" "$before"
rmmod test_text
ktap_end
