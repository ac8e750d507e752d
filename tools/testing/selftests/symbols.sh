# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace trixie sid
# modules: test_symbols
# timeout: 300
#
# Symbols of the kernel's own text are found as the kernel finds them, by address and by name.
# shellcheck shell=sh

. ./ktap.sh
. ./kernel.sh

# say_where: tells the module where the text is.
# shellcheck disable=SC2317 # called by run_cases
say_where() {
	symbol _stext >/sys/module/test_symbols/parameters/start
	symbol _etext >/sys/module/test_symbols/parameters/end
}

check "kprobes.ko loads" insmod kprobes.ko
run_cases test_symbols say_where
check "they are kept" sh -c '! dmesg | grep -q "symbols are not kept"'
check "it unloads" rmmod kprobes
ktap_end
