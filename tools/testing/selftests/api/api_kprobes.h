/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the API does with kprobes.
 */

static struct kprobe a, b, c;
static struct kprobe *const all[] = { &a, &b, &c };

static const char *addr_of(const struct kprobe *p)
{
	return p->addr ? "set" : "NULL";
}

/* ---- where ---- */

static void try_place(struct seq_file *m, const char *what, const struct kprobe *given)
{
	int err;

	a = *given;
	err = register_kprobe(&a);
	seq_printf(m, "%s: %d\n", what, err);
	if (!err)
		unregister_kprobe(&a);
}

#define TRY_PLACE(m, what, ...) do {						\
	static const struct kprobe __given = { __VA_ARGS__ };			\
										\
	try_place(m, what, &__given);						\
} while (0)
#define ADDR(at)		.addr = (kprobe_opcode_t *)(at)

static void show_places(struct seq_file *m)
{
	TRY_PLACE(m, "addr and symbol_name", ADDR(target), .symbol_name = "kernel_clone");
	TRY_PLACE(m, "neither", .offset = 0);
	TRY_PLACE(m, "neither, but an offset", .offset = 5);
	TRY_PLACE(m, "no such symbol", .symbol_name = "no_such_symbol_at_all");
	TRY_PLACE(m, "no such symbol, and an offset", .symbol_name = "no_such_symbol_at_all", .offset = 1);
	TRY_PLACE(m, "an empty name", .symbol_name = "");
	TRY_PLACE(m, "in no module", .symbol_name = "no_such_module:target");
	TRY_PLACE(m, "in this module", .symbol_name = KBUILD_MODNAME ":unprobed");
	TRY_PLACE(m, "a user's address", ADDR(0x400000));
	TRY_PLACE(m, "the last address", ADDR(-1L));
	TRY_PLACE(m, "data", ADDR(&number));
	TRY_PLACE(m, "the name of data", .symbol_name = "linux_banner");
	TRY_PLACE(m, "an offset beyond all", .symbol_name = "kernel_clone", .offset = 0x7fffffff);
	TRY_PLACE(m, "a function", .symbol_name = "kernel_clone");
	TRY_PLACE(m, "an entry", ADDR(target));
	TRY_PLACE(m, "an instruction", ADDR(api_middle), .offset = PUSH);
	TRY_PLACE(m, "the middle of one", ADDR(api_middle), .offset = WITHIN);
	TRY_PLACE(m, "NOKPROBE_SYMBOL", ADDR(unprobed));
	TRY_PLACE(m, "noinstr", .symbol_name = "exc_int3");
	TRY_PLACE(m, "init text", .symbol_name = "start_kernel");
}

/* ---- from registration to the end ---- */

static void show_life(struct seq_file *m)
{
	int result, err;

	a = (struct kprobe){ ADDR(target), .pre_handler = pre_a, .flags = -1, .nmissed = 5 };
	err = register_kprobe(&a);
	seq_printf(m, "all flags: %d, flags %x, missed %lu, handlers '%s'\n", err, flags_of(&a),
		   a.nmissed, of_call(call_target, &result));
	seq_printf(m, "enabled: %d", enable_kprobe(&a));
	seq_printf(m, ", flags %x, handlers '%s'\n", flags_of(&a), of_call(call_target, &result));
	seq_printf(m, "enabled again: %d\n", enable_kprobe(&a));
	seq_printf(m, "disabled: %d", disable_kprobe(&a));
	seq_printf(m, ", flags %x, handlers '%s'\n", flags_of(&a), of_call(call_target, &result));
	seq_printf(m, "disabled again: %d\n", disable_kprobe(&a));
	unregister_kprobe(&a);
	seq_printf(m, "unregistered: addr %s\n", addr_of(&a));
	seq_printf(m, "enabled when it is not registered: %d\n", enable_kprobe(&a));
	seq_printf(m, "disabled when it is not registered: %d\n", disable_kprobe(&a));
	unregister_kprobe(&a);
	seq_printf(m, "unregistered again: addr %s\n", addr_of(&a));
	a = (struct kprobe){ .symbol_name = "kernel_clone" };
	err = register_kprobe(&a);
	seq_printf(m, "by name: %d, addr %s\n", err, addr_of(&a));
	unregister_kprobe(&a);
	seq_printf(m, "by name again: %d\n", register_kprobe(&a));
	a.addr = NULL;
	err = register_kprobe(&a);
	seq_printf(m, "by name again, without addr: %d\n", err);
	unregister_kprobe(&a);
	a = (struct kprobe){ ADDR(target), .pre_handler = pre_a };
	err = register_kprobe(&a);
	unregister_kprobe(&a);
	seq_printf(m, "unregistered and registered: %d, flags %x", err, flags_of(&a));
	err = register_kprobe(&a);
	seq_printf(m, ", %d, handlers '%s'\n", err, of_call(call_target, &result));
	unregister_kprobe(&a);
	a = (struct kprobe){ };
	unregister_kprobe(&a);
	seq_printf(m, "never registered: addr %s\n", addr_of(&a));
}

/* ---- handlers ---- */

static void try_handlers(struct seq_file *m, const char *what, const struct kprobe *given,
			 int (*function)(int))
{
	int result, err;

	a = *given;
	err = register_kprobe(&a);
	ip_before = ip_after = -1;
	seq_printf(m, "%s: %d, handlers '%s'", what, err, of_call(function, &result));
	seq_printf(m, ", ip %ld and %ld, result %d, missed %lu\n", ip_before, ip_after, result,
		   a.nmissed);
	if (!err)
		unregister_kprobe(&a);
}

#define TRY_HANDLERS(m, what, function, ...) do {				\
	static const struct kprobe __given = { __VA_ARGS__ };			\
										\
	try_handlers(m, what, &__given, function);				\
} while (0)

static int middle(int unused)
{
	return api_middle();
}

static void show_handlers(struct seq_file *m)
{
	TRY_HANDLERS(m, "none", call_target, ADDR(target));
	TRY_HANDLERS(m, "before", call_target, ADDR(target), .pre_handler = pre_a);
	TRY_HANDLERS(m, "after", call_target, ADDR(target), .post_handler = post_b);
	TRY_HANDLERS(m, "both", middle, ADDR(AT_PUSH), .pre_handler = pre_a,
		     .post_handler = post_a);
	seq_printf(m, "  flags %lu, in a trap %d\n", post_flags, in_trap);
	TRY_HANDLERS(m, "both, by an offset", middle, ADDR(api_middle), .offset = MOVE,
		     .pre_handler = pre_a, .post_handler = post_a);
	TRY_HANDLERS(m, "skips", call_target, ADDR(target), .pre_handler = pre_skips);
	TRY_HANDLERS(m, "skips without its post_handler", call_target, ADDR(target),
		     .pre_handler = pre_skips, .post_handler = post_b);
	TRY_HANDLERS(m, "calls its function", call_target, ADDR(target), .pre_handler = pre_calls);
	TRY_HANDLERS(m, "disabled", call_target, ADDR(target), .pre_handler = pre_a,
		     .flags = KPROBE_FLAG_DISABLED);
}

/* ---- several at a place ---- */

static void show_several(struct seq_file *m)
{
	int result;

	a = (struct kprobe){ ADDR(target), .pre_handler = pre_a };
	b = (struct kprobe){ ADDR(target), .pre_handler = pre_b };
	seq_printf(m, "two: %d", register_kprobe(&a));
	seq_printf(m, " %d\n", register_kprobe(&b));
	seq_printf(m, "  order '%s'\n", of_call(call_target, &result));
	disable_kprobe(&b);
	seq_printf(m, "  one is disabled: '%s', flags %x %x\n", of_call(call_target, &result),
		   flags_of(&a), flags_of(&b));
	enable_kprobe(&b);
	unregister_kprobe(&a);
	seq_printf(m, "  one has gone: '%s'\n", of_call(call_target, &result));
	unregister_kprobe(&b);
	seq_printf(m, "  both have gone: '%s'\n", of_call(call_target, &result));
	a = (struct kprobe){ ADDR(AT_PUSH), .pre_handler = pre_a, .post_handler = post_a };
	b = (struct kprobe){ ADDR(AT_PUSH), .pre_handler = pre_b, .post_handler = post_b };
	seq_printf(m, "two with both handlers: %d\n", register_kprobes((struct kprobe **)all, 2));
	seq_printf(m, "  order '%s'\n", of_call(middle, &result));
	unregister_kprobes((struct kprobe **)all, 2);
	a = (struct kprobe){ ADDR(target), .pre_handler = pre_a };
	b = (struct kprobe){ ADDR(other), .pre_handler = pre_calls };
	seq_printf(m, "one calls the other: %d\n", register_kprobes((struct kprobe **)all, 2));
	seq_printf(m, "  '%s'", of_call(call_other, &result));
	seq_printf(m, ", missed %lu %lu\n", a.nmissed, b.nmissed);
	unregister_kprobes((struct kprobe **)all, 2);
}

/* ---- arrays ---- */

static void show_arrays(struct seq_file *m)
{
	int result, err;

	seq_printf(m, "of none: %d\n", register_kprobes((struct kprobe **)all, 0));
	seq_printf(m, "of -1: %d\n", register_kprobes((struct kprobe **)all, -1));
	unregister_kprobes((struct kprobe **)all, 0);
	unregister_kprobes((struct kprobe **)all, -1);
	a = (struct kprobe){ ADDR(target), .pre_handler = pre_a };
	b = (struct kprobe){ ADDR(other), .pre_handler = pre_b };
	c = (struct kprobe){ .symbol_name = "no_such_symbol_at_all" };
	err = register_kprobes((struct kprobe **)all, 3);
	seq_printf(m, "one is bad: %d, '%s'\n", err, of_call(call_target, &result));
	seq_printf(m, "  afterwards: %d\n", register_kprobes((struct kprobe **)all, 2));
	unregister_kprobes((struct kprobe **)all, 3);
	seq_printf(m, "  unregistered: '%s', %s\n", of_call(call_target, &result), addr_of(&c));
}
