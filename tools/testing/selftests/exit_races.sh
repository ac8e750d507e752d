# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# modules: test_probe test_goer
# timeout: 120
#
# kprobes.ko goes while a module goes that it knows branch targets of: either may be the first to
# free them.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./kernel.sh

: "${rounds:=15}"

# The probe is a jump once the targets are known.
known() {
	insmod kprobes.ko && insmod test_goer.ko && insmod test_probe.ko symbol=lkp_goer &&
		wait_for 10 grep -q 'lkp_goer+0x[04] jump' $dir/status && rmmod test_probe
}

# Both end, in any order.
race() {
	rmmod test_goer &
	[ $(($1 % 3)) = 0 ] || sleep "0.0$(($1 % 10))"
	rmmod kprobes
	wait
	! grep -qE '^(kprobes|test_goer) ' /proc/modules
}

i=0
while [ $i -lt "$rounds" ]; do
	known || break
	race $i || break
	i=$((i + 1))
done
same "both have gone in each round" $i "$rounds"
ktap_end
