#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""kallsyms.py LAYOUT ADDRESS: the tables of a kernel's own symbols, as assembly for .rodata.

Reads what nm prints.  LAYOUT is the first version of Linux that has it; ADDRESS is where the
tables will be, from which newer offsets are counted.
"""
import struct
import sys

# As many as the tables of a kernel have at least.
NR_SYMBOLS = 1500
BASE = 0xffffffff81000000


def token(code):
    """The others stand for what is often in names."""
    return chr(code) if code < 128 and (chr(code).isalnum() or chr(code) in "_.$") else f"t{code}"


class Tables:
    """Bytes, and what fills them up to the next table."""

    def __init__(self, alignment):
        self.alignment = alignment
        self.bytes = b""

    def add(self, data):
        self.bytes += data
        self.bytes += bytes(-len(self.bytes) % self.alignment)


def encode(name):
    """A symbol's name, which begins with its type."""
    return bytes([len(name)]) + name.encode() if len(name) < 128 else \
        bytes([len(name) & 0x7f | 0x80, len(name) >> 7]) + name.encode()


def add_offsets(tables, layout, addresses, address):
    """An offset is from the base, and negative; or from its own place."""
    if layout == "7.2":
        place = address + len(tables.bytes)
        tables.add(b"".join(struct.pack("<i", a - (place + 4 * i))
                            for i, a in enumerate(addresses)))
        return
    tables.add(b"".join(struct.pack("<i", BASE - 1 - a) for a in addresses))
    tables.add(struct.pack("<Q", BASE))


def build(layout, address, symbols):
    tables = Tables(4 if layout == "7.2" else 8)
    addresses = [a for a, _ in symbols]
    if layout == "6.1":
        add_offsets(tables, layout, addresses, address)
    tables.add(struct.pack("<I", len(symbols)))
    names, markers = b"", []
    for i, (_, name) in enumerate(symbols):
        if i % 256 == 0:
            markers.append(len(names))
        names += encode(name)
    tables.add(names)
    tables.add(struct.pack(f"<{len(markers)}I", *markers))
    tokens = [token(code).encode() + b"\0" for code in range(256)]
    tables.add(b"".join(tokens))
    tables.add(b"".join(struct.pack("<H", sum(map(len, tokens[:i]))) for i in range(256)))
    if layout != "6.1":
        add_offsets(tables, layout, addresses, address)
    # Something follows them.
    return tables.bytes + bytes(64)


def main():
    layout, address = sys.argv[1], int(sys.argv[2], 0)
    symbols = []
    for line in sys.stdin:
        at, kind, name = line.split()
        symbols.append((int(at, 16), kind + name))
    # The others are no functions.
    symbols += [(address + i, f"rfiller{i}") for i in range(NR_SYMBOLS - len(symbols))]
    symbols.sort()
    print("\t.section .rodata, \"a\"\n\t.balign 64")
    data = build(layout, address, symbols)
    for i in range(0, len(data), 16):
        print("\t.byte " + ", ".join(map(str, data[i:i + 16])))
    print("\t.section .note.GNU-stack, \"\", @progbits")


main()
