# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# modules: test_failing test_target
# inject: yes
# smp: 2
# timeout: 240
#
# Probes of all kinds come and go on several CPUs while steps fail, all of them are turned off and on,
# hits are counted or not, jumps allowed or not, and a probed module comes and goes.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

: "${seed:=1}" "${operations:=300}"
sysctl=/proc/sys/debug/$(basename $dir)-optimization

# While /tmp/busy is there.  What fails is tried again.
turning() {
	while [ -e /tmp/busy ]; do
		for file in "$sysctl" $dir/enabled; do
			echo 0 >"$file"
			sleep 0.2
			until echo 1 >"$file"; do sleep 0.05; done
		done
		echo 1 >$dir/profile
		cat $dir/list $dir/status $dir/profile
		sleep 0.3
		echo 0 >$dir/profile
	done >/dev/null 2>&1
}
coming() {
	while [ -e /tmp/busy ]; do
		insmod test_target.ko && echo 1 >/sys/module/test_target/parameters/call
		sleep 0.1
		rmmod test_target
	done 2>/dev/null
}
begin() {
	touch /tmp/busy
	turning &
	coming &
}

dmesg -n 5
check "kprobes.ko loads" insmod kprobes.ko
insmod test_failing.ko seed="$seed" operations="$operations"
begin
cat /sys/kernel/debug/test_failing >/tmp/cases
rm -f /tmp/busy
wait
sed 's/^/# /' /tmp/cases
check "nothing was lost, late or wrong" grep -q '^ok 1' /tmp/cases
rmmod test_failing
! grep -q '^test_target ' /proc/modules || rmmod test_target
same "nothing is registered" "$(cat $dir/list)" ''
check "kprobes.ko unloads" wait_for 30 rmmod kprobes
ktap_end
