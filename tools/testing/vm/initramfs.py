# SPDX-License-Identifier: GPL-2.0-only
"""What goes into a VM: the archive that its kernel unpacks, and the files that a user names."""

import os
import struct
import subprocess

WORK = "work"


class Refused(Exception):
    """A file that cannot be put into the VM, with the reason."""


class Cpio:
    """An archive in the newc format, for the initramfs."""

    def __init__(self, file):
        self.file = file
        self.inode = 0
        self.names = set()
        # What was named for a place; see add_named().
        self.named = {}

    def _pad(self):
        self.file.write(b"\0" * (-self.file.tell() % 4))

    def add(self, name, mode, data=b"", device=(0, 0)):
        """Adds a file, once; the directories that it is in come first."""
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent:
            self.directory(parent)
        self.names.add(name)
        self.inode += 1
        encoded = name.encode() + b"\0"
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(encoded), 0)
        self.file.write(b"070701" + b"".join(b"%08X" % f for f in fields) + encoded)
        self._pad()
        self.file.write(data)
        self._pad()

    def directory(self, name):
        self.add(name, 0o040755)

    def copy(self, path, name, mode=None):
        with open(path, "rb") as file:
            self.add(name, 0o100000 | (mode or os.stat(path).st_mode & 0o777), file.read())

    def link(self, name, to):
        self.add(name, 0o120777, os.fsencode(to))

    def end(self):
        self.add("TRAILER!!!", 0)


# --- dynamic programs ----------------------------------------------------------

ELF_MACHINES = {62: "x86_64", 183: "arm64", 21: "powerpc"}
PT_INTERP = 3


def elf_machine(path):
    """The architecture of a program that has an interpreter, its ld.so; None of any other file."""
    with open(path, "rb") as file:
        header = file.read(64)
        # 64 bits, little-endian: as all that run here.
        if len(header) < 64 or header[:6] != b"\x7fELF\x02\x01":
            return None
        machine, = struct.unpack_from("<H", header, 18)
        offset, = struct.unpack_from("<Q", header, 32)
        size, number = struct.unpack_from("<HH", header, 54)
        file.seek(offset)
        headers = file.read(size * number)
    kinds = [headers[at:at + 4] for at in range(0, len(headers), size or 1)]
    if struct.pack("<I", PT_INTERP) not in kinds:
        return None
    return ELF_MACHINES.get(machine, "another architecture")


def libraries(path):
    """What a dynamic program needs, as its ld.so finds it on this machine."""
    result = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        raise Refused(f"{path}: {result.stderr.strip() or 'ldd failed'}")
    for line in result.stdout.splitlines():
        words = line.split()
        if words[1:] == ["=>", "not", "found"]:
            raise Refused(f"{path} needs {words[0]}, which this machine has not")
        found = [word for word in words if word.startswith("/")]
        if found:
            yield found[0]


def add_libraries(cpio, path, arch):
    machine = elf_machine(path)
    if not machine:
        return
    if machine != arch or machine != os.uname().machine:
        raise Refused(f"{path} is a dynamic program for {machine}: link it statically")
    for library in libraries(path):
        cpio.copy(library, library.lstrip("/"), 0o755)


# --- what a user names ---------------------------------------------------------

def place_of(argument):
    """FILE or FILE=PATH: the file, and its path in the VM."""
    path, equals, place = argument.rpartition("=")
    if not equals or os.path.exists(argument):
        path, place = argument, os.path.basename(argument.rstrip("/"))
    place = os.path.normpath(os.path.join("/", WORK, place)).lstrip("/")
    if not place or place == WORK:
        raise Refused(f"{argument}: it needs a path in the VM")
    return path, place


def add_one(cpio, path, place, arch):
    if os.path.islink(path):
        cpio.link(place, os.readlink(path))
    elif os.path.isfile(path):
        cpio.copy(path, place)
        add_libraries(cpio, path, arch)
    else:
        raise Refused(f"{path} is neither a file nor a directory")


def add_tree(cpio, top, place, arch):
    cpio.directory(place)
    for directory, names, files in os.walk(top):
        at = os.path.normpath(os.path.join(place, os.path.relpath(directory, top)))
        names.sort()
        for name in sorted(files) + [n for n in names if os.path.islink(os.path.join(directory, n))]:
            add_one(cpio, os.path.join(directory, name), os.path.join(at, name), arch)
        for name in names:
            if not os.path.islink(os.path.join(directory, name)):
                cpio.directory(os.path.join(at, name))


def add_named(cpio, argument, arch):
    """Puts a file, or a directory with all that is in it, into the VM."""
    path, place = place_of(argument)
    # A link that is named itself stands for what it leads to.
    real = os.path.realpath(path)
    there = cpio.named.setdefault(place, real)
    if there != real:
        raise Refused(f"{argument}: {there} is in its place")
    if os.path.isdir(real):
        add_tree(cpio, real, place, arch)
    elif os.path.exists(real):
        add_one(cpio, real, place, arch)
    else:
        raise Refused(f"{path}: there is no such file")
