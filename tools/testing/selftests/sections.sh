# SPDX-License-Identifier: GPL-2.0-only
#
# host: dropin stock noftrace
# modules: test_sections test_probe test_target
# timeout: 120
#
# Functions of a module in noinstr text, entry text and the like are refused, whether the
# module is loaded before kprobes.ko or after it.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

# refused NAME WHY: it is, and the files say so.
refused() {
	check "$1: check says why" judged "$1" "refused: $2"
	refuse "$1: not registered" insmod test_probe.ko symbol="$1"
}

insmod test_target.ko
insmod kprobes.ko
refused lkp_target_in_noinstr "in noinstr text"
check "loaded before: it is on the blacklist" grep -q lkp_target_in_noinstr $dir/blacklist
rmmod test_target

run_cases test_sections
insmod test_sections.ko
refused lkp_in_noinstr "in noinstr text"
refused lkp_in_kprobes "function is marked __kprobes"
refused lkp_in_entry "in entry text"
refused lkp_in_irqentry "in interrupt entry text"
# A section may begin with padding before its first function, which has a name of its own.
for name in noinstr kprobes entry irqentry; do
	check "the blacklist has $name text" grep -Eq "	(__(pfx|cfi)_)?lkp_in_$name " $dir/blacklist
done
refuse "other text is not on the blacklist" grep -q lkp_in_text $dir/blacklist
rmmod test_sections
refuse "a module that has gone is not on the blacklist" grep -q lkp_in $dir/blacklist

# Its init function has not run yet: what the kernel itself says of noinstr text is known.
insmod test_probe.ko symbol=lkp_target_in_noinstr when=1
insmod test_target.ko
same "refused while the module is coming" "$(value error)" -22
rmmod test_target
check "nothing is listed" test -z "$(cat $dir/list)"
check "the client unloads" rmmod test_probe
check "kprobes.ko unloads" rmmod kprobes
ktap_end
