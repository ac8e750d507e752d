# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# timeout: 120
# modules: test_fprobe_many test_target test_text
#
# Fprobes while modules are loaded and unloaded: those with the probed functions,
# and those with the handlers.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

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

insmod test_text.ko start="$(symbol _stext)" end="$(symbol _etext)"
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
