# SPDX-License-Identifier: GPL-2.0-only
#
# arch: x86_64
# modules: lkp_sweep
# timeout: 200
#
# A probe on the last instruction of each function of the kernel: those can be found where the whole
# function can be read.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh

# Behind them are functions without symbols, or they are no functions, or they have a call that is
# only there to be mispredicted.
unreadable='^(__switch_to_asm|xen_iret|loadavg_proc_show|framebuffer_probe|entry_SYSRET(Q|L_compat)_end'
# On 5.10.
unreadable=$unreadable'|name_to_dev_t|pci_map_rom)[+]'

insmod kprobes.ko
dmesg -c >/dev/null
insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)" \
	tell_refused=foreign
check "all functions are tried" sh -c "echo ends >$control"
check "there are many" test "$(swept tried)" -gt 10000
sed 's/^/# /' $control
dmesg | sed -n 's/.*sweep: refused: //p' >/tmp/told
same "the log has each that is hidden" "$(wc -l </tmp/told)" \
	"$(awk '$1 == "refusal" && /foreign/ { n += $3 } END { print n + 0 }' $control)"
grep -Ev "$unreadable" /tmp/told >/tmp/refused
# Clang gives the padding before functions no symbol, and some static functions neither.
if built_by_clang; then
	check "breakpoints that are nobody's hide few instructions" sh -c \
		"test $(wc -l </tmp/refused) -le 20 || { sed 's/^/# /' /tmp/refused; false; }"
else
	same "nobody's breakpoint hides an instruction" "$(cat /tmp/refused)" ""
fi
rmmod lkp_sweep
check "kprobes.ko unloads" rmmod kprobes
ktap_end
