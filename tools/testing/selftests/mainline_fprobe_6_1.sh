# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: mainline_fprobe_6_1/fprobe_example
# vm: own
#
# The samples/fprobe/fprobe_example.c of mainline's 6.1, built unmodified but for a define that
# selects the types of handlers of that version.
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
for way in 'symbol' 'list' 'pattern'; do
	case $way in
	symbol)	where=wakeup_flusher_threads ;;
	list)	where=wakeup_flusher_threads,iterate_supers ;;
	pattern) where='wakeup_flusher_thread*' ;;
	esac
	check "it loads for a $way" load symbol="$where" stackdump=0
	check "its entry_handler got the address" told 'Enter <wakeup_flusher_threads+0x'
	check "its exit_handler got the address and the registers" \
		told 'Return from <wakeup_flusher_threads+0x.*> ip = .* to rip = .* (.*sys_sync+0x'
	check "no call was missed" told 'unregistered. [0-9]* times hit, 0 times missed'
done
refuse "it does not load for a symbol there is none of" \
	insmod fprobe_example.ko symbol=no_such_function 2>/tmp/error
dmesg >/tmp/log
check "its line in the log says ENOENT" told 'register_fprobe failed, returned -2'
check "kprobes.ko unloads" rmmod kprobes
ktap_end
