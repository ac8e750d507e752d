# SPDX-License-Identifier: GPL-2.0-only
"""The names that a header of the kernel declares.

This reads C well enough for headers: declarations, definitions of inline functions
and of structures, macros. Both branches of each #if count.
"""

import re

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?[ \t]*(.*)$", re.M)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>]+)>", re.M)
AGGREGATE = re.compile(r"^(?:typedef )?(struct|union|enum) ?(\w*) ?\{(.*)\} ?(.*)$", re.S)
# What may stand around a declaration and is no part of its type.
DECORATION = re.compile(r"\b(?:extern|static|inline|nokprobe_inline|__always_inline|__visible|"
                        r"__percpu|__rcu|__read_mostly|asmlinkage|__user|const)\b|"
                        r"\b__(?:aligned|section|counted_by|printf|acquires|releases)\([^()]*(?:\([^()]*\))?[^()]*\)")
NO_NAME = {"struct", "union", "enum", "unsigned", "signed", "int", "long", "char", "short", "void",
           "bool"}


def without_comments(text):
    return COMMENT.sub(" ", text).replace("\\\n", " ")


def includes(text):
    return set(INCLUDE.findall(without_comments(text)))


def macros(text):
    """The macros of a header by name: parameters and body."""
    found = {}
    for name, parameters, body in DEFINE.findall(text):
        if name not in found or len(body) > len(found[name][1]):
            found[name] = ([p.strip() for p in parameters[1:-1].split(",")], body)
    return found


def statements(text):
    """The declarations at the outer level, with their blanks made one."""
    depth, start, begins_body = 0, 0, False
    for i, c in enumerate(text):
        if c in "{(":
            if c == "{" and not depth:
                begins_body = text[start:i].rstrip().endswith(")")
            depth += 1
        elif c in "})":
            depth -= 1
            if c == "}" and not depth and begins_body:
                yield " ".join(text[start:i + 1].split())
                start, begins_body = i + 1, False
        elif c == ";" and not depth:
            yield " ".join(text[start:i].split())
            start = i + 1


def declared(statement):
    """The name that a declaration without a body of members declares."""
    statement = DECORATION.sub(" ", statement.split("{")[0]).split("=")[0]
    pointer = re.search(r"\( ?\*+ ?(\w+) ?\)", statement)
    function = re.search(r"(\w+) ?\(", statement)
    if pointer:
        return pointer.group(1)
    if function:
        return function.group(1)
    words = re.findall(r"\w+", re.sub(r"\[.*?\]|:.*", "", statement))
    # "struct kprobe;" declares nothing that could be missing.
    return words[-1] if len(words) > 1 and words[-2] not in ("struct", "union", "enum") or \
        "*" in statement and words else None


def prototype(statement):
    """A function's types, without the names of its arguments."""
    statement = DECORATION.sub(" ", statement.split("{")[0])
    found = re.match(r"^(.*?)(\w+) ?\((.*)\) ?$", " ".join(statement.split()))
    if not found or "(" in found.group(1):
        return None
    arguments = [" ".join(re.findall(r"\w+|\*", argument)) for argument in found.group(3).split(",")]
    for i, argument in enumerate(arguments):
        words = argument.split()
        named = len(words) > 1 and words[-1] not in NO_NAME | {"*"} and \
            not (len(words) == 2 and words[0] in ("struct", "union", "enum"))
        arguments[i] = " ".join(words[:-1] if named else words)
    return " ".join(re.findall(r"\w+|\*", found.group(1))) + f" ({', '.join(arguments)})"


class Header:
    """The names in a header: names maps each to its prototype, if it is a function."""

    def __init__(self, text):
        self.includes = includes(text)
        text = without_comments(text)
        self.macros = macros(text)
        # The guard is no part of the interface.
        self.names = {name: set() for name, (_, body) in self.macros.items()
                      if body or not name.startswith("_LINUX_")}
        self._read(re.sub(r"^[ \t]*#.*$", "", text, flags=re.M), "")

    def _add(self, owner, name, statement=""):
        if name:
            types = self.names.setdefault(owner + name, set())
            if not owner and prototype(statement):
                types.add(prototype(statement))

    def _read(self, text, owner):
        for statement in statements(text):
            aggregate = AGGREGATE.match(statement)
            call = re.match(r"^(\w+) ?\((.*)\)$", statement)
            if call and call.group(1) in self.macros:
                self._expand(call.group(1), call.group(2), owner)
            elif call and call.group(1).startswith("DECLARE_"):
                self._add(owner, call.group(2).split(",")[-1].strip())
            elif aggregate:
                self._aggregate(aggregate, owner)
            else:
                self._add(owner, declared(statement), statement)

    def _aggregate(self, found, owner):
        """Members of a structure that has no name belong to the one around it."""
        kind, tag, body, declarator = found.groups()
        member = declared("x " + declarator) if declarator else None
        if tag and not owner:
            self._add("", f"{kind} {tag}")
        inner = owner
        if member:
            self._add(owner, member)
            inner = f"{owner}{member}."
        elif tag:
            inner = f"{kind} {tag}."
        self._read(body + ("" if body.rstrip().endswith(";") else ";"), inner)

    def _expand(self, macro, arguments, owner):
        parameters, body = self.macros[macro]
        for parameter, argument in zip(parameters, arguments.split(",")):
            body = re.sub(rf"(?:## ?)?\b{parameter}\b(?: ?##)?", argument.strip(), body)
        self._read(re.sub(r" ?## ?", "", body) + ";", owner)
