# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that go on in another kernel, which this one starts.
# shellcheck shell=sh disable=SC2154 # its readers source ktap.sh

# next_kernel FILE TEST NAME COMMAND: makes an initramfs whose kernel says whether the command
# succeeds there, ends the test of that name, and powers off.
next_kernel() {
	root=/tmp/next
	mkdir -p $root/bin $root/proc $root/dev
	cp /bin/busybox $root/bin
	number=$((ktap_count + 1))
	[ "$ktap_failures" = 0 ] && was=ok || was='not ok'
	cat >$root/init <<-END
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin
		mount -t proc proc /proc
		mount -t devtmpfs dev /dev
		echo 8 >/proc/sys/kernel/printk
		exec >/dev/ttyS1
		stty -F /dev/ttyS1 raw -echo
		end='$was' status=1
		if $4; then
			echo "    ok $number - $3"
		else
			echo "    not ok $number - $3"
			end='not ok'
		fi
		echo "    1..$number"
		echo "\$end 1 - $2"
		[ "\$end" != ok ] || status=0
		echo "<1>lkp-vm: exit status \$status" >/dev/kmsg
		sleep 1
		poweroff -f
	END
	chmod +x $root/init
	(cd $root && find . | cpio -o -H newc 2>/dev/null | gzip) >"$1"
}
