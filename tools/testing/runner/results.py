# SPDX-License-Identifier: GPL-2.0-only
"""What is shown of results, and kept."""

import hashlib
import json
import os
import re
import subprocess
import threading
import time

from runner.ktap import FAILURE, PLAN, RESULT


class Screen:
    """Prints progress, line by line, from several threads."""

    def __init__(self, total, verbose):
        self.total, self.done, self.lock = total, 0, threading.Lock()
        self.verbose = verbose
        self.last = time.monotonic()

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def progress(self, suite, line):
        """Prints something if no suite has ended for a while."""
        if self.verbose:
            self.say(line.rstrip())
        elif time.monotonic() - self.last > 20 and RESULT.match(line):
            self.last = time.monotonic()
            self.say(f"        {suite.name}: {line.strip()[:90]}")

    def ended(self, suite):
        ktap = suite.ktap
        self.done += 1
        self.last = time.monotonic()
        self.say(f"[{self.done:2}/{self.total}] {suite.name}: {len(ktap.passed)} passed, "
                 f"{len(ktap.failed)} failed, {len(ktap.skipped)} skipped"
                 f"  ({suite.seconds:.0f} s)")
        if ktap.failed:
            self.say("".join("        | " + line for line in around_failures(suite.output)))
            self.say("".join(f"        FAILED {suite.name}: {name}\n" for name in ktap.failed))


def around_failures(lines, most=300):
    """The output of a suite around each failure, and its end."""
    near = set(range(max(0, len(lines) - 60), len(lines)))
    for i, line in enumerate(lines):
        if FAILURE.match(line):
            near.update(range(max(0, i - 10), min(len(lines), i + 4)))
    shown = sorted(near)
    if len(shown) > most:
        shown = shown[:most - 60] + shown[-60:]
    said, last = [], -1
    for i in shown:
        said += ["...\n"] * (i != last + 1) + [lines[i]]
        last = i
    return said


# --- why something failed --------------------------------------------------------

# A log may have been cut to its last 60 lines: what is said of all failures is to be among them.
MOST_LINES, MOST_IN_ALL = 15, 45
# What a VM ended with, and what its kernel said that was wrong.
END_OF_VM = re.compile(r"^ *vm/run: ")
LOG_BEGINS = re.compile(r"^ *--- the last \d+ lines of the kernel log$")
COMPLAINT = re.compile(r"\b(?:BUG|WARNING|Oops|UBSAN|KASAN|INFO|Kernel panic|general protection)\b.*:"
                       r"|\bR?IP: |Call [Tt]race:|Unable to handle")


def shortened(lines, most):
    """So many of the lines: the first ones, and the last."""
    if len(lines) <= most:
        return lines
    return lines[:most - 2] + ["..."] + lines[-1:]


def before_result(lines, at):
    """What a test has said since the result before, and its own result."""
    start = at
    while start and not any(p.match(lines[start - 1]) for p in (RESULT, PLAN)) and \
            "# Subtest:" not in lines[start - 1]:
        start -= 1
    return lines[start:at + 1]


def end_of(lines):
    """How a VM ended, and what its kernel complained of, or else the end of what was said."""
    said = [line for line in lines if END_OF_VM.match(line)]
    log = next((at for at, line in enumerate(lines) if LOG_BEGINS.match(line)), len(lines))
    wrong = [line for line in lines[log:] if COMPLAINT.search(line) and line not in said]
    if said and wrong:
        return said + wrong
    return said + [line for line in lines[:log] if line not in said][len(said) - MOST_LINES:]


def reasons_of(suite):
    """Each failure of a suite, with the lines that explain it."""
    lines = [line.rstrip() for line in suite.output if line.strip()]
    places = [(at, RESULT.match(line).group(4)) for at, line in enumerate(lines)
              if FAILURE.match(line)]
    found, used, ended = [], set(), False
    for name in suite.ktap.failed:
        at = next((at for at, what in places if what == name and at not in used), None)
        used.add(at)
        ended |= at is None
        found.append((name, end_of(lines) if at is None else before_result(lines, at)))
    # The kernel may have complained beside what failed.
    if found and not ended and any(map(END_OF_VM.match, lines)):
        found.append(("the VM", end_of(lines)))
    return found


def reasons(suites):
    """The lines to be printed at the end of a run."""
    found = [(f"{suite.name}: {name}", lines) for suite in suites if suite.output
             for name, lines in reasons_of(suite)]
    most = max(2, min(MOST_LINES, MOST_IN_ALL // max(1, len(found)) - 1))
    said = []
    for name, lines in found:
        said += ["FAILED " + name] + ["    " + line.strip()[:200] for line in shortened(lines, most)]
    return said


def sums(suites):
    return tuple(sum(len(getattr(s.ktap, kind)) for s in suites)
                 for kind in ("passed", "failed", "skipped"))


def save(suites, tree, path):
    passed, failed, skipped = sums(suites)
    with open(path + ".tmp", "w") as file:
        json.dump({"tree": tree, "passed": passed, "failed": failed, "skipped": skipped,
                   "suites": [s.as_json() for s in suites]}, file, indent=1)
    os.replace(path + ".tmp", path)


def report(suites):
    passed, failed, skipped = sums(suites)
    for line in reasons(suites):
        print(line)
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


# --- a run that goes on where one was interrupted ------------------------------

def tree_id(root):
    """What the results are of: the commit, and what differs from it. None without git."""
    def git(*words):
        return subprocess.run(["git", "-C", root, *words], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    try:
        head = git("rev-parse", "HEAD").decode().strip()
        changes = git("diff", "HEAD")
        for name in git("ls-files", "-z", "--others", "--exclude-standard").split(b"\0")[:-1]:
            with open(os.path.join(os.fsencode(root), name), "rb") as file:
                changes += name + file.read()
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" + hashlib.sha1(changes).hexdigest() if changes else "")


def take_kept(suites, tree, path):
    """Gives suites the results that they had in this tree; those that are still to run."""
    try:
        with open(path) as file:
            kept = json.load(file)
    except (OSError, ValueError):
        return suites
    if not tree or kept.get("tree") != tree:
        return suites
    passed = {entry["name"]: entry for entry in kept["suites"] if not entry["failed"]}
    for suite in suites:
        if suite.name in passed:
            suite.take(passed[suite.name])
    return [suite for suite in suites if suite.name not in passed]


# --- the table of tests and kernels --------------------------------------------

# Of VMs: a test has its own, or all others share one or two.
IN_VM = re.compile(r"^selftests(?P<own>/\S+)?(?: \d of \d)? \[(?P<kernel>.*)\]$")


def cells(suites):
    """(test, kernel): how many passed and failed there."""
    found = {}
    for suite in suites:
        match = IN_VM.match(suite.name)
        parts = suite.ktap.parts if match else []
        if not parts:
            parts = [(suite.name.split(" [")[0], len(suite.ktap.passed), len(suite.ktap.failed), 0)]
        for name, passed, failed, _ in parts:
            key = name.split(",")[0], match.group("kernel") if match else "this machine"
            before = found.get(key, (0, 0))
            found[key] = before[0] + passed, before[1] + failed
    return found


def table(suites):
    """Prints the results by test and kernel: "passed", or "passed/failed"."""
    found = cells(suites)
    kernels = list(dict.fromkeys(kernel for _, kernel in found))
    width = max(len(name) for name, _ in found)
    print("\n" + " " * width + "".join(f"{kernel:>18}" for kernel in kernels))
    for name in sorted({name for name, _ in found}):
        row = [found.get((name, kernel)) for kernel in kernels]
        print(name.ljust(width) + "".join(f"{as_cell(cell):>18}" for cell in row))
    print()


def kernel_of(suite):
    """The label of the kernel that a suite runs on, or None."""
    match = re.search(r" \[(.*)\]$", suite.name)
    return match.group(1) if match else None


def times(suites):
    """(seconds, test, kernel), what took longest first."""
    found = []
    for suite in suites:
        match = IN_VM.match(suite.name)
        parts = suite.ktap.parts if match and not match.group("own") else []
        found += [(part[3], part[0], kernel_of(suite)) for part in parts] or \
            [(suite.seconds, suite.name, "")]
    return sorted(found, reverse=True)


def as_cell(cell):
    if cell is None:
        return "-"
    return f"{cell[0]}/{cell[1]}" if cell[1] else str(cell[0])
