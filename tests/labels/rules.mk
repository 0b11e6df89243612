# SPDX-License-Identifier: GPL-2.0
# Partition tables that lie, read by the guest's kernel.

LABEL_TOOL	:= $(B)/tests/labels/label

$(LABEL_TOOL): tests/labels/label.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -static -o $@ $<

.PHONY: labels labels-debug
GUEST_CHECKS += labels
labels: $(LABEL_TOOL) $(GUEST) $(call KERNEL_STAMP,patched)
	$(Q)prove tests/labels/labels.t

# More random ones, with KASAN.
ifeq ($(KERNEL),6.12)
check-full: labels-debug
endif
labels-debug: $(LABEL_TOOL) $(GUEST) $(call KERNEL_STAMP,debug)
	$(Q)RANDOM_LABELS=50 prove tests/labels/labels.t :: debug
