# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# modules: test_probe virtio_ring
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
	insmod kprobes.ko && insmod virtio_ring.ko && insmod test_probe.ko symbol=virtqueue_is_broken offset=5 &&
		wait_for 10 grep -q 'virtqueue_is_broken+0x5 jump' $dir/status && rmmod test_probe
}

# Both end, in any order.
race() {
	rmmod virtio_ring &
	[ $(($1 % 3)) = 0 ] || sleep "0.0$(($1 % 10))"
	rmmod kprobes
	wait
	! grep -qE '^(kprobes|virtio_ring) ' /proc/modules
}

i=0
while [ $i -lt "$rounds" ]; do
	known || break
	race $i || break
	i=$((i + 1))
done
same "both have gone in each round" $i "$rounds"
ktap_end
