# SPDX-License-Identifier: GPL-2.0-only
#
# heavy: yes
# host: dropin
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# programs: workload
# files: optimize_sweep.sh
# smp: 2
#
# 50 000 probes at once under the workload: as jumps, as traps and as jumps again.
# shellcheck shell=sh

# On the debug kernel it takes so long that the hang detectors fire.
if zcat /proc/config.gz 2>/dev/null | grep -q '^CONFIG_KASAN=y'; then
	echo 'ok 1 - 50 000 probes # SKIP they take too long on this kernel'
	echo '1..1'
	exit
fi

first=1001 batches=1 size=50000 dwell=3 turns='0 1'
# shellcheck source=tools/testing/selftests/optimize_sweep.sh
. ./optimize_sweep.sh
