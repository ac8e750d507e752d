# SPDX-License-Identifier: GPL-2.0-only
#
# modules: lkp_sweep
#
# Labels divide the tracer's trampolines into several symbols. Probes are refused in
# all of them: hits pass through them, or the tracer copies them, and the copy would
# contain our trap.  And in the function over whose entry BPF writes a jump.
# shellcheck shell=sh

. ./ktap.sh
. ./sweeping.sh

# refused NAME: probes on all its instructions are refused.
refused() {
	tried=$(swept tried) refused=$(swept refused)
	echo "function $(symbol "$1")" >$control
	echo drop >$control
	[ "$(swept tried)" -gt "$tried" ] &&
		[ $(($(swept tried) - tried)) = $(($(swept refused) - refused)) ]
}

insmod kprobes.ko
insmod lkp_sweep.ko "start=$(symbol _stext)" "end=$(symbol _etext)"
case $(uname -m) in
x86_64)
	names="ftrace_caller ftrace_caller_op_ptr ftrace_call ftrace_caller_end ftrace_regs_caller
		ftrace_regs_caller_op_ptr ftrace_regs_call ftrace_regs_caller_jmp
		ftrace_regs_caller_end bpf_dispatcher_xdp_func" ;;
ppc64le)
	names="_mcount ftrace_caller ftrace_call ftrace_regs_caller ftrace_regs_call ftrace_stub
		ftrace_no_trace livepatch_handler return_to_handler" ;;
*)
	names="ftrace_caller ftrace_regs_caller ftrace_common ftrace_call ftrace_common_return
		return_to_handler" ;;
esac
for name in $names; do
	if [ "$(symbol "$name")" ]; then
		check "no probe within $name" refused "$name"
	else
		skip "no probe within $name" "this kernel has no such symbol"
	fi
done
rmmod lkp_sweep
rmmod kprobes
ktap_end
