# SPDX-License-Identifier: GPL-2.0-only
#
# timeout: 300
# modules: lkp_differential
# once: yes
#
# Instructions have the same effects with and without a probe.
# shellcheck shell=sh

. ./ktap.sh

insmod kprobes.ko || exit
insmod lkp_differential.ko || exit
cat /proc/lkp_differential >/tmp/differential
rmmod lkp_differential
rmmod kprobes
cat /tmp/differential
all_passed /tmp/differential
