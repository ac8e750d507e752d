# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: lkp_linear test_probe test_target
# programs: perf_text
# timeout: 120
#
# Memory for slots and detours is not writable by another mapping, and perf knows of it and
# of each change of text.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

records=/tmp/records
linear=/sys/module/lkp_linear/parameters
symbol() { awk -v name="$1" '$3 == name { print $1; exit }' /proc/kallsyms; }
# changes: what was written at the probe point: old and new bytes of each change.
changes() { awk -v at="$place" '$1 == "text" && $2 == at { print $3, $4 }' $records; }
first() { changes | sed -n '1s/ .*//p'; }
last() { changes | sed -n '$s/.* //p'; }
# in_order: each change begins with the bytes that the one before has left.
in_order() {
	changes | awk '{ n = length($1) < length(was) ? length($1) : length(was) }
		NR > 1 && substr($1, 1, n) != substr(was, 1, n) { exit 1 } { was = $2 }'
}
# new_memory: addresses of memory for slots that has come.
new_memory() { awk '$1 == "memory" && $4 == "kprobes_slots" && $5 == "new" { print $2 }' $records; }
# observed COMMAND
observed() {
	./perf_text "$1" >/tmp/unsorted
	observed=$?
	sort /tmp/unsorted | cut -d ' ' -f 2- >$records
	return $observed
}
life() {
	observed "insmod kprobes.ko && insmod test_probe.ko symbol=lkp_target_fn offset=$at &&
		echo 1 >$parameters/settle && grep -q OPTIMIZED $dir/list"
	planted=$?
}

insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
place=$(printf '%016x' $((0x$(symbol lkp_target_fn) + at)))

life
if [ $planted -eq 4 ]; then
	skip "perf is told" "this kernel has no perf"
	rmmod test_target
	ktap_end
	exit
fi
same "a probe becomes a jump" $planted 0
refuse "perf has lost nothing" grep -q lost $records
check "perf is told of a trap and a jump" test "$(changes | wc -l)" -ge 2
check "each change begins where the last one ended" in_order
original=$(first)
check "and of memory for slots" test "$(new_memory)"
check "whose contents it is told" awk '$1 == "text" && $3 != "-" { n++ } END { exit n < 3 }' $records

base=$(new_memory | head -n 1)
check "its page is found" insmod lkp_linear.ko addr="0x$base"
if [ "$(uname -m)" = x86_64 ]; then
	same "the linear mapping of it is read-only" "$(cat $linear/writable)" 0
else
	skip "the linear mapping of it is read-only" "only x86's can be looked at"
fi
check "they are unloaded" observed "rmmod test_probe && rmmod kprobes"
check "perf is told that they go" test "$(changes | wc -l)" -ge 1
same "the original bytes are back" "$(last | cut -c 1-2)" "$(echo "$original" | cut -c 1-2)"
check "and that the memory has gone" grep -q "^memory $base .* kprobes_slots gone" $records
if [ "$(uname -m)" = x86_64 ]; then
	same "the linear mapping is as it was" "$(cat $linear/writable)" 1
fi
rmmod lkp_linear test_target
ktap_end
