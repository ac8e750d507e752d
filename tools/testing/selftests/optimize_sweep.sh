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
. ./sweeping.sh

: "${seed:=1}" "${first:=1001}" "${batches:=12}" "${size:=1000}" "${dwell:=2}" "${turns:=}"
switch=/proc/sys/debug/$(basename $dir)-optimization

count_jumps() { grep -c 'OPTIMIZED' $dir/list; }

# If a jump replaces only one instruction, nearly all probes become jumps.
case $(uname -m) in
aarch64) : "${share:=90}" ;;
ppc64le) : "${share:=85}" ;;
*) : "${share:=75}" ;;
esac

try_workload
begin_sweep seed="$seed" plain=1

begin_workload 2

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
	hits=$(swept hits)
	echo "# batch $batch: $(swept armed) armed, $here jumps, $((hits - before)) hits," \
		"$(cut -d' ' -f1 /proc/uptime) s"
	before=$hits
done

end_workload
sed 's/^/# /' $control
echo "# $jumps jumps"
same "every batch could be registered" "$failed" 0
# The share of all instructions, including refused ones.
check "at least $share % became jumps" test $((jumps * 100)) -ge $(($(swept tried) * share))
same "none was a jump when that was off" "$left" 0
check "some were hit" test "$(swept hit)" -gt "$batches"
end_sweep
ktap_end
