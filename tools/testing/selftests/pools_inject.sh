# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_rets test_asleep
# inject: yes
# once: yes
#
# A CPU that was stopped with the lock of a pool of instances never gives it back. Who comes there does
# not wait for it, but goes on without an instance, or with one that was ready; and all can be unregistered.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

rets=/sys/module/test_rets/parameters
asleep=/sys/module/test_asleep/parameters
locks=/sys/module/kprobes/parameters/locks_held
exactly() { [ "$(cat "$2")" -eq "$1" ]; }
# sleep_in NUMBER: so many tasks more are asleep in the function.
sleep_in() {
	before=$(cat $rets/entries) missed_before=$(cat $rets/missed)
	echo "$1" >$asleep/start
	wait_for 30 exactly "$1" $asleep/inside
}
entered() { echo $(($(cat $rets/entries) - before)); }
missed() { echo $(($(cat $rets/missed) - missed_before)); }
come_back() {
	echo 1 >$asleep/release
	wait_for 30 exactly "$1" $asleep/back
}
begin() {
	insmod test_asleep.ko
	insmod test_rets.ko func=lkp_asleep_in_asm_target_fn maxactive=20
}
end() {
	check "$1: the client unloads" unloads 30 test_rets
	rmmod test_asleep
}

insmod kprobes.ko
begin
echo 1 >$locks
check "threads go to sleep in the function" sleep_in 10
check "some are followed, by what each CPU had ready" test "$(entered)" -gt 0
check "others are missed" test "$(missed)" -gt 0
same "all are counted" $(($(entered) + $(missed))) 10
echo 0 >$locks
check "they come back" come_back 10
end "no take"

begin
check "threads go to sleep in the function" sleep_in 10
same "all are followed" "$(entered)" 10
echo 1 >$locks
check "they come back, and give to no pool" come_back 10
same "each has returned through its handler" "$(cat $rets/hits)" 10
echo 0 >$locks
end "no give"
check "it unloads" wait_for 20 rmmod kprobes
ktap_end
