# SPDX-License-Identifier: GPL-2.0
# The faults that kernels had here, and whether we would notice them.

FAULT_TOOLS	:= $(B)/tests/guest/issue $(B)/tests/guest/counts

.PHONY: faults faults-planted
GUEST_CHECKS += faults
faults: $(FAULT_TOOLS) $(GUEST) $(call KERNEL_STAMP,patched)
	$(Q)prove tests/faults/faults.sh :: check patched

# The patches that plant the faults are for 6.12.
ifeq ($(KERNEL),6.12)
check-full: faults-planted
endif
faults-planted: $(FAULT_TOOLS) $(GUEST) $(call KERNEL_STAMP,debug)
	$(Q)prove tests/faults/faults.sh :: check debug
	$(Q)prove --verbose tests/faults/faults.sh :: planted
