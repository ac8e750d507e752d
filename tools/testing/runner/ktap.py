# SPDX-License-Identifier: GPL-2.0-only
"""KTAP, and suites: commands that print it."""

import os
import re
import subprocess
import time

RESULT = re.compile(r"^( *)(ok|not ok)\b(?: +(\d+))?(?: +-)? *(.*)$")
FAILURE = re.compile(r"^ *not ok\b")
PLAN = re.compile(r"^( *)1\.\.(\d+)")
SKIP = re.compile(r"# *SKIP\b", re.I)


class Ktap:
    """Counts the results of nested KTAP.

    A result line that follows more deeply indented ones sums them up: it counts
    only when it is a failure that none of them explains.
    """

    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []
        self.levels = {0: self._level()}
        # What each result at the top sums up: its name, how many passed and failed, and its seconds.
        self.parts, self.parted = [], None

    @staticmethod
    def _level():
        return {"plan": None, "seen": 0, "failed": False}

    def feed(self, line):
        line = line.rstrip("\r\n").replace("\t", "    ")
        self.parted = self.parted or (0, 0, time.monotonic())
        plan, result = PLAN.match(line), RESULT.match(line)
        if line.startswith("Bail out!"):
            self.failed.append(line)
        elif plan:
            self._at(len(plan.group(1)))["plan"] = int(plan.group(2))
        elif result:
            self._result(len(result.group(1)), result.group(2) == "ok", result.group(4))

    def _at(self, indent):
        return self.levels.setdefault(indent, self._level())

    def _result(self, indent, good, name):
        children = [self._close(deep, name) for deep in sorted(self.levels) if deep > indent]
        level = self._at(indent)
        level["seen"] += 1
        explained = any(children)
        if not good and not explained:
            self.failed.append(name)
        elif good and not children:
            (self.skipped if SKIP.search(name) else self.passed).append(name)
        level["failed"] |= explained or not good
        if not indent:
            self._part(name)

    def _part(self, name):
        now = (len(self.passed), len(self.failed), time.monotonic())
        passed, failed, seconds = (new - old for new, old in zip(now, self.parted))
        self.parts.append((name, passed, failed, round(seconds, 1)))
        self.parted = now

    def _close(self, indent, name):
        """Ends a level; whether anything in it failed."""
        level = self.levels.pop(indent)
        if level["plan"] is not None and level["plan"] != level["seen"]:
            self.failed.append(f"{name}: {level['seen']} results, {level['plan']} planned")
            return True
        return level["failed"]

    def end(self, status):
        """The suite has ended with this exit status."""
        top = self.levels[0]
        self._close_all()
        if top["plan"] is None:
            self.failed.append("no plan")
        elif top["plan"] != top["seen"]:
            self.failed.append(f"{top['seen']} results, {top['plan']} planned")
        if status and not self.failed:
            self.failed.append(f"exit status {status}")

    def _close_all(self):
        for indent in sorted(self.levels, reverse=True):
            if indent:
                self._close(indent, "unfinished")


class Suite:
    """A command, how many seconds it may take (0: few), and its results."""

    running = set()

    def __init__(self, name, command, prepare=None, longest=0):
        self.name, self.command, self.prepare, self.longest = name, command, prepare, longest
        self.ktap, self.output, self.seconds = Ktap(), [], 0
        # That of the kernel, if it is in a VM.
        self.release = None

    def run(self, progress):
        start = time.monotonic()
        try:
            if self.prepare:
                self.prepare(self)
            status = self._command(progress)
        except (OSError, RuntimeError) as error:
            self.output.append(f"{error}\n")
            status = 1
        self.ktap.end(status)
        self.seconds = time.monotonic() - start
        return self

    def _command(self, progress):
        with subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace",
                              env=clean_environment()) as process:
            self.running.add(process)
            for line in process.stdout:
                self.output.append(line)
                self.ktap.feed(line)
                progress(self, line)
        self.running.discard(process)
        return process.returncode

    def as_json(self):
        ktap = self.ktap
        return {"name": self.name, "release": self.release, "seconds": round(self.seconds, 1),
                "passed": ktap.passed, "failed": ktap.failed, "skipped": ktap.skipped, "parts": ktap.parts}

    def take(self, kept):
        """The results are those that as_json() gave in a run before."""
        ktap = self.ktap
        self.seconds, self.release = kept["seconds"], kept.get("release")
        ktap.passed, ktap.failed, ktap.skipped = kept["passed"], kept["failed"], kept["skipped"]
        ktap.parts = kept["parts"]


def clean_environment():
    """The environment without the settings of a make that called us."""
    return {k: v for k, v in os.environ.items()
            if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
