# SPDX-License-Identifier: GPL-2.0-only
#
# arch: arm64
# host: stock
# modules: sha256-arm64
#
# SHA-256's constants are in the text, behind the function that reads them, and many of them look like
# instructions. A probe there would change what is computed.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

function=sha256_block_data_order

# The next symbol's address.
behind() {
	awk '$4 == "[sha256_arm64]" && $2 ~ /[tT]/ && $3 !~ /^[$]/ { print $1, $3 }' /proc/kallsyms | sort |
		awk -v of=$function 'found { print $1; exit } $2 == of { found = 1 }'
}

# How many of the last words before that are refused as constants.
constants() {
	end=$(behind)
	at=-512
	nr=0
	while [ $at -lt 0 ]; do
		printf '0x%x\n' $((0x$end + at)) >$dir/check
		grep -q 'refused: constant among the instructions' $dir/check && nr=$((nr + 1))
		at=$((at + 4))
	done
	echo $nr
}

check "kprobes.ko loads" insmod kprobes.ko
check "a module with constants" insmod sha256-arm64.ko
# Of the 64 some are no instruction at all, which is another reason.
check "they are refused" test "$(constants)" -ge 40
check "what comes before is not" spared $function+0x40 constant
rmmod sha256-arm64
check "it unloads" rmmod kprobes
ktap_end
