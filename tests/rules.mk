# SPDX-License-Identifier: GPL-2.0
# Tests that belong to no single part. Each part brings its own in its rules.mk.

.PHONY: check-series check-source check-bisect
check-kernel: check-series
check-full: kunit
check-unit: check-source

check-series: $(call KERNEL_STAMP,patched)
	$(Q)prove tests/series.t

check-full: check-bisect
check-bisect: $(call KERNEL_STAMP,patched) $(GUEST)
	$(Q)prove tests/bisect.t

check-source:
	$(Q)prove tests/source.t tests/deps.t

-include tests/guest/rules.mk tests/labels/rules.mk tests/storms/rules.mk tests/faults/rules.mk
