// SPDX-License-Identifier: GPL-2.0-only
/*
 * The address of a symbol, data too.
 *
 * kallsyms_lookup_name() is not exported, but a kprobe finds functions by name, also while all are
 * off.  On x86-64 it may be that only direct calls may lead to it (IBT), and none can be linked: see
 * enter_x86.S.
 *
 * A symbol of a module goes with it.  Its address may be somebody else's next, so what was found in a
 * module is forgotten when that goes, and looked up again when one comes.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event.h"

static DEFINE_MUTEX(lookup_mutex);
static unsigned long lookup_name;	/* guarded by lookup_mutex */

/* Where a function begins.  The kprobe may be behind its first instructions. */
static unsigned long function_start(unsigned long address)
{
	char text[KSYM_SYMBOL_LEN];
	unsigned long offset;
	char *plus;

	sprint_symbol(text, address);
	plus = strrchr(text, '+');
	return plus && sscanf(plus, "+0x%lx/", &offset) == 1 ? address - offset : 0;
}

static unsigned long find_lookup_name(void)
{
	struct kprobe kp = {
		.symbol_name = "kallsyms_lookup_name", .flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long address;

	if (register_kprobe(&kp))
		return 0;
	address = function_start((unsigned long)kp.addr);
	unregister_kprobe(&kp);
	return address;
}

/* symbols_call() calls a function that is not exported, and has no arguments and no result. */
#ifdef CONFIG_X86_64

/* Of enter_x86.S. */
unsigned long lookup_enter(const char *name, unsigned long function);

static unsigned long call(const char *name, unsigned long function)
{
	return lookup_enter(name, function);
}

void symbols_call(unsigned long function)
{
	lookup_enter(NULL, function);
}

#else

static unsigned long call(const char *name, unsigned long function)
{
	unsigned long (*lookup)(const char *name) = (void *)function;

	return lookup(name);
}

void symbols_call(unsigned long function)
{
	void (*plain)(void) = (void *)function;

	plain();
}

#endif

static unsigned long symbol_address(const char *name)
{
	unsigned long address = 0;

	mutex_lock(&lookup_mutex);
	if (!lookup_name)
		lookup_name = find_lookup_name();
	if (lookup_name)
		address = call(name, lookup_name);
	mutex_unlock(&lookup_mutex);
	return address;
}

/**
 * symbols_function() - the address of one of the kernel's own functions
 * @name: its name; what the kernel lacks, a module may have by that name
 *
 * Context: process context, may sleep.
 * Return: the address, or 0.
 */
unsigned long symbols_function(const char *name)
{
	unsigned long address = symbol_address(name);
	char text[KSYM_SYMBOL_LEN];

	if (!address)
		return 0;
	sprint_symbol(text, address);
	return strchr(text, '[') ? 0 : address;
}

/* Not all that has such an object is a module; without sysfs nobody can tell. */
static struct kobject *find_object(const char *name)
{
	struct kset *modules = THIS_MODULE->mkobj.kobj.kset;

	return modules ? kset_find_obj(modules, name) : NULL;
}

/**
 * symbols_has_module() - is there a module of that name, in whatever state
 * @name: the name; that of a part of the kernel with parameters counts
 *
 * Context: process context, may sleep.
 */
bool symbols_has_module(const char *name)
{
	struct kobject *found = find_object(name);

	kobject_put(found);
	return found;
}

/**
 * symbols_get_module() - a module by its name, in whatever state
 * @name: the name
 * @held: set to what keeps its memory, for kobject_put() afterwards
 *
 * Context: process context, may sleep.
 * Return: the module; NULL if there is none, or if nobody can tell.
 */
const struct module *symbols_get_module(const char *name, struct kobject **held)
{
	*held = find_object(name);
	return *held ? container_of(*held, struct module_kobject, kobj)->mod : NULL;
}

/*
 * Whose symbols are found, but not for long: it is going, or not to be seen any more; or not yet.  Those
 * of its init text and data go after we were told that it is alive.
 */
static bool is_leaving(const char *module, unsigned long address)
{
	struct kobject *held;
	const struct module *mod = symbols_get_module(module, &held);
	enum module_state state = mod ? READ_ONCE(mod->state) : MODULE_STATE_GOING;
	bool leaving = state == MODULE_STATE_GOING ||
		       (state == MODULE_STATE_LIVE && within_module_init(address, mod));

	kobject_put(held);
	return leaving;
}

/*
 * Will nobody tell us when what is there goes?  If its module is not going yet we are told later, as
 * who asks holds place_mutex.  That of @coming is only seen after this.
 */
static bool goes_untold(unsigned long address, const struct module *coming)
{
	char text[KSYM_SYMBOL_LEN], *module, *end;

	if (coming && within_module(address, coming))
		return false;
	sprint_symbol(text, address);
	module = strrchr(text, '[');
	end = module ? strchr(module, ']') : NULL;
	if (!end)
		return false;
	*end = '\0';
	return is_leaving(module + 1, address);
}

static int find(struct argument *arg, const struct module *coming)
{
	char *name = kmemdup_nul(arg->text, arg->text_length, GFP_KERNEL);
	unsigned long address;

	if (!name)
		return -ENOMEM;
	address = symbol_address(name);
	kfree(name);
	if (!address || goes_untold(address, coming))
		return -ENOENT;
	/* With hits, where the argument was of another module than the probe is. */
	WRITE_ONCE(arg->symbol_address, address);
	return 0;
}

static bool is_missing(const struct argument *arg)
{
	return arg->base == BASE_SYMBOL && !arg->symbol_address;
}

/**
 * symbols_are_missing() - is there a symbol that has no address
 * @def: whose arguments they are
 *
 * Context: place_mutex held.
 */
bool symbols_are_missing(const struct definition *def)
{
	unsigned int i;

	for (i = 0; i < def->nr_args; i++)
		if (is_missing(&def->args[i]))
			return true;
	return false;
}

/**
 * symbols_find() - look up those symbols that have no address
 * @def: whose arguments they are
 * @coming: a module that is coming, or NULL
 * @error: filled in if one is not found; the others are looked up all the same
 *
 * Context: process context, may sleep; place_mutex held.
 * Return: 0, -ENOENT or -ENOMEM.
 */
int symbols_find(struct definition *def, const struct module *coming, struct definition_error *error)
{
	unsigned int i;
	int result = 0;

	for (i = 0; i < def->nr_args; i++) {
		int err = is_missing(&def->args[i]) ? find(&def->args[i], coming) : 0;

		if (!err || result)
			continue;
		result = err;
		error->column = def->args[i].column;
		error->reason = err == -ENOENT ? "there is no symbol of that name" :
						 "there is not enough memory";
	}
	return result;
}

/**
 * symbols_forget() - forget the addresses of what goes: it can't be read any more
 * @def: whose arguments they are
 * @mod: the module
 * @init_only: only what it needed for its start goes
 *
 * Hits may have taken an address just before.  They don't let RCU's grace periods end, for one of which
 * the kernel waits before it frees the memory.  It does not wait for those in the idle loop, where only
 * our own buffer has any: they have some instructions left, and the kernel has all of the unloading.
 *
 * Context: place_mutex held.
 */
void symbols_forget(struct definition *def, const struct module *mod, bool init_only)
{
	unsigned int i;

	for (i = 0; i < def->nr_args; i++) {
		struct argument *arg = &def->args[i];
		unsigned long address = arg->symbol_address;

		if (arg->base != BASE_SYMBOL || !address)
			continue;
		if (init_only ? within_module_init(address, mod) : within_module(address, mod))
			WRITE_ONCE(arg->symbol_address, 0);
	}
}
