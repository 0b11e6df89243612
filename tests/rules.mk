# SPDX-License-Identifier: GPL-2.0
# Tests that belong to no single part. Each part brings its own in its rules.mk.

.PHONY: check-series check-source check-bisect check-other-kernel
check-kernel: check-series
check-unit: check-source

# Both kernels: the other one by a make of its own. 6.12 has all the long tests; 5.10 those that do not
# need what only 6.12 has (KUnit with parameters, the planted faults, a debug configuration).
OTHER_KERNEL	:= $(if $(filter 5.10,$(KERNEL)),6.12,5.10)
OTHER_CHECKS	:= $(if $(filter 5.10,$(KERNEL)),check-full,check-kernel check-guest check-bisect)
ifeq ($(KERNEL),6.12)
check-kernel: kunit
endif
ifndef PARTSTATS_OTHER
check-full: check-other-kernel
check-other-kernel:
	$(Q)$(MAKE) --no-print-directory KERNEL=$(OTHER_KERNEL) PARTSTATS_OTHER=yes $(OTHER_CHECKS)
endif

# What boots guests adds itself to GUEST_CHECKS. Guests wait more than they compute, so three checks run at a
# time, behind the builds, which want all CPUs. What each prints comes in one piece, at its end.
check-guest: $(GUEST) $(foreach f,stock patched,$(call KERNEL_STAMP,$(f)))
	@echo '  GUESTS  $(GUEST_CHECKS)'
	$(Q)$(MAKE) --no-print-directory -j3 -O $(GUEST_CHECKS)

check-series: $(foreach f,stock patched,$(call KERNEL_STAMP,$(f)))
	$(Q)prove tests/series.t tests/place.t

check-full: check-bisect
check-bisect: $(call KERNEL_STAMP,patched) $(GUEST)
	$(Q)prove tests/bisect.t

check-source:
	$(Q)prove tests/source.t tests/deps.t

-include tests/guest/rules.mk tests/labels/rules.mk tests/storms/rules.mk tests/faults/rules.mk
