# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_probe test_target
# timeout: 120
# once: yes
#
# Passes of the optimiser that are asked for at once, with others waiting, run one after the other: what
# one quiesces for is not to be written by another.  The optimiser says so itself, by a warning.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

: "${rounds:=10}"
settle() { echo 1 >/sys/module/test_probe/parameters/settle; }

# Three ask, and the probe changes meanwhile; all of them come back.
round() {
	insmod test_probe.ko symbol=lkp_target_fn offset="$at" || return
	settle &
	settle &
	for _ in 1 2 3; do
		tell disabled 1 && tell disabled 0 && settle || return
	done
	wait
	grep -q OPTIMIZED $dir/list && rmmod test_probe
}

insmod test_target.ko
at=$(cat /sys/module/test_target/parameters/at)
insmod kprobes.ko
i=0
while [ $i -lt "$rounds" ] && round; do i=$((i + 1)); done
same "all come back, and it is a jump, in each round" $i "$rounds"
check "kprobes.ko unloads" rmmod kprobes
rmmod test_target
ktap_end
