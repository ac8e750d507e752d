# SPDX-License-Identifier: GPL-2.0-only
#
# arch: powerpc
# modules: test_access
#
# A handler that has closed user memory behind itself leaves it open to the probed code.
# shellcheck shell=sh

. ./ktap.sh

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_access
check "it unloads" rmmod kprobes
ktap_end
