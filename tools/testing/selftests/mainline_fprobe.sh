# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: mainline_fprobe/fprobe_example
# vm: own
#
# The samples/fprobe/fprobe_example.c of mainline's 6.12, built unmodified.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# load PARAMETERS: loads the sample; its messages about a sync and at the end go to /tmp/log
load() {
	dmesg -c >/dev/null
	insmod fprobe_example.ko "$@" && sync && rmmod fprobe_example
	dmesg -c >/tmp/log
}
told() { grep -q "$1" /tmp/log; }

insmod kprobes.ko
check "it loads for a symbol" load symbol=wakeup_flusher_threads stackdump=0
check "its fprobe was planted" told 'Planted fprobe at wakeup_flusher_threads'
check "its entry_handler was called" told 'Enter <wakeup_flusher_threads+0x.*> ip = '
check "its exit_handler was called" told 'Return from <wakeup_flusher_threads+0x.*> ip = .* to rip = .* (.*sys_sync+0x'
check "it was unregistered" told 'fprobe at wakeup_flusher_threads unregistered. 2 times hit, 0 times missed'

check "it loads for a list" load symbol=wakeup_flusher_threads,iterate_supers stackdump=0
check "both were hit" told 'unregistered. [0-9]* times hit, 0 times missed'
check "the second one, too" told 'Enter <iterate_supers+'

check "it loads for a pattern, less another" load 'symbol=wakeup_flusher_thread*,iterate_super*' \
	'nosymbol=iterate_supers*' stackdump=0
check "what matches was hit" told 'Enter <wakeup_flusher_threads+0x'
refuse "what is excepted was not" told 'Enter <iterate_supers'

check "it shows the stack" load symbol=wakeup_flusher_threads stackdump=1
check "of the caller" told 'sys_sync+0x'

refuse "it does not load for a symbol there is none of" \
	insmod fprobe_example.ko symbol=no_such_function 2>/tmp/error
dmesg >/tmp/log
check "its line in the log says ENOENT" told 'register_fprobe failed, returned -2'
check "kprobes.ko unloads" rmmod kprobes
ktap_end
