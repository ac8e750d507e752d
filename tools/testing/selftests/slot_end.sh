# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: dropin stock noftrace
# modules: lkp_sweep lkp_pool_end
# programs: perf_text
# timeout: 200
# once: yes
#
# Memory for slots fills up, but nothing is copied to its end: who reads an instruction with as many
# bytes as any can have, as the kernel does where it emulates what an instruction would do, finds them.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh

records=/tmp/records
end=/sys/module/lkp_pool_end/parameters
# They stay traps, of which most need one slot.  An even number has them registered one by one.
fill() {
	insmod kprobes.ko optimization=0
	insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)" plain=1
	echo 'pick 2 2500' >$control
}
# memory: address, in hexadecimal, and length of the first memory that has come for slots.
memory() { awk '$1 == "memory" && $4 == "kprobes_slots" { print $2, $3; exit }' $records; }

if [ "$1" = fill ]; then
	fill
	exit
fi
./perf_text "sh ./slot_end.sh fill" >/tmp/unsorted
if [ $? -eq 4 ]; then
	skip "the end of memory for slots" "this kernel has no perf"
	ktap_end
	exit
fi
sort /tmp/unsorted | cut -d ' ' -f 2- | grep memory >$records
sed 's/^/# /' $records
# shellcheck disable=SC2046 # two words
set -- $(memory)
check "memory for slots is looked at" insmod lkp_pool_end.ko addr="0x$1" length="$2"
check "it is full" test "$(cat $end/before)" -gt 500
same "nothing is at its end" "$(cat $end/taken)" 0
same "as nothing is behind it" "$(cat $end/mapped)" N
echo drop >$control
rmmod lkp_pool_end lkp_sweep
check "kprobes.ko unloads" rmmod kprobes
ktap_end
