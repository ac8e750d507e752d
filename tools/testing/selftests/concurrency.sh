# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_concurrency
# timeout: 200
# smp: 4
#
# Hits on all CPUs while kprobes are registered and unregistered.
# shellcheck shell=sh

. ./ktap.sh

for _ in 1 2; do
	check "kprobes.ko loads" insmod kprobes.ko
	run_cases test_concurrency
	check "it unloads" rmmod kprobes
done
ktap_end
