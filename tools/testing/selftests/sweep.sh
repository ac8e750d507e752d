# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# programs: workload
# smp: 2
#
# Probes at random instructions all over the kernel, batch after batch, under a
# workload. For a larger sweep, a script sets the variables below and then sources
# this file.
# shellcheck shell=sh

. ./ktap.sh

: "${seed:=1}" "${first:=1}" "${batches:=21}" "${size:=500}" "${dwell:=1}"
control=/proc/lkp_sweep

# symbol NAME: its address, if it is text of the kernel image.
symbol() { awk -v name="$1" '$3 == name { print "0x" $1; exit }' /proc/kallsyms; }

value() { awk -v name="$1" '$1 == name { print $2 }' $control; }

total() { value "$1"; }

text="start=$(symbol _stext) end=$(symbol _etext)"

# The first run may make the kernel patch itself.
# The segmentation faults of the workload would fill the log.
echo 0 >/proc/sys/debug/exception-trace
chmod +x workload
check "the workload runs" ./workload 2

# shellcheck disable=SC2086 # several parameters
insmod lkp_textcopy.ko $text
insmod kprobes.ko
# shellcheck disable=SC2086
check "the sweep's module loads" insmod lkp_sweep.ko $text seed="$seed"

./workload >/tmp/workload.1 2>&1 &
one=$!
./workload >/tmp/workload.2 2>&1 &
two=$!

echo "# seed $seed, batches $first to $((first + batches - 1)) of $size"
before=0 failed=0
for batch in $(seq "$first" $((first + batches - 1))); do
	echo "pick $batch $size" >$control || failed=$((failed + 1))
	sleep "$dwell"
	echo drop >$control
	hits=$(value hits)
	echo "# batch $batch: $(value armed) armed, $((hits - before)) hits, $(cut -d' ' -f1 /proc/uptime) s"
	before=$hits
	echo "$batch" >/tmp/progress 2>/dev/null
done

check "the workload is still at work" kill $one $two
wait $one $two
same "it has seen nothing unusual" "$(cat /tmp/workload.*)" ""
sed 's/^/# /' $control
same "every batch could be registered" "$failed" 0
check "instructions were tried" test "$(value tried)" -ge $((batches * size))
check "most of them could be probed" test $(($(value armed) * 10)) -gt $(($(value tried) * 7))
check "some were hit" test "$(value hit)" -gt "$batches"
check "post handlers ran" test "$(value posts)" -gt 0
same "no handler ran after its probe had gone" "$(value late)" 0
same "every handler was told the right address" "$(value wrong)" 0

rmmod lkp_sweep
check "kprobes.ko unloads" rmmod kprobes
grep ':' /proc/lkp_textcopy | sed 's/^/# /'
check "the kernel's text is what it was" grep -q ' 0 differ$' /proc/lkp_textcopy
rmmod lkp_textcopy
ktap_end
