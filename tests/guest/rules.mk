# SPDX-License-Identifier: GPL-2.0
# Guest tests: one boot of each kernel runs the numbered test files, then the two are compared.

GUEST_TEST_BIN	:= $(B)/tests/guest
GUEST_TEST_TOOLS := $(addprefix $(GUEST_TEST_BIN)/,issue counts)

.PHONY: check-guest-tests
check-guest: check-guest-tests

# Static: what the guest's own programs are linked to is not theirs to rely on.
$(GUEST_TEST_TOOLS): $(GUEST_TEST_BIN)/%: tests/guest/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -static -o $@ $<

# In this order: the last one compares what the first two have left.
check-guest-tests: $(GUEST) $(GUEST_TEST_TOOLS) $(foreach f,stock patched,$(call KERNEL_STAMP,$(f)))
	$(Q)prove $(addprefix tests/guest/,stock.t patched.t same.t)
