/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PARTSTATS_QEMU_API_H
#define PARTSTATS_QEMU_API_H

/*
 * The part of QEMU's TCG plugin interface, API version 1, that blkprof calls.
 *
 * Debian's QEMU loads plugins but ships no header for them.  What stands here is the binary
 * interface as this plugin needs it, no more: a name, a type or a value that differs from QEMU's
 * would not be noticed by the compiler, so keep it small.
 *
 * Every function is a weak reference.  A QEMU that no longer offers one can then still load the
 * plugin, which finds the missing one by its null address and says so, where the dynamic linker's
 * message would name a symbol and no reason.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLKPROF_API_VERSION 1

#define QEMU_EXPORT __attribute__((visibility("default")))
#define QEMU_WEAK   __attribute__((weak))

/* Names this plugin to QEMU: handed to install, given back with each registration. */
typedef uint64_t qemu_plugin_id_t;

/* A translation block being translated, and one instruction of it: good inside the callback only.
 */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* Packed description of one memory access. */
typedef uint32_t qemu_plugin_meminfo_t;

/* What install is told about the QEMU that loads us. */
typedef struct {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus;
			int max_vcpus;
		} system;
	};
} qemu_info_t;

/* May a callback touch guest registers?  Ours never do, which is the cheapest for QEMU. */
enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS = 0,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_RW = 3,
};

/* The one operation that QEMU can put into translated code without a call. */
enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64 = 0,
};

typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *userdata);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *userdata);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_plugin_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
				     void *userdata);

/* Ours, looked up by QEMU when it loads the plugin. */
QEMU_EXPORT extern int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				    char **argv);

/* Registrations for the life of the plugin. */
QEMU_WEAK void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
						     qemu_plugin_tb_trans_cb_t cb);
QEMU_WEAK void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
						 qemu_plugin_vcpu_simple_cb_t cb);
QEMU_WEAK void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb,
					      void *userdata);

/* Inside the translation callback: what the block holds. */
QEMU_WEAK size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
QEMU_WEAK struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
							   size_t index);
QEMU_WEAK const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
QEMU_WEAK size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
QEMU_WEAK uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* Inside the translation callback: what shall happen each time it is executed. */
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
						      qemu_plugin_vcpu_udata_cb_t cb,
						      enum qemu_plugin_cb_flags flags,
						      void *userdata);
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
							  enum qemu_plugin_op op, void *where,
							  uint64_t addend);
QEMU_WEAK void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
						qemu_plugin_mem_cb_t cb,
						enum qemu_plugin_cb_flags flags,
						enum qemu_plugin_mem_rw rw, void *userdata);

/* Inside a memory callback: the access. */
QEMU_WEAK unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
QEMU_WEAK bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

#endif
