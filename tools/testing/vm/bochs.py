# SPDX-License-Identifier: GPL-2.0-only
"""Another emulator for tools/testing/vm/run: Bochs, which models processors that QEMU does not.

It is an implementation of x86 of its own: it has other ideas of what a CPU does about modified
code, interleaves CPUs after a few instructions, and enforces indirect-branch tracking.  It boots
like a PC, from a CD, with nothing between the kernel and the processor.
"""

import os
import shutil
import subprocess

SHARE = "/usr/share/bochs"
ISOLINUX = "/usr/lib/ISOLINUX/isolinux.bin"
LDLINUX = "/usr/lib/syslinux/modules/bios/ldlinux.c32"

# Instructions in a second of the VM, for all CPUs together: not many more than there are in one of
# ours, so that the limits of tests mean what they mean elsewhere.
SPEED = 40_000_000

CONFIG = """\
config_interface: textconfig
display_library: rfb, options="timeout=0"
memory: guest={megs}, host={megs}
romimage: file={share}/BIOS-bochs-latest
vgaromimage: file={share}/VGABIOS-lgpl-latest
boot: cdrom
ata0-master: type=cdrom, path={iso}, status=inserted
cpu: model={model}, count={smp}, ips={speed}, reset_on_triple_fault=0
clock: sync=none, time0=local
com1: enabled=1, mode=file, dev={log}
com2: enabled=1, mode=file, dev={said}
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
log: {directory}/bochs
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
"""

MENU = """\
DEFAULT test
PROMPT 0
LABEL test
KERNEL /vmlinuz
APPEND initrd=/initrd {append}
"""


def make_cd(directory, image, initramfs, append):
    """A CD that boots the kernel without asking."""
    tree, iso = os.path.join(directory, "cd"), os.path.join(directory, "iso")
    # An earlier attempt has left it.
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(os.path.join(tree, "isolinux"))
    for source, name in ((ISOLINUX, "isolinux/isolinux.bin"), (LDLINUX, "isolinux/ldlinux.c32"),
                         (image, "vmlinuz"), (initramfs, "initrd")):
        shutil.copyfile(source, os.path.join(tree, name))
    with open(os.path.join(tree, "isolinux/isolinux.cfg"), "w") as file:
        file.write(MENU.format(append=append))
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-o", iso, "-b", "isolinux/isolinux.bin",
                    "-c", "isolinux/boot.cat", "-no-emul-boot", "-boot-load-size", "4",
                    "-boot-info-table", tree], check=True, stderr=subprocess.DEVNULL)
    return iso


def without_network():
    """Its display is a VNC server, the only one without a window: nobody is to connect."""
    prefix = ["unshare", "--net"] + (["--map-root-user"] if os.geteuid() else [])
    return prefix if subprocess.run(prefix + ["true"], stderr=subprocess.DEVNULL).returncode == 0 else []


def clock(smp):
    """The instructions of a CPU in a second, and what to tell the kernel of it.

    The TSC counts as many.  But the CPUs say that it has the speed of the real ones: a kernel that
    believes it takes a second of work for 11 ms, and while it works waits for anything 87 times as
    long.
    """
    speed = SPEED // smp
    return speed, f"tsc_early_khz={speed // 1000}"


def command(directory, image, initramfs, log, machine, options, append):
    """Makes what the VM needs, and returns the command that starts it."""
    said = os.path.join(directory, "said")
    # It opens the files when the first byte goes through the port.
    for path in (log, said):
        with open(path, "wb"):
            pass
    megs = int(options.mem[:-1]) << {"M": 0, "G": 10}[options.mem[-1]]
    config, begin = os.path.join(directory, "bochsrc"), os.path.join(directory, "begin")
    speed, of_clock = clock(options.smp)
    with open(config, "w") as file:
        file.write(CONFIG.format(
            megs=megs, share=SHARE, log=log, said=said, directory=directory, speed=speed,
            iso=make_cd(directory, image, initramfs, f"{append} {of_clock}"),
            model=options.cpu or machine["cpu"], smp=options.smp))
    # Debian's is the one with a debugger, which asks before it begins.
    with open(begin, "w") as file:
        file.write("continue\n")
    return without_network() + ["bochs", "-q", "-f", config, "-rc", begin]
