# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# programs: workload
# smp: 2
#
# A probe at each instruction of the kernel in its turn, first as a trap, then as a jump where
# that can be, in batches under a workload. Here a few batches only: make sweep-all does them
# all, by this script with other variables.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

# Of all batches those whose number divided by "of" leaves "part" - 1, from number "from" on.
: "${part:=11}" "${of:=20}" "${from:=0}" "${most:=3}" "${dwell:=1}"
switch=/proc/sys/debug/$(basename $dir)-optimization

now() { cut -d. -f1 /proc/uptime; }

# So far apart that no jump covers the next probe.
case $(uname -m) in
x86_64) stride=5 ;;
*) stride=1 ;;
esac

# count_traps: adds up why probes are no jumps; jumps are counted, too.
count_traps() {
	awk -v before=/tmp/traps '
		BEGIN { while ((getline line <before) > 0) {
			n = index(line, " "); sum[substr(line, n + 1)] += substr(line, 1, n - 1) } }
		{ why = $3 == "trap:" ? substr($0, index($0, " trap: ") + 7) : $3; sum[why]++ }
		END { for (why in sum) print sum[why], why }' $dir/status >/tmp/traps.new
	mv /tmp/traps.new /tmp/traps
}

# left DONE SECONDS: how long the rest takes.
left() { echo "$(($2 * (todo - $1) / $1 / 60)) min left"; }

one_batch() {
	armed_before=$(swept armed)
	echo 0 >"$switch"
	echo "block $(($1 % blocks)) $(($1 / blocks)) $stride" >$control || failed=$((failed + 1))
	# Between its sections the kernel has megabytes of padding.
	[ "$(swept armed)" != "$armed_before" ] || return 0
	sleep "$dwell"
	# The write returns when all probes that can be jumps are.
	echo 1 >"$switch"
	count_traps
	sleep "$dwell"
	# Every third batch is turned into traps before it is unregistered.
	[ $(($1 % 3)) != 0 ] || echo 0 >"$switch"
	echo drop >$control
}

try_workload
begin_sweep plain=1

blocks=$(swept blocks)
all=$((blocks * stride)) failed=0 batch=$from
while [ $((batch % of)) != $((part - 1)) ]; do batch=$((batch + 1)); done
todo=$(((all - batch + of - 1) / of))
[ "$todo" -le "$most" ] || todo=$most
echo "# batches $batch to $((all - 1)), each ${of}th: $todo of $all"

begin_workload 2
: >/tmp/traps
began=$(now) done=0
while [ $done -lt "$todo" ]; do
	before="$(swept armed) $(swept hits)"
	one_batch "$batch"
	done=$((done + 1))
	echo "# batch $batch: $(swept armed) $(swept hits) $before $(left $done $(($(now) - began)))" |
		awk '{ printf "%s %s %s %d armed, %d hits, %s %s %s\n", $1, $2, $3, $4 - $6, $5 - $7,
			$8, $9, $10 }'
	batch=$((batch + of))
done

end_workload
sed 's/^/# /' $control
sort -rn /tmp/traps | sed 's/^/# became: /'
echo "# $done batches in $(($(now) - began)) s"
same "every batch could be registered" "$failed" 0
check "instructions were tried" test "$(swept tried)" -gt "$done"
check "some became jumps" grep -q ' jump$' /tmp/traps
# A batch or two may be drivers that the VM has no use for.
[ "$(swept armed)" -lt 8000 ] || check "some were hit" test "$(swept hit)" -gt 0
# Lockdep is told of interrupts before handlers run, and is probed, too.
has_symbol lockdep_hardirqs_off ||
	same "no hit was missed" "$(swept missed)" 0
end_sweep wait_for 30 rmmod kprobes
ktap_end
