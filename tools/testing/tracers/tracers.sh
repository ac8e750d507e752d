# SPDX-License-Identifier: GPL-2.0-only
#
# In the VM of test-tracers: SystemTap's and LTTng's own programs load their modules, which set
# probes of ours, and show what was hit.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

count() { grep -c "$1" "$2"; }
ours() { grep "ksys_sync" $dir/status; }
loaded() { grep -qw "^$1" /proc/modules; }

# What staprun runs while its probes are there.
cat >work.sh <<-END
	#!/bin/sh
	cat $dir/status >/tmp/status
	sync; sync; sync
END
chmod +x work.sh

systemtap() {
	insmod kprobes.ko
	check "staprun loads and unloads its module" \
		sh -c 'staprun -c ./work.sh calls.ko >/tmp/out'
	same "the handlers of both were called" "$(cat /tmp/out)" "3 calls, 3 returns"
	same "they were probes of ours" "$(count '^[kr] ksys_sync' /tmp/status)" 2
	same "none of which is left" "$(ours)" ""
	check "and kprobes.ko can go" rmmod kprobes
}

start_daemon() {
	mkdir -p /etc /run /var/run /dev/shm
	echo 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd
	echo 'root:x:0:' >/etc/group
	lttng-sessiond --background
}

lttng_events() {
	check "a session" lttng create tracers --output=/tmp/trace
	check "with a probe" lttng enable-event --kernel --probe=ksys_sync called
	check "and one with a return probe" lttng enable-event --kernel --function=ksys_sync in_and_out
	same "both are ours" "$(ours | wc -l)" 2
	check "which it starts" lttng start
	sync
	sync
	sync
	check "and ends" lttng destroy
	babeltrace2 /tmp/trace >/tmp/events
	same "the calls" "$(count ' called: ' /tmp/events)" 3
	same "the entries" "$(count ' in_and_out_entry: ' /tmp/events)" 3
	same "the returns" "$(count ' in_and_out_exit: ' /tmp/events)" 3
	same "no probe is left" "$(ours)" ""
}

lttng_modules() {
	check "lttng-kprobes is loaded, with what it needs" modprobe lttng-kprobes
	check "kprobes.ko too" loaded kprobes
	check "lttng-kretprobes" modprobe lttng-kretprobes
	check "the session daemon starts" start_daemon
	lttng_events
	kill "$(cat /var/run/lttng/lttng-sessiond.pid)"
	check "it ends, and its modules are unloaded" wait_for 30 unload
}

# Each goes when nobody uses it any more.
unload() {
	# shellcheck disable=SC2046 # a list of names
	rmmod $(sed -n 's/^\(lttng_[a-z0-9_]*\) .*/\1/p' /proc/modules) 2>/dev/null
	rmmod kprobes 2>/dev/null
	! loaded 'lttng\|kprobes'
}

systemtap
lttng_modules
ktap_end
