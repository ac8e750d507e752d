# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that go on in another kernel, which this one starts.
# shellcheck shell=sh disable=SC2154 # its readers source ktap.sh

# next_kernel FILE TEST NUMBER NAME COMMAND: makes an initramfs whose kernel gives the last result
# of the test, the NUMBERth: does the command succeed there?  It is started if all before it did.
next_kernel() {
	root=/tmp/next last=$3
	mkdir -p $root/bin $root/proc $root/dev
	cp /bin/busybox $root/bin
	cat >$root/init <<-END
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin
		mount -t proc proc /proc
		mount -t devtmpfs dev /dev
		echo 8 >/proc/sys/kernel/printk
		exec >/dev/ttyS1
		stty -F /dev/ttyS1 raw -echo
		if $5; then was=ok status=0; else was='not ok' status=1; fi
		echo "    \$was $3 - $4"
		echo "    1..$3"
		echo "\$was 1 - $2"
		echo "<1>lkp-vm: exit status \$status" >/dev/kmsg
		sleep 1
		poweroff -f
	END
	chmod +x $root/init
	(cd $root && find . | cpio -o -H newc 2>/dev/null | gzip) >"$1"
}

# leave_for_it COMMAND...: which starts the other kernel, and does not return.
leave_for_it() {
	if [ "$ktap_failures" = 0 ] && [ $((ktap_count + 1)) = "$last" ]; then
		# The reader of this output passes a line on when it has the next one.
		echo "# on to the next kernel"
		sleep 2
		"$@"
	fi
	not_ok "another kernel was started" "$ktap_count of $last results"
	ktap_end
}
