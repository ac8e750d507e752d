# SPDX-License-Identifier: GPL-2.0-only
#
# $(call cover,PART,PROGRAMS,SOURCES): how much of arch/ the PROGRAMS run, of the files
# whose names begin with PART.
# The PROGRAMS are linked with the same objects of the SOURCES, whose counts add up.

define cover
	$(RM) -r $(O)/cov-$(1)
	mkdir $(O)/cov-$(1)
	cd $(O)/cov-$(1) && $(CC) -O0 -g $(warnings) --coverage -c $(abspath $(3))
	cd $(O)/cov-$(1) && for program in $(2); do \
		$(CC) -O0 -g $(warnings) -o $$program $(CURDIR)/$$program.c *.o --coverage -lcmocka && \
		./$$program >/dev/null || exit 1; \
	done
	cd $(O)/cov-$(1) && gcov -n $(1)*.gcno | grep -A1 "File '$(arch)"
endef
