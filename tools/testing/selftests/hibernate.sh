# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# heavy: yes
# timeout: 400
# modules: lkp_sweep lkp_textcopy
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk
# smp: 2
# disk: 512M
#
# Probes on the way into suspend to disk and back.  The VM reboots into a kernel that has its text
# and its memory at other addresses, and probes of its own; this one restores the image.  It runs
# this test from its beginning: what is on the disk tells it what to do.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh
. ./sweeping.sh
. ./sleeping.sh

: "${seed:=3}" "${batches:=1}" "${size:=1500}"
disk=/dev/vda
drivers='virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk'
swap=${disk}1
swap_end=480 # in MiB; behind it the stage of the test

stage() { dd if=$disk bs=1M skip=$swap_end count=1 2>/dev/null | head -n 1; }
begin_stage() { echo "$1" | dd of=$disk bs=1M seek=$swap_end conv=fsync 2>/dev/null; }

# A table with one partition of type 82: nobody may write to a whole disk that is swapped to.
make_partition() {
	printf '\0\0\0\0\202\0\0\0\0\010\0\0\0\370\016\0' | dd of=$disk bs=1 seek=446 2>/dev/null
	printf '\125\252' | dd of=$disk bs=1 seek=510 conv=fsync 2>/dev/null
	blockdev --rereadpt $disk
	wait_for 5 test -b $swap
}

load_disk() {
	for module in $drivers; do
		insmod "$module.ko" || return 1
	done
	wait_for 5 test -b $disk
}

# hibernate WHAT: with these probes, until the other kernel has restored this one.
hibernate() {
	[ -z "${verbose-}" ] || echo "hibernate: $1" >/dev/kmsg
	begin_stage written
	check "$1: the image is written" sh -c 'echo disk >/sys/power/state'
	blockdev --flushbufs $disk
	same "$1: another kernel has restored it" "$(stage)" restoring
}

begin_way_sweep() {
	begin_sweep seed="$1"
	# shellcheck disable=SC2086
	addresses $asleep_functions $hibernation_functions >/tmp/functions
}

# All functions on the way at once.
on_the_way() {
	echo "function $(awk '{ printf " %s", $1 }' /tmp/functions)" >/tmp/command
	dd if=/tmp/command of="$control" bs=64k 2>/dev/null
}

# The kernel that has just booted restores the image of the other.
restore() {
	begin_stage restoring
	begin_way_sweep 5 | sed 's/^/# there: /'
	on_the_way || echo "# not on the way"
	echo "# restored by a kernel with $(swept armed) probes"
	# The other one reads it.
	[ "$(swept armed)" -gt 100 ] || begin_stage "restoring without probes"
	cat "/sys/class/block/${swap#/dev/}/dev" >/sys/power/resume
	begin_stage failed
	not_ok "the image can be restored"
	ktap_end
}

if ! load_disk; then
	not_ok "there is a disk"
	ktap_end
	exit
fi
case $(stage) in
written) restore ;;
restoring*)
	not_ok "the kernel goes on that was restored" "the machine was reset"
	ktap_end
	exit ;;
esac

check "there is a partition" make_partition
mkswap $swap >/dev/null
check "there is room for an image" swapon $swap
echo reboot >/sys/power/disk

begin_way_sweep "$seed"
check "functions were found" test "$(wc -l </tmp/functions)" -gt 100
# Where the restored kernel can't bear them.
for name in swsusp_arch_suspend native_write_msr native_write_cr4; do
	check "$name is refused" judged $name 'restored from disk, before it is whole'
done
check "and so is where it returns to" \
	grep -Eq '(hibernation_snapshot|create_image|hibernate)$' $dir/blacklist
hibernate "no probes"
for batch in $(seq "$batches"); do
	check "random probes" sh -c "echo 'pick $batch $size' >$control"
	hibernate "random probes"
	echo drop >$control
done
check "probes on the way" on_the_way
hits=$(swept hits)
hibernate "on the way"
echo drop >$control
check "they were hit" test "$(swept hits)" -gt $((hits + $(wc -l </tmp/functions)))
sed 's/^/# /' $control
swapoff $swap
# shellcheck disable=SC2046,SC2086 # lists of names
rmmod $(printf '%s\n' $drivers | tac)
end_sweep
ktap_end
