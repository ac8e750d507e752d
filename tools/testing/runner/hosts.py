# SPDX-License-Identifier: GPL-2.0-only
"""The kernels, the tests for them, and what is built for them."""

import concurrent.futures
import functools
import lzma
import os
import re
import shlex
import shutil
import subprocess
import sys

from runner.ktap import clean_environment

# The directory of run-tests.
HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ROOT = os.path.realpath(os.path.join(HERE, "../.."))
SELFTESTS = os.path.join(HERE, "selftests")
NATIVE = os.uname().machine
# The kernels on which the tests of each architecture run. A foreign architecture is
# emulated; COMPLETE has those that do all that the native one does.
HOSTS = {
    "x86_64": ("dropin", "stock", "noftrace"),
    "arm64": ("dropin", "backports", "stock", "clang"),
    "powerpc": ("dropin", "stock"),
}
# The kernels of others on which the modules are built and tried in brief by each CI run.
TRIED = {
    "x86_64": ("bullseye", "rt", "cloud", "trixie", "sid"),
    "arm64": ("bullseye", "stock", "backports", "sid"),
    "powerpc": ("stock", "backports"),
}
# Machines other than QEMU's plainest, see vm/run: a complete run has the shared VM on each.
MACHINES = {"x86_64": ("old", "mitigated", "unmitigated", "poisoned", "preempted", "numa", "microvm"),
            "arm64": ("server",)}
COMPLETE = ["x86_64", "arm64", "powerpc"]
FOREIGN = [arch for arch in HOSTS if arch != NATIVE]
# The hosts of a test without a line "host".
DEFAULT_HOSTS = ("dropin", "stock")
# Kernels for --host that lack so much that only the tests that name them make sense there.
BARE_HOSTS = ("notasks", "framepointer")
OURS = ("kprobes.ko", "kprobes_events.ko")


class KernelLacks(Exception):
    """A module of the kernel's own that a test needs is not among those that this kernel has."""


class Selftest:
    """A script and the needs in its first comment lines."""

    VM_OPTIONS = ("machine", "smp", "mem", "disk", "cpu", "append", "qemu")

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-len(".sh")]
        self.wants = {}
        with open(path) as file:
            for line in file:
                if not line.startswith("#"):
                    break
                wish = re.match(r"^# ([a-z][a-z-]*): (.*)$", line)
                if wish:
                    self.wants.setdefault(wish.group(1), []).append(wish.group(2).strip())
        unknown = set(self.wants) - {"host", "timeout", "modules", "programs", "files", "types",
                                     "icount", "in-turn", "allow", "inject", "kernel", "vm", "arch",
                                     "heavy", "once", "tool", "source", *self.VM_OPTIONS}
        if unknown:
            sys.exit(f"{path}: unknown wish '{unknown.pop()}'")

    def words(self, key):
        return " ".join(self.wants.get(key, [])).split()

    def hosts(self):
        return self.words("host") or list(DEFAULT_HOSTS)

    def is_for(self, host):
        if "arch" in self.wants and host.arch not in self.words("arch"):
            return False
        return host.name in self.hosts() or host.runs_what() in self.hosts()

    def timeout(self):
        return int(self.words("timeout")[0]) if "timeout" in self.wants else 60

    def is_said_twice(self, host):
        """Has the quick run's first kernel said it already?"""
        return "once" in self.wants and self.is_for(Host(NATIVE, DEFAULT_HOSTS[0])) and \
            host.name != DEFAULT_HOSTS[0]

    def own_vm(self):
        return any(key in self.wants for key in ("vm", "allow", "icount", "in-turn", "inject", "kernel",
                                             *self.VM_OPTIONS))

    def vm_options(self):
        options = ["--" + key for key in ("icount", "in-turn", "inject") if key in self.wants]
        for key in (*self.VM_OPTIONS, "allow"):
            options += [f"--{key}={value}" for value in self.wants.get(key, [])]
        return options

    def modules(self):
        for name in self.words("modules"):
            yield from samples() if name == "samples/*" else [name]

    def files(self, host):
        here = os.path.dirname(self.path)
        return [host.find(name + ".ko") for name in self.modules()] + \
               [host.find(name) for name in self.words("programs")] + \
               [os.path.join(here, name) for name in self.words("files")] + \
               [os.path.join(ROOT, "build/tools/kprobes") for _ in self.words("tool")] + \
               [os.path.join(host.kernel("source"), name) for name in self.words("source")] + \
               [host.kernel("image") for _ in self.words("kernel")]


def samples():
    """All clients in samples/, as they are found among what was built."""
    for name in sorted(os.listdir(os.path.join(ROOT, "samples"))):
        for source in sorted(os.listdir(os.path.join(ROOT, "samples", name))):
            if source.endswith(".c"):
                yield name + "/" + source[:-2]


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          env=clean_environment()).stdout


@functools.lru_cache(maxsize=None)
def kernel(arch, name, part):
    return output_of(os.path.join(HERE, "vm/kernel"), "--arch", arch, "--host", name,
                     "--" + part).strip()


def files_below(*directories):
    return [os.path.join(top, name) for directory in directories
            for top, _, names in os.walk(directory) for name in names]


def modules_among(files):
    return sorted(path for path in files if path.endswith(".ko"))


def unpacked(path, directory):
    """One of the kernel's own modules, which some kernels have compressed."""
    result = os.path.join(directory, os.path.basename(path)[:-len(".xz")])
    with lzma.open(path) as packed, open(result, "wb") as file:
        shutil.copyfileobj(packed, file)
    return result


class Host:
    """A kernel on which tests run."""

    def __init__(self, arch, name):
        self.arch, self.name = arch, name
        self.label = name if arch == NATIVE else f"{arch} {name}"
        # What is built for its tests, see for_tests().
        self.inject, self.clients, self.wanted = False, set(), set()

    def for_tests(self, tests):
        """These are all that run on it."""
        self.inject = any("inject" in test.wants for test in tests)
        self.clients = clients_of(tests)
        self.wanted = names_in(tests)

    def kernel(self, part):
        return kernel(self.arch, self.name, part)

    def runs_what(self):
        """The kernel whose tests also run on this one."""
        if self.name in HOSTS[NATIVE] or self.name in BARE_HOSTS:
            return self.name
        debians = ("backports", "bullseye", "trixie", "sid", "rt", "cloud")
        return "stock" if self.name in debians else "dropin"

    @functools.cached_property
    def built(self):
        """All modules and programs for it: ours, those of the clients, then the kernel's."""
        build = os.path.join(ROOT, "build", f"{self.arch}-{self.name}")
        ours = [os.path.join(build, name) for name in OURS]
        return [path for path in ours if os.path.exists(path)] + \
            files_below(os.path.join(build, "client"), self.kernel("modules"))

    def find(self, name):
        for path in self.built:
            if path.endswith("/" + name):
                return path
            if path.endswith(f"/{name}.xz"):
                return unpacked(path, os.path.join(ROOT, "build", f"{self.arch}-{self.name}"))
        if name.endswith(".ko") and name not in OURS and not client_of(name[:-len(".ko")]):
            raise KernelLacks(name)
        raise RuntimeError(f"nothing built for {self.label} is called {name}")


def libraries():
    directory = os.path.join(SELFTESTS, "lib")
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory))]


@functools.lru_cache(maxsize=None)
def client_kbuilds():
    """The directories of clients among the selftests, each with the text of its Kbuild."""
    found = {}
    for name in sorted(os.listdir(SELFTESTS)):
        path = os.path.join(SELFTESTS, name, "Kbuild")
        if os.path.exists(path):
            with open(path) as file:
                found[name] = file.read()
    return found


def client_of(name):
    """Which clients a module or program is one of, by the name that a test has for it.

    None for the kernel's own and ours.
    """
    directory, _, plain = name.rpartition("/")
    if directory:
        return "samples" if os.path.isdir(os.path.join(ROOT, "samples", directory)) else directory
    for client, kbuild in client_kbuilds().items():
        if re.search(rf"\b{re.escape(plain)}\b", kbuild):
            return client
    return "samples" if any(path.endswith("/" + plain) for path in samples()) else None


def names_in(tests):
    """The modules and programs that these tests want."""
    return {name for test in tests for name in [*test.modules(), *test.words("programs"),
                                                *test.words("types")]}


def clients_of(tests):
    """The clients that are built for these tests."""
    return {client_of(name) for name in names_in(tests)} - {None}


def client_target(host, name):
    """The make command for clients.  Only what they need of the kernel's source is fetched."""
    if name == "samples":
        return ["samples"]
    if name == "mainline":
        return ["client", "ALONE=y", "NAME=mainline",
                "M=" + host.kernel("source") + "/samples/kprobes",
                "CONFIG_SAMPLE_KPROBES=m", "CONFIG_SAMPLE_KRETPROBES="]
    if name == "mainline_fprobe":
        return ["client", "ALONE=y", "NAME=mainline_fprobe", "M=" + host.kernel("fprobe"),
                "CONFIG_SAMPLE_FPROBE=m"]
    if name == "mainline_fprobe_6_1":
        return ["client", "ALONE=y", "NAME=mainline_fprobe_6_1",
                "M=" + host.kernel("source") + "/samples/fprobe",
                "CONFIG_SAMPLE_FPROBE=m", "KCFLAGS=-DFPROBE_API_6_1"]
    if name == "mainline_test":
        return ["client", "ALONE=y", "M=" + os.path.join(HERE, "mainline_test"),
                "SOURCE=" + host.kernel("source")]
    target = ["client", "ALONE=y", "M=" + os.path.join(SELFTESTS, name)]
    if name == "modules":
        # They are many, and few runs want all.
        target.append("ONLY=" + " ".join(sorted(n for n in host.wanted if client_of(n) == name)))
    return target


def build_targets(host):
    """The make commands for a host: kprobes.ko, the one with INJECT=1, and what its tests want."""
    yield ["modules"]
    if host.inject:
        yield ["modules", "INJECT=1"]
    yield from (client_target(host, name) for name in sorted(host.clients))


def add_types(host, name):
    """Describes a module's types to BPF, as the kernel's own build does."""
    command = ["pahole", "-J", "--btf_base", host.kernel("vmlinux"), host.find(name + ".ko")]
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if result.returncode:
        # A test that needs them says so.
        print(f"no types of {name} for {host.label}", flush=True)


@functools.lru_cache(maxsize=None)
def modules_with_types():
    paths = [os.path.join(SELFTESTS, name) for name in sorted(os.listdir(SELFTESTS))]
    return {name for path in paths if path.endswith(".sh")
            for name in Selftest(path).words("types")}


def has_types(host):
    """Does the kernel know its own?  No test asks on a foreign architecture."""
    return host.arch == NATIVE and \
        " .BTF " in output_of("readelf", "-SW", host.kernel("vmlinux"))


def make(*words):
    command = ["make", "-s", "-C", ROOT, *words]
    result = subprocess.run(command, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env=clean_environment())
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{result.stdout}")


def build_tool(arch):
    make("ARCH=" + arch, "WERROR=-Werror", "tools")


def build_for(host):
    for target in build_targets(host):
        make("ARCH=" + host.arch, "HOST=" + host.name, *target)
    if has_types(host):
        for name in modules_with_types():
            if name in host.wanted:
                add_types(host, name)


def why_not(step, host):
    """The reason why a step of a host's preparation failed; None if it succeeded."""
    try:
        step(host)
    except (RuntimeError, subprocess.CalledProcessError) as error:
        return str(error)
    return None


def get_kernel(host):
    print(f"getting the kernel {host.label}", flush=True)
    host.kernel("kdir")


def build_aloud(host):
    print(f"building for {host.label}", flush=True)
    build_for(host)


def prepare_all(step, hosts, at_a_time):
    """Runs a step for all hosts; the hosts for which it failed, with the reason."""
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        reasons = pool.map(functools.partial(why_not, step), hosts)
        return {host.label: why for host, why in zip(hosts, reasons) if why}


def build_all(hosts):
    """Builds for all hosts; the hosts for which it failed, with the reason."""
    # It is one for all kernels.
    why = why_not(build_tool, NATIVE)
    if why:
        return {host.label: why for host in hosts}
    # The build of a kernel keeps all CPUs busy, that of modules does not.
    broken = prepare_all(get_kernel, hosts, 1)
    broken.update(prepare_all(build_aloud, [h for h in hosts if h.label not in broken], 2))
    return broken


def fail_broken(suites, broken):
    """Makes each suite fail whose host could not be prepared."""
    for suite in suites:
        for label, reason in broken.items():
            if suite.name.endswith(f"[{label}]"):
                suite.command = ["sh", "-c", "echo " + shlex.quote(reason) + "; exit 1"]
                suite.prepare = None
