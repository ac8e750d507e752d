# SPDX-License-Identifier: GPL-2.0-only
"""The commands, files and links that README.md and the manual name: do they exist?

A command is a line of a code block that begins with a prompt; in README.md also each line of a
block without prompts. What it prints is not looked at.
"""

import functools
import glob
import os
import re
import subprocess

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
README = os.path.join(ROOT, "README.md")

# Commands of others.
WORDS = {"apt", "awk", "busybox", "cat", "cd", "cp", "dd", "dkms", "dmesg", "echo", "grep", "head", "insmod",
         "kprobes", "mkdir", "modinfo", "modprobe", "mokutil", "openssl", "perf", "rm", "rmmod", "sed",
         "sh", "sleep", "stap", "staprun", "sync", "sysctl", "tail", "uname", "for", "mount", "umount"}
# Behind this heading of README.md each line begins with names of files.
PLACES = "## Where things are"
PROMPT = re.compile(r"^\s+(?:[\w-]*[$#]) (.*)$")
MARKED = re.compile(r"``?([^`\n]+)``?")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
# Where the tree's own files are, and what make builds from what.
OWN = re.compile(r"^(?:\./)?(?:tools|samples|Documentation|include|packaging|core|host|arch|\.ci)/")
BUILT = (
    (re.compile(r"^(?:build/[^/]+/)?client/(\w+)/(\w+)\.ko$"), r"samples/\1/\2.c"),
    (re.compile(r"^build/tools/kprobes$"), "tools/kprobes/kprobes.c"),
    (re.compile(r"^kprobes\.ko$"), "kprobes.c"),
    (re.compile(r"^kprobes_events\.ko$"), "events/main.c"),
)


def read(path):
    with open(path) as file:
        return file.read()


def pages():
    return [README] + sorted(glob.glob(os.path.join(ROOT, "Documentation/**/*.rst"), recursive=True))


def joined(text):
    """Lines that a backslash continues are one."""
    return re.sub(r" \\\n\s+", " ", text)


def in_readme(text):
    """The lines of its code blocks; of those that have prompts, these lines only."""
    for block in re.findall(r"^\n((?:    \S.*\n|\n(?=    ))+)", joined(text).partition(PLACES)[0], re.M):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        prompted = [line[2:] for line in lines if line.startswith("# ")]
        for line in prompted or lines:
            # What is behind two blanks describes it.
            yield re.split(r"\s{2,}", line)[0]


def commands(path):
    text = read(path)
    if path == README:
        yield from in_readme(text)
        yield from (m for m in MARKED.findall(text) if re.match(r"make\b|build/tools/", m))
        return
    for line in joined(text).splitlines():
        match = PROMPT.match(line)
        # A "#" in C and in Kbuilds is no prompt.
        if match and not re.match(r"(?:include|define|ifdef|endif)\b", match.group(1)):
            parts = re.split(r"; (?!do|done)|\|", match.group(1))
            # What is in quotes is for another shell.
            yield from (part.strip() for part in (parts[:1] if "'" in match.group(1) else parts))


@functools.lru_cache(maxsize=None)
def makefile():
    text = read(os.path.join(ROOT, "Makefile")).replace("\\\n", " ")
    targets = {word for line in re.findall(r"^\.PHONY:(.*)$", text, re.M) for word in line.split()}
    return text, targets


def wrong_make(words):
    text, targets = makefile()
    # What the kernel's make is asked for is not ours.
    if "-C" in words:
        return None
    for word in words:
        name, is_variable, value = word.partition("=")
        if is_variable:
            if not re.search(rf"\b{name}\b", text) and name != "KCFLAGS":
                return f"make knows no {name}="
            if name == "M" and wrong_file(value):
                return wrong_file(value)
        elif word not in targets and word.isalpha() and word.islower():
            return f"make has no target {word}"
    return None


@functools.lru_cache(maxsize=None)
def help_of(path):
    done = subprocess.run([path, "--help"], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def wrong_file(word):
    for built, source in BUILT:
        match = built.match(word)
        if match:
            source = match.expand(source)
            return None if os.path.exists(os.path.join(ROOT, source)) else f"there is no {source}"
    if OWN.match(word) and not re.search(r"[A-Z]{2,}|\.o$", word) and not glob.glob(os.path.join(ROOT, word.rstrip(":"))):
        return f"there is no {word}"
    return None


def wrong_parameters(module, words):
    """Does a module of ours have these parameters?"""
    name = os.path.basename(module)[:-len(".ko")]
    sources = glob.glob(os.path.join(ROOT, "samples/*", name + ".c"))
    if name == "kprobes":
        sources = glob.glob(os.path.join(ROOT, "*.c")) + glob.glob(os.path.join(ROOT, "core/*.c"))
    code = "".join(read(path) for path in sources)
    for word in words:
        parameter = word.strip("'\"").partition("=")[0]
        if sources and not re.search(rf"\bmodule_param\w*\({parameter}\b", code):
            return f"{name} has no parameter {parameter}"
    return None


def wrong_command(line):
    """What is wrong with a command; None if nothing is."""
    line = re.sub(r"\s+[<>&].*", "", line.replace("$(uname -r)", "RELEASE"))
    words = re.sub(r"^(?:sudo )?(?:[A-Z_]+=\S+ )*", "", line).split()
    if not words:
        return None
    first = words[0].replace("LKP/", "")
    if first == "make":
        return wrong_make(words[1:])
    if first == "insmod":
        return wrong_file(words[1]) or wrong_parameters(words[1], words[2:])
    if OWN.match(first):
        path = os.path.join(ROOT, first)
        options = [word for word in words[1:] if re.match(r"\[?--[a-z]", word)]
        if not os.access(path, os.X_OK):
            return f"{first} is no command"
        for option in options if not first.endswith("client-env") else []:
            option = option.strip("[]").partition("=")[0]
            if option not in help_of(path):
                return f"{first} has no option {option}"
        return next((why for why in map(wrong_file, words[1:]) if why), None)
    if first.startswith("build/"):
        return wrong_file(first)
    return None if first in WORDS or first.startswith("/") else f"nobody knows {first}"


def wrong_names(path):
    """Files of the tree that are named in running text, and links, which do not exist."""
    text = read(path)
    for name in MARKED.findall(text):
        if OWN.match(name) and re.fullmatch(r"[\w./*-]+", name):
            yield wrong_file(name)
    if path == README:
        for link in LINK.findall(text):
            yield None if os.path.exists(os.path.join(ROOT, link)) else f"there is no {link}"
        places = text.partition(PLACES)[2]
        for line in re.findall(r"^    (\S.*)$", places, re.M):
            for name in re.split(r"\s{2,}", line)[0].split():
                yield None if os.path.exists(os.path.join(ROOT, name)) else f"there is no {name}"


def check(ktap):
    for path in pages():
        page = os.path.relpath(path, ROOT)
        for line in dict.fromkeys(commands(path)):
            why = wrong_command(line)
            ktap.result(f"{page}: {line.replace('#', '')}", why is None, why or "")
        wrong = [why for why in wrong_names(path) if why]
        ktap.result(f"{page}: the files that it names exist", not wrong, "\n".join(wrong))
