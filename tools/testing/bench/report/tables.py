# SPDX-License-Identifier: GPL-2.0-only
"""The results as tables, for the terminal and for the page."""

import html

from report.cases import (CASES, FLOOR, NO_HIT, SUBJECTS, batch_cost, batch_memory, case_name,
                          column_name, side_name)


class Table:
    """A heading, columns, and rows of a label and cells: text, a number, or None."""

    def __init__(self, heading, columns, note=""):
        self.heading = heading
        self.columns = columns
        self.note = note
        self.rows = []
        self.remarks = []

    def add(self, label, *cells):
        self.rows.append((label, [cell_text(cell) for cell in cells]))

    def text(self):
        first = max([len(label) for label, _ in self.rows], default=0)
        widths = [max(len(cells[i]) for cells in (self.columns, *(c for _, c in self.rows)))
                  for i in range(len(self.columns))]
        lines = [self.heading, *([self.note] if self.note else []), ""]
        for label, cells in [("", self.columns), *self.rows]:
            lines.append(label.ljust(first) +
                         "".join("  " + cell.rjust(width) for cell, width in zip(cells, widths)))
        return "\n".join(line.rstrip() for line in lines + self.remarks)

    def as_html(self):
        def row(tag, label, cells):
            return "<tr><th>" + html.escape(label) + "</th>" + "".join(
                f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        lines = [f"<h2>{html.escape(self.heading)}</h2>"]
        lines += [f"<p>{html.escape(text)}</p>" for text in [self.note] if text]
        lines += ["<table>", row("th", "", self.columns)]
        lines += [row("td", label, cells) for label, cells in self.rows]
        lines += ["</table>"] + [f"<p>{html.escape(text)}</p>" for text in self.remarks]
        return "\n".join(lines)


def cell_text(cell):
    if cell is None:
        return "-"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def cost_text(value):
    """A cost, or that it could not be measured: why says a remark."""
    return "failed" if isinstance(value, str) else value


def ratio(part, whole):
    if not isinstance(part, float) or not isinstance(whole, float) or not whole:
        return None
    return f"{part / whole:.2f}"


# --- costs --------------------------------------------------------------------

def columns_of(costs):
    """(host, side), costs by case: for each that was measured."""
    columns = []
    for host, sides in costs.items():
        for side in ("builtin", "ours"):
            if side in sides:
                # The floor is the same for both sides.
                columns.append(((host, side), {**sides.get("floor", {}), **sides[side]}))
    return columns


def costs_table(what, costs, result):
    columns = columns_of(costs)
    both = dict(columns)
    builtin, ours = both.get(("stock", "builtin"), {}), both.get(("stock", "ours"), {})
    compared = bool(builtin and ours)
    table = Table(f"{what} per hit", [column_name(*key) for key, _ in columns] +
                  ["ours / built-in"] * compared, "The call without a probe is taken off.")
    for case in CASES:
        if not any(case in values for _, values in columns):
            continue
        share = ratio(ours.get(case), builtin.get(case)) if case not in FLOOR + NO_HIT else None
        table.add(case_name(case, result), *(cost_text(values.get(case)) for _, values in columns),
                  *[share] * compared)
    table.remarks = [f"failed: {CASES[case]} ({column_name(*key)}): {value}"
                     for key, values in columns for case, value in values.items()
                     if isinstance(value, str)]
    table.remarks += [event_remark(*event) for event in result.get("events", {}).items()
                      if costs is result.get("instructions")]
    return table


def event_remark(host, sides):
    return (f"An event with two arguments at a jump ({host}), more than a handler that counts: " +
            ", ".join(f"{side_name(who)} {cost:g}" for who, cost in sorted(sides.items())))


# --- scaling ------------------------------------------------------------------

def scaling_table(scaling, cores):
    cpus = sorted({n for who in scaling.values() for s in who.values() for n in s}, key=int)
    table = Table("Calls per time on N CPUs over calls per time on one",
                  [f"N={n}" for n in cpus] + [f"to none, N={cpus[-1]}"],
                  f"The median of rounds, on a machine with {cores} cores. What is possible here says "
                  "the loop without a probe (none).")
    for who, subjects in sorted(scaling.items()):
        for name in SUBJECTS:
            if name in subjects:
                best, none = subjects[name].get(cpus[-1]), subjects["none"].get(cpus[-1])
                table.add(f"{side_name(who)}: {name}",
                          *(f"{subjects[name].get(n, 0.0):.2f}" for n in cpus), ratio(best, none))
    # It shares nothing.
    nones = [float(subjects["none"].get(cpus[0 if len(cpus) == 1 else 1], 0.0))
             for subjects in scaling.values() if "none" in subjects]
    if min(nones, default=0.0) < 1.7:
        table.remarks.append("The loop without a probe does not scale either: this machine is too "
                             "small or too busy for these ratios to say anything.")
    return table


# --- batches ------------------------------------------------------------------

def counterpart(row):
    """The batch of the built-in kprobes to which a row is compared."""
    return row["what"] if row["what"] != "default" else "jump" if row["jumps"] else "int3"


def batches_table(batches):
    table = Table("Batches of probes by symbol and offset, microseconds for each",
                  ["probes", "jumps", "in", "out", "clean", "bytes", "b.-in/ours in", "out", "clean"],
                  "In until the last jump is there; out until the call returns; clean until the text "
                  "is what it was, which it is not when the built-in's call returns. Bytes for each, "
                  "beside the client's.")
    builtin = {row["what"]: batch_cost(row) for row in batches.get("builtin", [])}
    for who, rows in sorted(batches.items()):
        for row in rows:
            cost = batch_cost(row)
            against = builtin.get(counterpart(row), builtin.get("int3")) if who == "ours" else None
            ratios = [f"{theirs / mine:.1f}" for theirs, mine in zip(against, cost)] if against \
                else [None] * 3
            table.add(f"{side_name(who)}: {row['what']}", row["probes"], row["jumps"],
                      *(f"{time:.1f}" for time in cost), f"{batch_memory(row):.0f}", *ratios)
    table.remarks = growth([row for row in batches.get("ours", []) if row["what"] == "default"])
    return table


def growth(rows):
    """Whether a probe's cost depends on the number of probes."""
    remarks = []
    for less, more in zip(rows, rows[1:]):
        inward, out = (batch_cost(more)[i] * more["probes"] / batch_cost(less)[i] / less["probes"]
                       for i in (0, 2))
        remarks.append(f"{more['probes']} take {inward:.1f} times as long as {less['probes']} do "
                       f"({out:.1f} times on the way out)")
    return remarks


def reach_table(reach):
    sides = sorted({who for shares in reach.values() for who in shares})
    table = Table("Share of random instructions that can be probed that become jumps, %",
                  [side_name(who) for who in sides])
    for cpu, shares in reach.items():
        table.add(cpu, *(f"{shares[who] * 100:.1f}" if who in shares else None for who in sides))
    return table


def tables_of(result):
    """All tables that a result has numbers for."""
    found = []
    if "instructions" in result:
        found.append(costs_table("Guest instructions", result["instructions"], result))
    if "nanoseconds" in result:
        found.append(costs_table("Nanoseconds of this emulator", result["nanoseconds"], result))
    if "scaling" in result:
        found.append(scaling_table(result["scaling"], result["cores"]))
    if "batches" in result:
        found.append(batches_table(result["batches"]))
    if "reach" in result:
        found.append(reach_table(result["reach"]))
    return found
