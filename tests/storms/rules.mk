# SPDX-License-Identifier: GPL-2.0
# Storms: what must do no harm, done at random to disks under I/O.  By hand:
#	make storm STORM=partitions+toggles FLAVOUR=debug SECONDS=60 SEED=7

STORM_TOOL	:= $(B)/tests/storms/storm
STORM_TOOLS	:= $(STORM_TOOL) $(B)/tests/guest/counts
STORM_ALL	:= toggles+partitions+removals+stacked+errors
# How long a round takes, and where its random numbers begin.
SECONDS		?= 20
SEED		?= 1

$(STORM_TOOL): tests/storms/storm.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -static -o $@ $<

.PHONY: storm storms-short storms-full
storm: $(STORM_TOOLS) $(GUEST) $(call KERNEL_STAMP,$(or $(FLAVOUR),patched))
	$(Q)SECONDS=$(SECONDS) SEED=$(SEED) tests/storms/storm.sh $(or $(FLAVOUR),patched) $(or $(STORM),$(STORM_ALL))

# The short form: all at once, on the plain kernel.
ifeq ($(KERNEL),6.12)
GUEST_CHECKS += storms-short
endif
storms-short: $(STORM_TOOLS) $(GUEST) $(call KERNEL_STAMP,patched)
	$(Q)SECONDS=20 SEED=$(SEED) prove tests/storms/short.t

# The long form: each alone and all at once, with everything that the kernel can check; then, shorter,
# under the race detector.
ifeq ($(KERNEL),6.12)
check-full: storms-full
endif
storms-full: $(STORM_TOOLS) $(GUEST) $(call KERNEL_STAMP,debug) $(call KERNEL_STAMP,kcsan)
	$(Q)SECONDS=60 SEED=$(SEED) prove --verbose tests/storms/debug.t tests/storms/kcsan.t
