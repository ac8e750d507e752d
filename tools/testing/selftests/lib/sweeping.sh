# SPDX-License-Identifier: GPL-2.0-only
#
# Sweeps: modules/lkp_sweep.ko puts probes all over the kernel while a workload runs, and
# lkp_textcopy.ko tells whether the kernel's text is the same afterwards.
# shellcheck shell=sh

. ./kernel.sh

control=/proc/lkp_sweep

# swept NAME: one of the sweep's numbers.
swept() { awk -v name="$1" '$1 == name { print $2 }' $control; }

# The first run may make the kernel patch itself. Its segmentation faults would fill the log.
try_workload() {
	echo 0 >/proc/sys/debug/exception-trace
	chmod +x workload
	check "the workload runs" ./workload 2
}

# begin_workload NUMBER: so many at a time.
begin_workload() {
	workers=
	for worker in $(seq "$1"); do
		./workload >"/tmp/workload.$worker" 2>&1 &
		workers="$workers $!"
	done
}

# shellcheck disable=SC2086 # several workers
end_workload() {
	check "the workload is still at work" kill $workers
	wait $workers
	same "it has seen nothing unusual" "$(cat /tmp/workload.*)" ""
}

# begin_sweep PARAMETER...: of the module.
begin_sweep() {
	insmod lkp_textcopy.ko start="$(symbol _stext)" end="$(symbol _etext)"
	insmod kprobes.ko
	check "the sweep's module loads" \
		insmod lkp_sweep.ko start="$(symbol _stext)" end="$(symbol _etext)" "$@"
}

# unchanged: the kernel's text is what it was when lkp_textcopy.ko was loaded.
unchanged() {
	grep ':' /proc/lkp_textcopy | sed 's/^/# /'
	check "the kernel's text is what it was" grep -q ' 0 differ$' /proc/lkp_textcopy
	rmmod lkp_textcopy
}

# end_sweep [COMMAND...]: what holds for each sweep; the command unloads kprobes.ko.
end_sweep() {
	same "no handler ran after its probe had gone" "$(swept late)" 0
	same "every handler was told the right address" "$(swept wrong)" 0
	rmmod lkp_sweep
	[ $# != 0 ] || set -- rmmod kprobes
	check "kprobes.ko unloads" "$@"
	unchanged
}
