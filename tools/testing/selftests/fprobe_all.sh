# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# host: stock
# timeout: 400
# modules: test_fprobe_many lkp_textcopy
# programs: workload
# smp: 4
# mem: 1G
#
# An fprobe on all traceable functions, under a workload.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

: "${dwell:=60}"
# shellcheck disable=SC2034 # for value and tell
parameters=/sys/module/test_fprobe_many/parameters

# The first run may make the kernel patch itself.
# The segmentation faults of the workload would fill the log.
echo 0 >/proc/sys/debug/exception-trace
chmod +x workload
check "the workload runs" ./workload 2
insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
insmod kprobes.ko
insmod test_fprobe_many.ko filter=no_such_function,ksys_sync
tell planted 0
rmmod test_fprobe_many

workers=
for worker in 1 2 3 4; do
	./workload >"/tmp/workload.$worker" 2>&1 &
	workers="$workers $!"
done
check "it attaches" insmod test_fprobe_many.ko
echo "# attached within $(($(value ns_in) / 1000000)) ms"
sleep "$dwell"
many_calls() { [ "$(value entries)" -gt 100000 ]; }
wait_for 60 many_calls
# shellcheck disable=SC2086 # a list
check "the workload is still at work" kill $workers
wait
same "it has seen nothing unusual" "$(cat /tmp/workload.*)" ""
entries=$(value entries) exits=$(value exits)
echo "# $entries entered, $exits returned, $(value missed) missed"
check "many calls were seen" test "$entries" -gt 100000
check "nearly all of them returned" test $((entries - exits)) -lt 10000
check "none returned that was not entered" test "$exits" -le "$(value entries)"
same "every return was the one that its entry had marked" "$(value strange)" 0
tell planted 0
echo "# detached within $(($(value ns_out) / 1000000)) ms"
same "no handler ran afterwards" "$(value late)" 0
same "not later either" "$(value entries)" "$(sleep 1; value entries)"
rmmod test_fprobe_many
check "kprobes.ko unloads" rmmod kprobes
check "the kernel's text is what it was" grep -q ' 0 differ$' /proc/lkp_textcopy
rmmod lkp_textcopy
ktap_end
