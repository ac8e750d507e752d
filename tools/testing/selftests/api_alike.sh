# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# arch: x86_64
# modules: api/api_ours api/api_theirs
# files: api/differs.txt
#
# One client, built with our headers and with the kernel's, sees the same of the API, but for what
# differs.txt says.
# shellcheck shell=sh

. ./ktap.sh

# The others answer a little otherwise, each of them.
case $(uname -r) in
6.1.*) ;;
*)	skip "ours as theirs" "what differs is known of 6.1"
	ktap_end
	exit ;;
esac

# seen MODULE: what the client sees.
seen() {
	insmod "$1.ko" || echo "$1.ko does not load"
	cat "/sys/kernel/debug/$1"
	rmmod "$1"
}

seen api_theirs >theirs
check "kprobes.ko loads" insmod kprobes.ko
seen api_ours >ours
check "the built-in API answers $(wc -l <theirs) times" test "$(wc -l <theirs)" -gt 90
diff -U 0 theirs ours | grep '^[-+][^-+]' >differ
same "ours as theirs" "$(diff differs.txt differ)" ''
same "nothing is left" "$(cat /sys/kernel/debug/lkprobes/list)" ''
check "kprobes.ko unloads" rmmod kprobes
ktap_end
