# SPDX-License-Identifier: GPL-2.0
# The kernels: stock, patched, and with all accounting compiled out.

FLAVOURS	:= stock patched noacct
# 5.10 looks up every request: there the lookup is compared with what it was before its cache, too.
ifeq ($(KERNEL),5.10)
FLAVOURS	:= stock scan patched noacct
endif
# FLAVOUR= picks one for `make kernel`, `make guest-shell`.
FLAVOUR		?=

KERNEL_DIR	:= $(B)/kernel/$(KERNEL)
KERNEL_STAMP	= $(KERNEL_DIR)/$(1)/.built
KERNEL_IMAGE	= $(KERNEL_DIR)/$(1)/obj/arch/x86/boot/bzImage
SERIES		:= $(wildcard patches/$(KERNEL)/series patches/$(KERNEL)/*.patch)
MEASURE		:= $(wildcard patches/$(KERNEL)/measure/*)
KERNEL_OURS	:= $(wildcard block/*.[ch] patches/$(KERNEL)/block/*) $(SERIES)
KERNEL_COMMON	:= kernel/build.sh kernel/source.sh kernel/own-files.sh $(wildcard kernel/guest*.config)

# A stamp and not the image: a change that alters no object leaves the image as old as it was.
$(KERNEL_DIR)/%/.built: $(KERNEL_COMMON)
	$(Q)kernel/build.sh $(KERNEL) $*
	$(Q)touch $@

$(KERNEL_DIR)/patched/.built: $(KERNEL_OURS)
$(KERNEL_DIR)/noacct/.built: $(KERNEL_OURS) $(MEASURE) kernel/noacct.config
$(KERNEL_DIR)/scan/.built: $(MEASURE)
$(KERNEL_DIR)/debug/.built: $(KERNEL_OURS) $(wildcard kernel/debug*.config)
$(KERNEL_DIR)/kcsan/.built: $(KERNEL_OURS) $(wildcard kernel/kcsan*.config)
# One after the other: each build keeps all CPUs busy.
$(KERNEL_DIR)/patched/.built $(KERNEL_DIR)/noacct/.built $(KERNEL_DIR)/scan/.built: | $(KERNEL_DIR)/stock/.built
$(KERNEL_DIR)/noacct/.built: | $(KERNEL_DIR)/patched/.built
$(KERNEL_DIR)/debug/.built $(KERNEL_DIR)/kcsan/.built: | $(KERNEL_DIR)/patched/.built
$(KERNEL_DIR)/kcsan/.built: | $(KERNEL_DIR)/debug/.built

kernel: $(foreach f,$(or $(FLAVOUR),$(FLAVOURS)),$(call KERNEL_STAMP,$(f))) ## build the kernels (FLAVOUR= for one of them)

series: ## the series as mails for git am, build/series/<kernel>/
	$(Q)kernel/series.sh $(KERNEL) $(B)/series/$(KERNEL)

kunit: ## KUnit suites of block/, under user-mode Linux
	$(Q)kernel/kunit.sh $(KERNEL)
