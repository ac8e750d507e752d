# SPDX-License-Identifier: GPL-2.0-only
"""What is shown of results, and kept."""

import hashlib
import json
import os
import re
import subprocess
import threading
import time

from runner.ktap import FAILURE, RESULT


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

def cells(suites):
    """(test, kernel): how many passed and failed there."""
    found = {}
    for suite in suites:
        match = re.match(r"^selftests(?:/\S+)? \[(.*)\]$", suite.name)
        parts = suite.ktap.parts if match else []
        if not parts:
            parts = [(suite.name.split(" [")[0], len(suite.ktap.passed), len(suite.ktap.failed))]
        for name, passed, failed in parts:
            key = name.split(",")[0], match.group(1) if match else "this machine"
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


def as_cell(cell):
    if cell is None:
        return "-"
    return f"{cell[0]}/{cell[1]}" if cell[1] else str(cell[0])
