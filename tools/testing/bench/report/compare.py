# SPDX-License-Identifier: GPL-2.0-only
"""Compares a result with an older one: what got worse, what got better.

Only what an emulator that counts instructions has measured is compared; times by the clock and
scaling depend on the machine and on what else it does.
"""

from report.cases import CASES, batch_cost, batch_memory, case_name, column_name
from report.tables import Table

# By what share a figure may differ before it counts. A count of instructions is the same in each
# run; batches contain a few sleeps, whose length depends on ticks.
SAME_COST = 0.0
SAME_BATCH = 0.02
# Of so many figures that are missing each is named: more are left out on purpose, as by --only.
MOST_NAMED = 5
# What makes figures differ for which the module is not to blame.
CONDITIONS = ("arch", "emulator", "compiler", "kernels", "others")


def figures(result):
    """(label, value, whether less is better, the share that does not count), by a key."""
    found = {}
    for host, sides in result.get("instructions", {}).items():
        for case, cost in sides.get("ours", {}).items():
            label = f"{case_name(case, result) if case in CASES else case} ({column_name(host, 'ours')})"
            found["cost", host, case] = label, cost, True, SAME_COST
    for row in result.get("batches", {}).get("ours", []):
        values = dict(zip(("in", "out", "clean"), batch_cost(row)), bytes=batch_memory(row))
        for what, value in values.items():
            label = f"{row['probes']} probes at once, {row['what']}: {what}"
            found["batch", row["what"], row["probes"], what] = label, value, True, SAME_BATCH
    for cpu, shares in result.get("reach", {}).items():
        if "ours" in shares:
            found["reach", cpu] = f"share of jumps, {cpu}", shares["ours"], False, SAME_COST
    return found


def verdict(old, new, less_is_better, share):
    """worse, better, or None; one that could not be measured is a string."""
    if isinstance(old, str) or isinstance(new, str):
        return None if isinstance(old, str) == isinstance(new, str) else \
            "worse" if isinstance(new, str) else "better"
    if abs(new - old) <= share * abs(old):
        return None
    return "better" if (new < old) == less_is_better else "worse"


def change(old, new):
    if isinstance(old, str) or isinstance(new, str) or not old:
        return None
    return f"{(new - old) / old:+.1%}"


def shown(value):
    return "failed" if isinstance(value, str) else f"{value:.4g}"


def compare(old, new):
    """A table of what changed, and the labels of what got worse."""
    table = Table("Compared with the older result", ["then", "now", "change", ""])
    table.remarks = [f"differs: {what}: {was} then, {now} now" for what, was, now in differing(old, new)]
    before, worse = figures(old), []
    now = figures(new)
    for key, (label, value, less_is_better, share) in now.items():
        if key not in before:
            continue
        was = before[key][1]
        found = verdict(was, value, less_is_better, share)
        if found:
            table.add(label, shown(was), shown(value), change(was, value), found)
        if found == "worse":
            worse.append(label)
    missing = [before[key][0] for key in before if key not in now]
    table.remarks += not_measured(missing)
    both = len(before) - len(missing)
    table.remarks.append(f"{both} figures compared: {len(worse)} got worse, "
                         f"{len(table.rows) - len(worse)} better")
    return table, worse


def not_measured(labels):
    if len(labels) > MOST_NAMED:
        return [f"not measured now: {len(labels)} figures"]
    return [f"not measured now: {label}" for label in labels]


def differing(old, new):
    """(condition, then, now) of each condition under which the two were not measured alike."""
    def of(result, what):
        return result.get(what, result.get("about", {}).get(what))

    return [(what, of(old, what) or "unknown", of(new, what) or "unknown")
            for what in CONDITIONS if of(old, what) != of(new, what)]
