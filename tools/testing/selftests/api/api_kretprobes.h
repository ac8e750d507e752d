/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the API does with kretprobes.
 */

static struct kretprobe r, q;
static struct kretprobe *const returns[] = { &r, &q };

static void try_return(struct seq_file *m, const char *what, const struct kretprobe *given)
{
	int result, err;

	r = *given;
	right_one = &r;
	right = false;
	err = register_kretprobe(&r);
	seq_printf(m, "%s: %d, handlers '%s'", what, err, of_call(call_target, &result));
	if (!err)
		seq_printf(m, ", right %d, value %ld, maxactive %d, missed %d and %lu, flags %x", right,
			   value, r.maxactive, r.nmissed, r.kp.nmissed, flags_of(&r.kp));
	seq_putc(m, '\n');
	value = -1;
	if (!err)
		unregister_kretprobe(&r);
}

#define TRY_RETURN(m, what, ...) do {						\
	static const struct kretprobe __given = { __VA_ARGS__ };		\
										\
	try_return(m, what, &__given);						\
} while (0)
#define AT(at)	.kp.addr = (kprobe_opcode_t *)(at)

static void show_return_requests(struct seq_file *m)
{
	value = -1;
	TRY_RETURN(m, "both handlers", AT(target), .handler = return_r, .entry_handler = entry_e);
	TRY_RETURN(m, "at its return", AT(target), .handler = return_r);
	TRY_RETURN(m, "at its entry", AT(target), .entry_handler = entry_e);
	TRY_RETURN(m, "declines", AT(target), .handler = return_r, .entry_handler = entry_declines);
	TRY_RETURN(m, "no handler", AT(target));
	TRY_RETURN(m, "maxactive -1", AT(target), .handler = return_r, .maxactive = -1);
	TRY_RETURN(m, "maxactive 1", AT(target), .handler = return_r, .maxactive = 1);
	TRY_RETURN(m, "maxactive 8192", AT(target), .handler = return_r, .maxactive = 8192);
	TRY_RETURN(m, "maxactive 8193", AT(target), .handler = return_r, .maxactive = 8193);
	TRY_RETURN(m, "data_size 4096", AT(target), .handler = return_r, .data_size = 4096);
	TRY_RETURN(m, "data_size 4097", AT(target), .handler = return_r, .data_size = 4097);
	TRY_RETURN(m, "data_size -1", AT(target), .handler = return_r, .data_size = -1);
	TRY_RETURN(m, "an offset", AT(target), .kp.offset = 8, .handler = return_r);
	TRY_RETURN(m, "no entry", AT(AT_PUSH), .handler = return_r);
	TRY_RETURN(m, "no such symbol", .kp.symbol_name = "no_such_symbol_at_all", .handler = return_r);
	TRY_RETURN(m, "data", .kp.symbol_name = "linux_banner", .handler = return_r);
	TRY_RETURN(m, "addr and symbol_name", AT(target), .kp.symbol_name = "kernel_clone",
		   .handler = return_r);
	TRY_RETURN(m, "neither", .handler = return_r);
	TRY_RETURN(m, "NOKPROBE_SYMBOL", AT(unprobed), .handler = return_r);
	TRY_RETURN(m, "handlers of its kprobe", AT(target), .kp.pre_handler = pre_a,
		   .kp.post_handler = post_a, .handler = return_r);
	TRY_RETURN(m, "counts of before", AT(target), .nmissed = 9, .kp.nmissed = 8, .handler = return_r);
	TRY_RETURN(m, "disabled", AT(target), .kp.flags = KPROBE_FLAG_DISABLED, .handler = return_r);
}

static void show_returns(struct seq_file *m)
{
	int result, err;

	r = (struct kretprobe){ AT(recursive), .handler = return_r, .maxactive = 2 };
	err = register_kretprobe(&r);
	seq_printf(m, "recursion: %d, '%s', missed", err, of_call(call_recursive, &result));
	seq_printf(m, " %d and %lu, result %d\n", r.nmissed, r.kp.nmissed, result);
	unregister_kretprobe(&r);
	seq_printf(m, "unregistered: addr %s\n", addr_of(&r.kp));
	seq_printf(m, "disabled when it is not registered: %d\n", disable_kretprobe(&r));
	seq_printf(m, "enabled when it is not registered: %d\n", enable_kretprobe(&r));
	r = (struct kretprobe){ AT(target), .handler = return_r, .entry_handler = entry_e };
	b = (struct kprobe){ ADDR(other), .pre_handler = pre_calls };
	err = register_kretprobe(&r) ?: register_kprobe(&b);
	seq_printf(m, "called by a handler: %d, '%s'", err, of_call(call_other, &result));
	seq_printf(m, ", missed %lu by the kprobe\n", r.kp.nmissed);
	unregister_kprobe(&b);
	unregister_kretprobe(&r);
}

static void show_several_returns(struct seq_file *m)
{
	int result;

	seq_printf(m, "of none: %d\n", register_kretprobes((struct kretprobe **)returns, 0));
	seq_printf(m, "of -1: %d\n", register_kretprobes((struct kretprobe **)returns, -1));
	r = (struct kretprobe){ AT(target), .handler = return_r, .entry_handler = entry_e };
	q = (struct kretprobe){ AT(target), .handler = return_q, .entry_handler = entry_f };
	seq_printf(m, "two: %d", register_kretprobes((struct kretprobe **)returns, 2));
	seq_printf(m, ", order '%s'\n", of_call(call_target, &result));
	seq_printf(m, "one disabled: %d", disable_kretprobe(&r));
	seq_printf(m, ", '%s'\n", of_call(call_target, &result));
	seq_printf(m, "enabled: %d", enable_kretprobe(&r));
	seq_printf(m, ", '%s'\n", of_call(call_target, &result));
	unregister_kretprobe(&r);
	seq_printf(m, "one has gone: '%s'\n", of_call(call_target, &result));
	unregister_kretprobe(&q);
	seq_printf(m, "both have gone: '%s'\n", of_call(call_target, &result));
	a = (struct kprobe){ ADDR(target), .pre_handler = pre_a };
	r = (struct kretprobe){ AT(target), .handler = return_r, .entry_handler = entry_e };
	seq_printf(m, "beside a kprobe: %d", register_kprobe(&a));
	seq_printf(m, " %d", register_kretprobe(&r));
	seq_printf(m, ", '%s'\n", of_call(call_target, &result));
	unregister_kretprobe(&r);
	unregister_kprobe(&a);
}
