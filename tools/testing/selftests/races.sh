# SPDX-License-Identifier: GPL-2.0-only
#
# host: kcsan
# arch: x86_64
# modules: test_races test_concurrency test_opt_storm test_ret_storm test_profile test_target
# modules: lkp_storm lkp_storm_target
# programs: storm
# smp: 4
# in-turn: yes
# timeout: 900
# allow: ^BUG: KCSAN: data-race in .*\[test_races\]
#
# Data races in kprobes.ko, on a kernel with a detector: everything comes and goes while hits run on
# all CPUs and the files are read. A report of a race is a complaint of the kernel, which fails the
# test. While a watchpoint waits, the other CPUs have their turn.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

: "${seed:=$(($(date +%s) % 100000))}" "${duration:=60}"
detector=/sys/kernel/debug/kcsan
sysctl=/proc/sys/debug/$(basename $dir)-optimization

# reports PATTERN: the races whose first line has it.
reports() { dmesg | grep 'BUG: KCSAN: ' | grep "$1"; }
is_reported() { reports "$1" >/dev/null; }
watched() { sed -n 's/^setup_watchpoints: //p' $detector; }
# new NAME: there has been no report since the last time, but those that are meant.
new() {
	same "no race: $1" "$(reports . | grep -v '\[test_races\]')" ''
}

# While /tmp/busy is there:
reading() {
	while [ -e /tmp/busy ]; do
		cat $dir/list $dir/status $dir/enabled $dir/profile "$sysctl"
		sleep 0.1
	done >/dev/null
}
turning() {
	while [ -e /tmp/busy ]; do
		for file in "$sysctl" $dir/enabled; do
			echo 0 >"$file"
			sleep 0.3
			echo 1 >"$file"
		done
		echo 1 >$dir/profile
		sleep 0.5
		echo 0 >$dir/profile
	done
}
modules() {
	while [ -e /tmp/busy ]; do
		insmod test_target.ko
		echo 1 >/sys/module/test_target/parameters/call
		rmmod test_target
	done
}
tasks() {
	while [ -e /tmp/busy ]; do
		sleep 300 &
		victim=$!
		echo one two three | cat | wc -w
		sleep 0.02
		kill -9 $victim
		wait $victim
	done >/dev/null
}
# busy COMMAND...: begins them. idle: ends them.
busy() {
	touch /tmp/busy
	for command in "$@"; do
		$command 2>/dev/null &
	done
}
idle() {
	rm -f /tmp/busy
	wait
}

chmod +x storm
dmesg -n 5
check "the detector watches" grep -q '^enabled: 1' $detector
insmod kprobes.ko
# What it calls may not be probed: our own code calls it on its way to the guard.
for name in __tsan_func_entry __tsan_read8 __tsan_volatile_write4 kcsan_setup_watchpoint \
	kcsan_found_watchpoint __udelay delay_tsc; do
	if [ "$(symbol $name)" ]; then
		check "$name is refused" judged $name 'refused'
	else
		skip "$name is refused" "this kernel has none"
	fi
done

# A jump calls the handler without reading it.
echo 0 >"$sysctl"
insmod test_races.ko
check "a race of a client with kprobes.ko is reported" \
	wait_for 60 is_reported '\[kprobes\].*\[test_races\]\|\[test_races\].*\[kprobes\]'
rmmod test_races
echo 1 >"$sysctl"

before=$(watched)
busy reading modules
run_cases test_concurrency
idle
new "kprobes come and go"

insmod test_opt_storm.ko seed="$seed" seconds=20
busy reading modules
cat /sys/kernel/debug/test_opt_storm >/tmp/storm
idle
rmmod test_opt_storm
check "nothing was lost, late or wrong" grep -q '^ok 1' /tmp/storm
new "jumps"

insmod test_profile.ko
insmod test_ret_storm.ko
busy reading turning modules tasks tasks tasks
for _ in $(seq 20); do
	echo 20 >/sys/module/test_profile/parameters/call
	sleep 1
done
echo 1 >/sys/module/test_ret_storm/parameters/stop
idle
echo 1 >$dir/enabled
same "every return was its call's" "$(cat /sys/module/test_ret_storm/parameters/strange)" 0
check "calls were followed" test "$(cat /sys/module/test_ret_storm/parameters/returns)" -gt 100
rmmod test_ret_storm
rmmod test_profile
new "returns, files and switches"

insmod lkp_storm.ko
check "all is as predicted" ./storm seed="$seed" duration="$duration"
for module in lkp_storm_target lkp_storm; do
	! grep -q "^$module " /proc/modules || rmmod $module
done
new "the storm"
echo "# $(($(watched) - before)) accesses were watched"
check "much has been watched" test $(($(watched) - before)) -gt 1000
same "nothing is registered" "$(cat $dir/list)" ''
check "kprobes.ko unloads" wait_for 30 rmmod kprobes
new "the end"
ktap_end
