# SPDX-License-Identifier: GPL-2.0-only
"""What is measured, and what it is called."""

# The cases, and their descriptions.
CASES = {
    "int3-slot": "int3, slot",
    "int3-long": "int3, slot, a jump would fit",
    "int3-emulated": "int3, emulated",
    "int3-slot-post": "int3, slot, post_handler",
    "int3-long-post": "int3, slot, a jump would fit, post_handler",
    "int3-emulated-post": "int3, emulated, post_handler",
    "int3-slot-two": "int3, slot, two kprobes",
    "int3-slot-used": "int3, slot, after 20 registrations here",
    "int3-long-crowd-before": "int3, slot, {others} probes from before",
    "int3-long-crowd-after": "int3, slot, {others} probes from after",
    "ftrace": "ftrace",
    "ftrace-post": "ftrace, post_handler",
    "ftrace-two": "ftrace, two kprobes",
    "kretprobe-int3": "kretprobe, int3 entry",
    "kretprobe-int3-long": "kretprobe, int3 entry, a jump would fit",
    "kretprobe-ftrace": "kretprobe, ftrace entry",
    "kprobe+kretprobe-ftrace": "kprobe and kretprobe, ftrace entry",
    "jump": "jump",
    "jump-post": "jump, post_handler",
    "jump-two": "jump, two kprobes",
    "jump-crowd-before": "jump, {others} probes from before",
    "jump-crowd-after": "jump, {others} probes from after",
    "jump-event": "jump, an event with two arguments",
    "jump-own-event": "jump, an event in a buffer of our own",
    "kretprobe-jump": "kretprobe, jump entry",
    "kprobe+kretprobe-jump": "kprobe and kretprobe, jump entry",
    "jprobe-int3": "jprobe, int3 entry",
    "jprobe-jump": "jprobe, jump entry",
    "jprobe-ftrace": "jprobe, ftrace entry",
    "fprobe-entry": "fprobe, entry handler",
    "fprobe": "fprobe, entry and exit handler",
    "fprobe-entry-jump": "fprobe, entry handler, jump",
    "fprobe-jump": "fprobe, entry and exit handler, jump",
    "stack-trace-beside": "a stack trace, a kretprobe elsewhere",
    "stack-trace": "(a stack trace, no kprobes)",
    "trap": "(a breakpoint and a die notifier, no kprobes)",
}
# What is not a cost of kprobes.
FLOOR = ("stack-trace", "trap")
# What is no hit.
NO_HIT = ("stack-trace-beside",)
# What is measured on several CPUs.
SUBJECTS = ("none", "int3-slot", "ftrace", "kretprobe-int3", "kretprobe-ftrace")


def case_name(case, result):
    return CASES[case].format(others=result["others"])


def side_name(who):
    return "built-in" if who == "builtin" else who


def column_name(host, who):
    """The stock kernel is the one that is meant where none is named."""
    return side_name(who) if host == "stock" else f"{host}, {side_name(who)}"


def batch_cost(row):
    """Microseconds for each probe: until it is registered, or a jump; until it is unregistered;
    until the text is restored."""
    times = max(row["in"], row["settled"]), row["out"], row["clean"] or float("inf")
    return [time / row["probes"] / 1e3 for time in times]


def batch_memory(row):
    """Bytes for each probe, beside the client's."""
    return row["memory"] * 1024 / row["probes"]
