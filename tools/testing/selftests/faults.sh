# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_faults test_zeropad test_fault_walk test_nops
#
# Probed instructions that fault, handlers that fault, fault handlers.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_faults
# The same with jumps, where there can be any.
run_cases test_faults sh -c "echo 1 >/sys/module/test_faults/parameters/jumps"
run_cases test_zeropad

# A fault is looked up in all points, also while those of a module are marked gone.
survived() { cat /sys/module/test_fault_walk/parameters/survived; }
more_than() { [ "$(survived)" -gt "$1" ]; }
for round in 1 2 3; do
	insmod test_nops.ko
	check "round $round: many probes" insmod test_fault_walk.ko
	check "round $round: faults end well" wait_for 10 more_than 100
	check "round $round: the probes' module goes" rmmod test_nops
	before=$(survived)
	check "round $round: faults still end well" wait_for 10 more_than $((before + 100))
	rmmod test_fault_walk
done
check "it unloads" rmmod kprobes
ktap_end
