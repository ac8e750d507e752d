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
. ./sweeping.sh

: "${seed:=1}" "${first:=1}" "${batches:=21}" "${size:=500}" "${dwell:=1}"

try_workload

begin_sweep seed="$seed"

begin_workload 2

echo "# seed $seed, batches $first to $((first + batches - 1)) of $size"
before=0 failed=0
for batch in $(seq "$first" $((first + batches - 1))); do
	echo "pick $batch $size" >$control || failed=$((failed + 1))
	sleep "$dwell"
	echo drop >$control
	hits=$(swept hits)
	echo "# batch $batch: $(swept armed) armed, $((hits - before)) hits, $(cut -d' ' -f1 /proc/uptime) s"
	before=$hits
	echo "$batch" >/tmp/progress 2>/dev/null
done

end_workload
sed 's/^/# /' $control
same "every batch could be registered" "$failed" 0
check "instructions were tried" test "$(swept tried)" -ge $((batches * size))
check "most of them could be probed" test $(($(swept armed) * 10)) -gt $(($(swept tried) * 7))
check "some were hit" test "$(swept hit)" -gt "$batches"
check "post handlers ran" test "$(swept posts)" -gt 0
end_sweep
ktap_end
