/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What lines_plugin.c uses of QEMU's interface for plugins, version 1: no package of Debian's has the
 * header.  The names are QEMU's where a linker or a reader of its documentation meets them.
 */
#ifndef BENCH_QEMU_PLUGIN_H
#define BENCH_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED	__attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct plugin_info {
	const char *target_name;
	/* There is more that is not used. */
};

enum { CALLBACK_NO_REGS };
enum { ACCESS_ANY = 3 };

typedef void (*tb_callback)(plugin_id id, struct qemu_plugin_tb *tb);
typedef void (*insn_callback)(unsigned int cpu, void *data);
typedef void (*access_callback)(unsigned int cpu, uint32_t info, uint64_t addr, void *data);
typedef void (*end_callback)(plugin_id id, void *data);

extern int qemu_plugin_version;
int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, tb_callback call);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, insn_callback call,
					    int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, access_callback call,
				      int flags, int accesses, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, end_callback call, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t nr);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);

#endif /* BENCH_QEMU_PLUGIN_H */
