# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock
# arch: x86_64
# modules: test_notifier test_probe lkp_textcopy
# programs: trapped
# files: trap_storm.sh
# smp: 2
# in-turn: yes
# timeout: 600
# allow: ^Call [Tt]race:
# allow: ^INFO: NMI handler
#
# trap_storm.sh where CPUs take turns, and the kernel changes its text meanwhile.
# shellcheck shell=sh disable=SC2034 # what is sourced reads it

in_turn=y
# shellcheck source=tools/testing/selftests/trap_storm.sh
. ./trap_storm.sh
