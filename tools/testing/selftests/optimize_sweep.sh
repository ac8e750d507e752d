# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# programs: workload
# smp: 2
#
# Jumps at random instructions all over the kernel, batch after batch, under a
# workload. For a larger sweep, a script sets the variables below and then sources
# this file.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

: "${seed:=1}" "${first:=1001}" "${batches:=12}" "${size:=1000}" "${dwell:=2}" "${turns:=}"
control=/proc/lkp_sweep
switch=/proc/sys/debug/$(basename $dir)-optimization

symbol() { awk -v name="$1" '$3 == name { print "0x" $1; exit }' /proc/kallsyms; }
value() { awk -v name="$1" '$1 == name { print $2 }' $control; }
count_jumps() { grep -c 'OPTIMIZED' $dir/list; }

# If a jump replaces only one instruction, nearly all probes become jumps.
case $(uname -m) in
aarch64) share=90 ;;
ppc64le) share=85 ;;
*) share=33 ;;
esac

text="start=$(symbol _stext) end=$(symbol _etext)"
echo 0 >/proc/sys/debug/exception-trace
chmod +x workload
check "the workload runs" ./workload 2
# shellcheck disable=SC2086 # several parameters
insmod lkp_textcopy.ko $text
insmod kprobes.ko
# shellcheck disable=SC2086
check "the sweep's module loads" insmod lkp_sweep.ko $text seed="$seed" plain=1

./workload >/tmp/workload.1 2>&1 &
one=$!
./workload >/tmp/workload.2 2>&1 &
two=$!

echo "# seed $seed, batches $first to $((first + batches - 1)) of $size"
before=0 failed=0 jumps=0 left=0
for batch in $(seq "$first" $((first + batches - 1))); do
	echo 0 >"$switch"
	echo "pick $batch $size" >$control || failed=$((failed + 1))
	# The write returns when all probes that can be jumps are.
	echo 1 >"$switch"
	here=$(count_jumps)
	jumps=$((jumps + here))
	sleep "$dwell"
	for turn in $turns; do
		echo "$turn" >"$switch"
		same "turned to $turn: jumps" "$(count_jumps)" $((turn * here))
		sleep "$dwell"
	done
	# Every third batch is turned into traps before it is unregistered.
	[ $((batch % 3)) != 0 ] || echo 0 >"$switch"
	[ $((batch % 3)) != 0 ] || left=$((left + $(count_jumps)))
	echo drop >$control
	hits=$(value hits)
	echo "# batch $batch: $(value armed) armed, $here jumps, $((hits - before)) hits," \
		"$(cut -d' ' -f1 /proc/uptime) s"
	before=$hits
done

check "the workload is still at work" kill $one $two
wait $one $two
same "it has seen nothing unusual" "$(cat /tmp/workload.*)" ""
sed 's/^/# /' $control
echo "# $jumps jumps"
same "every batch could be registered" "$failed" 0
# The share of all instructions, including refused ones.
check "at least $share % became jumps" test $((jumps * 100)) -ge $(($(value tried) * share))
same "none was a jump when that was off" "$left" 0
check "some were hit" test "$(value hit)" -gt "$batches"
same "no handler ran after its probe had gone" "$(value late)" 0
same "every handler was told the right address" "$(value wrong)" 0

rmmod lkp_sweep
check "kprobes.ko unloads" rmmod kprobes
grep ':' /proc/lkp_textcopy | sed 's/^/# /'
check "the kernel's text is what it was" grep -q ' 0 differ$' /proc/lkp_textcopy
rmmod lkp_textcopy
ktap_end
