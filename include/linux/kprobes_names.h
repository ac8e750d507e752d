/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of this subsystem's exports, files and sysctl: defined here only.
 *
 * A kernel built without CONFIG_KPROBES gets the canonical names.  If the
 * kernel has built-in kprobes, ours get a prefix.  Clients use the canonical
 * names in both cases.
 *
 * KPROBES_AS_IF_BUILT_IN: the kernel has none, but the client is to see CONFIG_KPROBES.
 * tools/client-headers makes that safe.
 */
#ifndef _LINUX_KPROBES_NAMES_H
#define _LINUX_KPROBES_NAMES_H

/*
 * Does CONFIG_KPROBES agree with the kernel's configuration?  If not, struct module is another
 * one than the kernel's, and our names may be those of the built-in functions.  A
 * kernel of ours that has kprobes has CONFIG_KRETPROBES, too, and mostly CONFIG_OPTPROBES; and
 * kbuild keeps a file for each option that is or once was on.
 */
#ifndef KPROBES_AS_IF_BUILT_IN
#ifdef CONFIG_KPROBES
#ifndef CONFIG_KRETPROBES
#define KPROBES_CONFIG_DISAGREES 1
#endif
#if defined(CONFIG_HAVE_OPTPROBES) && !defined(CONFIG_OPTPROBES)
#define KPROBES_CONFIG_DISAGREES 1
#endif
#ifdef __has_include
#if (__has_include("config/MODULES") && !__has_include("config/KPROBES")) || \
    (__has_include("config/modules.h") && !__has_include("config/kprobes.h"))
#define KPROBES_CONFIG_DISAGREES 1
#endif
#endif
#ifdef KPROBES_CONFIG_DISAGREES
#error "CONFIG_KPROBES is defined, but this kernel is built without it. That changes the kernel's structures. Build the client by 'make client M=DIR' or tools/client-env instead: Documentation/trace/kprobes.rst, Clients of others"
#endif
#elif defined(CONFIG_KRETPROBES) || defined(CONFIG_OPTPROBES)
#error "CONFIG_KPROBES is not defined, but this kernel is built with it. That changes the kernel's structures, and our names: Documentation/trace/kprobes.rst, Clients of others"
#endif
#endif /* !KPROBES_AS_IF_BUILT_IN */

#if defined(CONFIG_KPROBES) && !defined(KPROBES_AS_IF_BUILT_IN)

#define KPROBES_SIDE_BY_SIDE	1
#define KPROBES_DEBUGFS_DIR	"lkprobes"
#define KPROBES_SYSCTL_NAME	"lkprobes-optimization"
#define KPROBES_SYSCTL_TYPED	"lkprobes_optimization"

#define register_kprobe		lkp_register_kprobe
#define unregister_kprobe	lkp_unregister_kprobe
#define register_kprobes	lkp_register_kprobes
#define unregister_kprobes	lkp_unregister_kprobes
#define enable_kprobe		lkp_enable_kprobe
#define disable_kprobe		lkp_disable_kprobe
#define kprobe_running		lkp_kprobe_running
#define get_kprobe		lkp_get_kprobe
#define dump_kprobe		lkp_dump_kprobe
#define kprobe_on_func_entry	lkp_kprobe_on_func_entry
#define within_kprobe_blacklist	lkp_within_kprobe_blacklist
#define kprobe_refusal		lkp_kprobe_refusal
#define wait_for_kprobe_optimizer lkp_wait_for_kprobe_optimizer
#define register_kretprobe	lkp_register_kretprobe
#define unregister_kretprobe	lkp_unregister_kretprobe
#define register_kretprobes	lkp_register_kretprobes
#define unregister_kretprobes	lkp_unregister_kretprobes
#define enable_kretprobe	lkp_enable_kretprobe
#define disable_kretprobe	lkp_disable_kretprobe
#define kretprobe_find_ret_addr	lkp_kretprobe_find_ret_addr
#define is_kretprobe_trampoline	lkp_is_kretprobe_trampoline
#define register_jprobe		lkp_register_jprobe
#define unregister_jprobe	lkp_unregister_jprobe
#define register_jprobes	lkp_register_jprobes
#define unregister_jprobes	lkp_unregister_jprobes
#define enable_jprobe		lkp_enable_jprobe
#define disable_jprobe		lkp_disable_jprobe
#define jprobe_return		lkp_jprobe_return
#define kprobe_nokprobe_ops	lkp_kprobe_nokprobe_ops

#else /* a drop-in */

#define KPROBES_SIDE_BY_SIDE	0
#define KPROBES_DEBUGFS_DIR	"kprobes"
#define KPROBES_SYSCTL_NAME	"kprobes-optimization"
#define KPROBES_SYSCTL_TYPED	"kprobes_optimization"

#endif

/* A kernel can have fprobes without kprobes. */
#if KPROBES_SIDE_BY_SIDE || defined(CONFIG_FPROBE)

#define register_fprobe		lkp_register_fprobe
#define register_fprobe_ips	lkp_register_fprobe_ips
#define register_fprobe_syms	lkp_register_fprobe_syms
#define unregister_fprobe	lkp_unregister_fprobe
#define fprobe_is_registered	lkp_fprobe_is_registered

#endif /* KPROBES_SIDE_BY_SIDE || CONFIG_FPROBE */

#endif /* _LINUX_KPROBES_NAMES_H */
