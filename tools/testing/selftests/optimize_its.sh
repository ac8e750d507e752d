# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# host: sid
# timeout: 300
# modules: lkp_sweep lkp_textcopy
# programs: workload
# files: optimize_sweep.sh
# append: setcpuid=its,ibrs_enhanced
# smp: 2
#
# Jumps where every second indirect branch goes through a thunk that the kernel has made outside
# all text, as on processors that mispredict those in one half of a cache line and need no
# retpolines. Older kernels can't be told that theirs is one.
# shellcheck shell=sh

if ! grep -q '^Mitigation: Aligned branch/return thunks' \
	/sys/devices/system/cpu/vulnerabilities/indirect_target_selection; then
	echo 'not ok 1 - indirect branches have such thunks'
	echo '1..1'
	exit
fi

# shellcheck disable=SC2034 # for the file that is sourced
batches=2 share=87
# shellcheck source=tools/testing/selftests/optimize_sweep.sh
. ./optimize_sweep.sh
