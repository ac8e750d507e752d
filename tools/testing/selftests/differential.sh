# SPDX-License-Identifier: GPL-2.0-only
#
# timeout: 300
# modules: lkp_differential
#
# The same instructions with and without a probe do the same.
# shellcheck shell=sh

insmod kprobes.ko || exit
insmod lkp_differential.ko || exit
cat /proc/lkp_differential >/tmp/differential
rmmod lkp_differential
rmmod kprobes
cat /tmp/differential
! grep -q '^not ok\|^Bail out' /tmp/differential
