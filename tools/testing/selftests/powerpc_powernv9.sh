# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# host: stock
# machine: powernv9
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# programs: workload
# files: sweep.sh
#
# Probes at random instructions on bare metal: the kernel is the hypervisor, and calls OPAL.
# shellcheck shell=sh

grep -q PowerNV /proc/cpuinfo || exit

# shellcheck disable=SC2034 # for the script that follows
seed=9
# shellcheck source=tools/testing/selftests/sweep.sh
. ./sweep.sh
