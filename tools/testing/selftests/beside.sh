# SPDX-License-Identifier: GPL-2.0-only
#
# host: stock
# modules: test_probe test_redirect beside/lkp_livepatch fprobe/fprobe_example kprobes/kretprobe_example
# programs: bpf_beside
#
# Probes on function entries, beside BPF programs and live patches.
# shellcheck shell=sh

. ./ktap.sh
. ./probe.sh

chmod +x bpf_beside
# beside_bpf COMMAND...: how often the programs at ksys_sync ran meanwhile
beside_bpf() { ./bpf_beside ksys_sync ". ./ktap.sh; . ./probe.sh; $*"; }
# said WHAT: lines about it in the kernel's log since it was asked last
said() { dmesg -c | grep -c "$1"; }

# for_that: the last refusal is for who else is there.
for_that() { our_log | tail -n 1 | grep -q ': a live patch or BPF program decides where the function goes on'; }

patch=/sys/kernel/livepatch/lkp_livepatch
patch_done() { [ "$(cat $patch/transition)" = 0 ]; }
unpatch() { echo 0 >$patch/enabled && wait_for 30 [ ! -e $patch ] && rmmod lkp_livepatch; }

beside_programs() {
	same "BPF's programs alone" "$(beside_bpf 'sync; sync')" "2 2"

	insmod test_probe.ko symbol=ksys_sync
	same "a probe, then BPF: both are hit" "$(beside_bpf 'hits_of sync')" "1
1 1"
	same "no BPF any more: the probe is hit" "$(hits_of sync)" 1
	rmmod test_probe

	plant="insmod test_probe.ko symbol=ksys_sync"
	same "BPF, then a probe, and none again" \
		"$(beside_bpf "sync; $plant; hits_of sync; rmmod test_probe; sync")" "1
3 3"
	same "with a post_handler" \
		"$(beside_bpf "$plant post=1; hits_of sync; value posts; rmmod test_probe; sync")" "1
1
2 2"
	same "one that is disabled meanwhile" \
		"$(beside_bpf "$plant; tell disabled 1; hits_of sync; tell disabled 0; hits_of sync
		rmmod test_probe")" "0
1
2 2"

	said nothing >/dev/null
	same "BPF, then an fprobe" "$(beside_bpf "insmod fprobe_example.ko symbol=ksys_sync
		sync; rmmod fprobe_example; sync")" "2 2"
	same "whose handlers ran" "$(said 'ksys_sync called from\|ksys_sync returned')" 2
	insmod fprobe_example.ko symbol=ksys_sync
	same "an fprobe, then BPF" "$(beside_bpf sync)" "1 1"
	rmmod fprobe_example
	same "whose handlers ran, too" "$(said 'ksys_sync called from\|ksys_sync returned')" 2

	same "BPF, then a kretprobe" "$(beside_bpf "insmod kretprobe_example.ko func=ksys_sync
		sync; rmmod kretprobe_example; sync")" "2 2"
	same "whose handler ran" "$(said 'ksys_sync returned')" 1
	insmod kretprobe_example.ko func=ksys_sync
	same "a kretprobe, then BPF" "$(beside_bpf sync)" "1 1"
	rmmod kretprobe_example
	same "whose handler ran, too" "$(said 'ksys_sync returned')" 1
}

redirecting_beside_programs() {
	redirect symbol=ksys_sync jprobe=1
	if grep -q ' trap' $dir/status; then
		rmmod test_redirect
		skip "redirecting beside BPF" "an entry is a trap here, before the tracer's site"
		return
	fi
	same "a jprobe, then BPF: it misses" "$(beside_bpf 'sync; redirected; cat $dir/status')" \
		"0 1
j ksys_sync+0x$(pad_size) ftrace: a live patch or BPF program decides where the function goes on
1 1"
	sync
	same "no BPF any more: it is called" "$(redirected)" "1 1"
	rmmod test_redirect
	same "BPF, then a jprobe: refused" \
		"$(beside_bpf "redirect symbol=ksys_sync jprobe=1 && echo registered; sync")" "1 1"
	check "for that" for_that

	redirect symbol=ksys_sync
	same "a handler that redirects, then BPF" "$(beside_bpf 'sync; redirected')" "1 1
1 1"
	rmmod test_redirect
	same "BPF, then a handler that redirects" \
		"$(beside_bpf "redirect symbol=ksys_sync; sync; redirected; rmmod test_redirect")" "1 1
1 1"
	insmod test_probe.ko symbol=ksys_sync
	same "another probe is hit afterwards" "$(hits_of sync)" 1
	rmmod test_probe
}

redirecting_beside_patches() {
	check "a live patch" insmod lkp_livepatch.ko
	check "which comes into force" wait_for 30 patch_done
	refuse "then a jprobe" redirect symbol=version_proc_show jprobe=1
	check "for that, too" for_that
	same "only the patch is run" "$(cat /proc/version)" patched
	redirect symbol=version_proc_show
	same "then a handler that redirects: patched" "$(cat /proc/version)" patched
	same "which it has missed" "$(redirected)" "1 1"
	rmmod test_redirect
	check "the patch is taken back" unpatch

	redirect symbol=version_proc_show jprobe=1
	check "a jprobe, then a live patch" insmod lkp_livepatch.ko
	check "which comes into force" wait_for 30 patch_done
	same "the patch is run" "$(cat /proc/version)" patched
	check "and the jprobe, or it has missed" grep -qx '1 0\|0 1' <<-END
		$(redirected)
	END
	check "the patch is taken back" unpatch
	rmmod test_redirect
	check "nothing is patched any more" grep -q '^Linux version' /proc/version
}

beside_patches() {
	insmod test_probe.ko symbol=version_proc_show
	check "a probe, then a live patch" insmod lkp_livepatch.ko
	check "which comes into force" wait_for 30 patch_done
	same "the probe is hit" "$(hits_of cat /proc/version)" 1
	same "and the patch is run" "$(cat /proc/version)" patched
	rmmod test_probe
	same "the patch alone" "$(cat /proc/version)" patched
	insmod test_probe.ko symbol=version_proc_show
	same "a live patch, then a probe: hit" "$(hits_of cat /proc/version)" 1
	same "and patched" "$(cat /proc/version)" patched
	check "the patch is taken back" unpatch
	same "the probe is hit as before" "$(hits_of cat /proc/version)" 1
	check "nothing is patched any more" grep -q '^Linux version' /proc/version
	rmmod test_probe
}

insmod kprobes.ko
if has_symbol register_ftrace_direct; then
	beside_programs
	redirecting_beside_programs
else
	skip "beside BPF's programs" "this kernel can attach none to a function"
fi
if has_symbol klp_enable_patch; then
	beside_patches
	redirecting_beside_patches
else
	skip "beside live patches" "this kernel has none"
fi
check "kprobes.ko unloads" rmmod kprobes
ktap_end
