# SPDX-License-Identifier: GPL-2.0
# Guest tests: one boot of each kernel runs the numbered test files, then the two are compared.

GUEST_TEST_BIN	:= $(B)/tests/guest
GUEST_TEST_TOOLS := $(addprefix $(GUEST_TEST_BIN)/,issue counts)

.PHONY: check-guest-tests
GUEST_CHECKS += check-guest-tests

# Static: what the guest's own programs are linked to is not theirs to rely on.
$(GUEST_TEST_TOOLS): $(GUEST_TEST_BIN)/%: tests/guest/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -static -o $@ $<

# Two guests at a time, each has its own CPU's worth of work; the last test compares what they have left.
check-guest-tests: $(GUEST) $(GUEST_TEST_TOOLS) $(foreach f,stock patched,$(call KERNEL_STAMP,$(f)))
	$(Q)prove -j2 tests/guest/stock.t tests/guest/patched.t
	$(Q)prove tests/guest/same.t
