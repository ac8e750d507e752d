# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_stub_fillers test_stubs_inject
# inject: yes
# timeout: 300
#
# No memory for more stubs of returns, whatever step of making them fails.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

insmod kprobes.ko
# Steps of the optimiser must not fail in place of these.
echo 0 >"/proc/sys/debug/$(basename $dir)-optimization"
check "the stubs of our text are taken" insmod test_stub_fillers.ko
refuse "status has nothing to say" grep '^#' $dir/status
run_cases test_stubs_inject
check "status says what there was no memory for" \
	grep -q '^# no memory to follow more than 32768 calls at once: refused [0-9]* times$' $dir/status
rmmod test_stub_fillers
check "it unloads" wait_for 20 rmmod kprobes
ktap_end
