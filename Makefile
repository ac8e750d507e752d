# SPDX-License-Identifier: GPL-2.0-only
#
# The commands of this tree. kbuild itself reads Kbuild, not this file.
#
# kbuild writes objects beside the sources. So each kernel has a mirror of the
# tree in build/, made of links, and the objects of two kernels never mix.

root := $(dir $(realpath $(lastword $(MAKEFILE_LIST))))
root := $(root:/=)
vm   := $(root)/tools/testing/vm

# make and the shell would take a part of another name for a directory of its own, which "clean" then
# removes; and kbuild takes no such name either.
odd = $(shell printf %s '$(subst ','\'',$(1))' | LC_ALL=C tr -d 'a-zA-Z0-9/._+@~=\200-\377-')x
ifneq ($(words $(root)):$(call odd,$(root)),1:x)
$(error The path of this directory must have letters, digits and /._+@~=- only, and no spaces: $(or $(root),$(CURDIR)))
endif

# Each architecture has several names.
name-x86 := x86_64
name-amd64 := x86_64
name-aarch64 := arm64
name-ppc64el := powerpc
native := $(patsubst aarch64,arm64,$(shell uname -m))
ARCH ?= $(native)
override ARCH := $(or $(name-$(ARCH)),$(ARCH))
architectures := x86_64 arm64 powerpc ppc64le
ifeq ($(filter $(ARCH),$(architectures)),)
$(error ARCH=$(ARCH): there are only x86_64, arm64 and powerpc)
endif

# The package with the headers brings this file without the module, which DKMS has built; and
# where it is installed, users can't write.
installed := $(if $(wildcard $(root)/Kbuild),,y)
builds := $(if $(installed),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/loadable-kprobes/clients,$(root)/build)
ifneq ($(words $(builds)):$(call odd,$(builds)),1:x)
$(error The path of XDG_CACHE_HOME, or of HOME, must have letters, digits and /._+@~=- only, and no spaces: $(builds))
endif

# HOST= is a kernel that the tests run on, KDIR= any other.
running := $(shell uname -r)
# What others call DESTDIR.  Not by ?=: what an outer make has exported is set, if only to nothing.
ifeq ($(INSTALL_MOD_PATH),)
INSTALL_MOD_PATH := $(DESTDIR)
endif
export INSTALL_MOD_PATH SIGN_KEY SIGN_CERT
ifdef HOST
KDIR = $(eval KDIR := $$(or $$(shell $(vm)/kernel --arch $(ARCH) --host $(HOST) --kdir),$$(error no kernel $(HOST))))$(KDIR)
OUT  := $(builds)/$(ARCH)-$(HOST)
else
KDIR ?= /lib/modules/$(running)/build
# What uname -r says.  Debian's include/config/kernel.release is the same for several kernels.
RELEASE := $(shell sed -n 's/^.define UTS_RELEASE "\(.*\)"$$/\1/p' \
	   $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
OUT  := $(builds)/$(or $(RELEASE),unknown)
endif

# INJECT=1: a module whose steps fail on demand, for the tests of error paths.
ifdef INJECT
OUT := $(OUT)-inject
inject := LKP_INJECT=y
endif

# The architecture as kbuild names it.
karch-ppc64le := powerpc
# The prefix of a cross compiler: CROSS_COMPILE=, or what Debian calls it.
cross-arm64 := aarch64-linux-gnu-
cross-powerpc := powerpc64le-linux-gnu-
cross-prefix = $(or $(CROSS_COMPILE),$(if $(filter-out $(native),$(ARCH)),$(cross-$(ARCH))))
cross = $(if $(cross-prefix),CROSS_COMPILE=$(cross-prefix))
# A kernel that clang built needs modules built by clang: of the same version, if that has a name of
# its own here.
built-by = $(filter CONFIG_CC_IS_CLANG=y CONFIG_LD_IS_LLD=y CONFIG_CLANG_VERSION=%,$(file \
	   <$(KDIR)/include/config/auto.conf))
clang-version = $(patsubst CONFIG_CLANG_VERSION=%,%,$(filter CONFIG_CLANG_VERSION=%,$(built-by)))
of-version = $(shell v=$$(($(or $(clang-version),0) / 10000)); \
	     command -v $(1)-$$v >/dev/null && echo -$$v)
llvm = $(if $(filter CONFIG_CC_IS_CLANG=y,$(built-by)),$\
       $(if $(filter CONFIG_LD_IS_LLD=y,$(built-by)),$\
       LLVM=$(or $(call of-version,ld.lld),1),CC=clang$(call of-version,clang)))
kbuild = $(MAKE) --no-print-directory -C $(KDIR) ARCH=$(or $(karch-$(ARCH)),$(ARCH)) $(cross) $(llvm) \
	 $(inject) $(jobs)
# With -j, the jobs of this make are passed down.
jobs   = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
locked = flock $(OUT)/.lock

sources := Kbuild Kconfig VERSION $(notdir $(wildcard $(root)/*.c $(root)/*.h $(root)/*.S)) \
	   arch core events host include

.PHONY: all modules install modules_install uninstall samples client client-source client-env \
	headers tools deb rpm release clean help demo test test-all test-debug test-races sweep-all storm check bench docs

##   (nothing)        kprobes.ko and kprobes_events.ko for the running kernel; KDIR=DIR for another
ifneq ($(installed),)
all:
	@echo "say make -C $(root) client M=DIR, a directory with a Kbuild"
else
all: modules
endif
ifeq ($(HOST)$(installed),)
ifeq ($(RELEASE),$(running))
	@ln -sf $(OUT)/kprobes.ko $(OUT)/kprobes_events.ko $(OUT)/Module.symvers $(root)/
	@echo "built for $(RELEASE): insmod $(root)/kprobes.ko"
else
	@echo "built for $(RELEASE), not for the running $(running): $(OUT)/kprobes.ko"
endif
endif

modules: | $(if $(filter client,$(MAKECMDGOALS)),client-source) headers
	@mkdir -p $(OUT)
ifeq ($(installed),)
	@$(locked) $(root)/tools/mirror $(root) $(OUT) $(sources)
	+@$(locked) $(kbuild) M=$(OUT) modules
else
	@$(locked) $(root)/tools/client-dkms $(OUT) $(RELEASE)
endif

config-x86_64 := CONFIG_X86_64
config-arm64 := CONFIG_ARM64
config-powerpc := CONFIG_PPC64
config-ppc64le := CONFIG_PPC64

# Nothing is made before the kernel is known: its name is that of the directory.
headers:
ifndef HOST
	@test -n "$(RELEASE)" || { echo "No kernel headers in $(KDIR):" \
		"apt install linux-headers-$(running), or say KDIR= or HOST=" >&2; false; }
endif
	@grep -qs '^$(config-$(ARCH))=y' $(KDIR)/include/config/auto.conf || \
		{ echo "$(KDIR) is not for ARCH=$(ARCH), or not configured" >&2; false; }

##   install          installs them where modprobe finds them, signed if SIGN_KEY= and SIGN_CERT=
##                    name a key; DESTDIR=DIR, or INSTALL_MOD_PATH=, goes before /lib/modules
install modules_install: modules
	@STRIP=$(cross-prefix)strip $(root)/tools/install $(OUT)/kprobes.ko \
		$(or $(RELEASE),$(error install: for a kernel of KDIR=, not of HOST=)) $(KDIR)

##   uninstall        takes them away again
uninstall:
	@$(root)/tools/install --remove $(or $(RELEASE),$(running))

##   client M=DIR     the modules in DIR, users of kprobes, in build/.../client
CLIENT = $(OUT)/client/$(or $(NAME),$(notdir $(abspath $(M))))
# ALONE=y: kprobes.ko is known to be up to date.
client-source:
	@test -n "$(M)" || { echo "client: say M=DIR, a directory with a Kbuild" >&2; false; }
	@test "$(words $(M)):$(words x$(NAME))" = 1:1 || \
		{ echo "client: spaces in M= or NAME=: kbuild can't build there" >&2; false; }
	@test -e "$(M)/Kbuild" || test -e "$(M)/Makefile" || \
		{ echo "client: there is no Kbuild and no Makefile in $(M)" >&2; false; }

client: $(if $(ALONE),,modules) | client-source
	@mkdir -p $(CLIENT)
	+@$(locked) $(root)/tools/client $(M) $(CLIENT) $(OUT)
	+@$(locked) $(kbuild) M=$(CLIENT) modules
	@ls $(CLIENT)/*.ko

# What tools/client-env gives to the makes of others. kbuild knows the kernel's include
# options and compiler, so it prepares the directory, with no module to build.
client-env: $(if $(ALONE),,modules)
	@mkdir -p $(OUT)/client-env
	@echo 'options := $$(shell $(root)/tools/client-headers $(OUT)/client-env $(OUT) "$$(CC)" $$(LINUXINCLUDE))' \
		>$(OUT)/client-env/Kbuild
	+@$(locked) $(kbuild) M=$(OUT)/client-env modules >$(OUT)/client-env/log 2>&1 || \
		{ cat $(OUT)/client-env/log >&2; false; }
	@echo CC=$(OUT)/client-env/cc
	@echo KBUILD_EXTRA_SYMBOLS=$(OUT)/Module.symvers
	@$(if $(filter-out $(native),$(ARCH)),echo ARCH=$(or $(karch-$(ARCH)),$(ARCH)); echo $(cross))
	@$(if $(filter CONFIG_KPROBES=y,$(file <$(KDIR)/include/config/auto.conf)),,\
		echo CONFIG_KPROBES=y; echo CONFIG_KRETPROBES=y)

##   samples          the clients in samples/, in the same way
samples: modules
	+@$(foreach dir,$(wildcard $(root)/samples/*/Kbuild),\
		$(MAKE) --no-print-directory client ALONE=y M=$(dir:/Kbuild=) &&) :

##   tools            build/tools/kprobes: traces by probes; what can be probed in a vmlinux or a module
tools:
	@$(root)/tools/setup tool
	@$(MAKE) --no-print-directory -C $(root)/tools/kprobes

##   deb, rpm         packages for Debian and others, in build/deb and build/rpm
deb rpm:
	@$(root)/tools/package $@

##   release          build/loadable-kprobes-VERSION.tar.gz of the last commit, signed if there is
##                    a key
release:
	@$(root)/tools/release

##   clean            removes what was built; the cache of kernels stays
clean:
	rm -rf $(root)/build $(root)/kprobes.ko $(root)/kprobes_events.ko $(root)/Module.symvers

##
##   demo             a demonstration in a VM, on a kernel without kprobes
demo:
	@$(vm)/demo $(or $(HOST),dropin) $(ARCH)

foreign = $(if $(filter-out $(native),$(ARCH)),--arch $(ARCH))
# A fresh Debian has no Python, which the runner itself needs.
run-tests = $(root)/tools/setup runner && \
	$(root)/tools/testing/run-tests $(foreign) $(if $(JSON),--json $(JSON))

##   test             the tests that need no foreign kernel and no VM of their own;
##                    SHARE=N a share of the others too, ALL=y all, T=PATTERN those whose name
##                    matches
test:
	@$(run-tests) $(if $(ALL)$(T)$(foreign),,--quick $(if $(SHARE),--share $(SHARE))) \
		$(if $(T),--only '$(T)')

##   test-all         all tests; goes on where it was interrupted, and ends with a table
test-all:
	@mkdir -p $(root)/build
	@$(run-tests) --everywhere --table --keep $(root)/build/test-all.json

##   test-debug       the tests in VMs on a kernel with KASAN and lockdep; slow
test-debug:
	@$(run-tests) --host debug $(if $(T),--only '$(T)')

##   test-races       everything comes and goes on a kernel that detects data races, for some
##                    minutes; DURATION=S the longest part, SEED=N what is random in it
test-races:
	@$(run-tests) --host kcsan --only selftests/races --verbose $(if $(SEED),--set seed=$(SEED)) \
		$(if $(DURATION),--set duration=$(DURATION) --seconds $$(($(DURATION) * 3 + 900)))

##   sweep-all        a probe on each instruction of the stock kernel, in many hours;
##                    SHARE=1/200 a part of it; FROM=BATCH goes on after an interruption
sweep-all:
	@$(run-tests) --host $(or $(HOST),stock) \
		--only selftests/sweep_all --verbose --seconds 300000 --set most=1000000 \
		--set part=$(firstword $(subst /, ,$(SHARE)) 1) --set from=$(or $(FROM),0) \
		--set of=$(lastword 1 $(subst /, ,$(SHARE)))

##   storm            calls of the API at random, checked against a model, for DURATION=S;
##                    SEED=N those that have found something
storm:
	@$(run-tests) --host $(or $(HOST),stock) \
		--only selftests/storm --verbose \
		--set seed=$(or $(SEED),$$(($$(date +%s) % 100000))) \
		--set duration=$(or $(DURATION),600) --seconds $$(($(or $(DURATION),600) * 3 + 300))

##   bench            the cost of hits, ours and the built-in's, as a page: build/bench.html;
##                    JSON=FILE saves the numbers there, COMPARE=FILE says what got worse since
bench:
	@$(root)/tools/setup runner
	@$(root)/tools/testing/bench/bench --arch $(ARCH) $(if $(JSON),--json $(JSON)) \
		$(if $(COMPARE),--compare $(COMPARE)) $(BENCHFLAGS)

##   docs             the manual, in build/docs/html
docs:
	@$(root)/tools/docs

##   check            sparse, W=1, gcc, clang, checkpatch
check:
	@$(root)/tools/testing/check

help:
	@echo 'make TARGET [HOST=dropin|noftrace|voluntary|notasks|framepointer|debug|kcsan|clang|fineibt|stock|backports|bullseye|trixie|sid|rt|cloud] [KDIR=DIR] [ARCH=ARCH]'
	@echo
	@sed -n 's/^## \{0,1\}//p' $(root)/Makefile
	@echo
	@echo 'HOST is a kernel that the tests run on; see tools/testing/vm/kernel --help'
