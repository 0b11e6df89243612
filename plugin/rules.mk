# SPDX-License-Identifier: GPL-2.0
# The instruction-counting QEMU plugin, and the profile made with it.

BLKPROF		:= $(B)/blkprof.so
PROFILE		:= $(B)/profile
PLUGIN_OBJS	:= $(patsubst %,$(B)/plugin/%.o,blkprof attrib cache)
PLUGIN_SAMPLE	:= $(B)/plugin/sample
PLUGIN_KERNEL	:= $(B)/kernel/$(KERNEL)/stock/obj

.PHONY: profile-bench plugin check-plugin check-plugin-guest
all: plugin
plugin: $(BLKPROF) $(PROFILE)

# Only what QEMU looks up is visible: the names of a plugin share one space with QEMU's own.
$(PLUGIN_OBJS): $(B)/plugin/%.o: plugin/%.c $(wildcard plugin/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

$(BLKPROF): $(PLUGIN_OBJS)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-z,now -o $@ $^ -ldw -lelf

# Reads what the measurement leaves behind with the report's own code.
$(B)/plugin/profile.o: plugin/profile.c $(wildcard report/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

$(PROFILE): $(B)/plugin/profile.o $(patsubst %,$(B)/report.d/%.o,results figures)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -ljansson -lm

profile: ## what each kernel function costs per I/O (build/results/profile.json)
	$(Q)+MAKE='$(MAKE)' plugin/profile.sh

profile-bench: $(BLKPROF) $(GUEST_AGENT) $(GUEST_INITRAMFS) $(KERNEL_DIR)/stock/.built ## how much slower a guest is under the plugin
	$(Q)plugin/bench.sh

# --- tests

# Its instructions are counted by hand: no option of the caller may change the code.
$(PLUGIN_SAMPLE): plugin/sample.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -Wall -Wextra -O2 -g -fcf-protection=none -fno-pie -static -no-pie -o $@ $<

$(PLUGIN_SAMPLE).stripped: $(PLUGIN_SAMPLE)
	$(Q)strip -o $@ $<

$(PLUGIN_SAMPLE).pie: plugin/sample.c
	$(Q)$(CC) -std=gnu11 -O2 -g -fpie -pie -o $@ $<

$(B)/plugin/test-%: plugin/test-%.c $(wildcard plugin/*.h) $(B)/plugin/attrib.o $(B)/plugin/cache.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(filter %.o,$^) -lcmocka -ldw -lelf

check-unit: check-plugin
check-plugin: $(B)/plugin/test-api $(B)/plugin/test-attrib $(B)/plugin/test-cache $(BLKPROF) $(PROFILE) $(PLUGIN_SAMPLE) \
		$(PLUGIN_SAMPLE).stripped $(PLUGIN_SAMPLE).pie
	$(Q)$(B)/plugin/test-cache
	$(Q)$(B)/plugin/test-api $(BLKPROF)
	$(Q)$(B)/plugin/test-attrib $(PLUGIN_SAMPLE) $(PLUGIN_SAMPLE).stripped $(PLUGIN_SAMPLE).pie
	$(Q)prove plugin/count-test.t :: $(BLKPROF) $(PLUGIN_SAMPLE)
	$(Q)prove plugin/profile-test.t :: $(PROFILE)

GUEST_CHECKS += check-plugin-guest
check-plugin-guest: $(BLKPROF) $(PLUGIN_SAMPLE) $(GUEST_INITRAMFS) $(KERNEL_DIR)/stock/.built
	$(Q)prove plugin/guest-test.t :: $(BLKPROF) $(PLUGIN_SAMPLE) $(PLUGIN_KERNEL)
