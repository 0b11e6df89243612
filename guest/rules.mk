# SPDX-License-Identifier: GPL-2.0
# The guest: agent, initramfs, disk images, launcher.

GUEST_AGENT	:= $(B)/guest/agent
GUEST_INITRAMFS	:= $(B)/guest/initramfs.cpio
GUEST_IMAGES	:= $(B)/images/.made
# What guest/run needs besides a kernel: the prerequisite of everything that boots a guest.
GUEST		:= $(GUEST_INITRAMFS) $(GUEST_IMAGES)

GUEST_OBJS	:= $(patsubst %,$(B)/guest/%.o,agent disks measure)
# Programs of the host that are copied into the guest: a new version means a new initramfs.
GUEST_PROGRAMS	:= $(shell PATH=$$PATH:/usr/sbin command -v busybox fio sfdisk dmsetup losetup sg_luns)

.PHONY: guest
all: guest
guest: $(GUEST)

$(B)/guest/%.o: guest/%.c guest/agent.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

# Static and at fixed addresses: process 1 needs no loader, and the plugin finds the marks by symbol.
$(B)/guest/%.o: override CFLAGS += -fno-pie
$(GUEST_AGENT): $(GUEST_OBJS)
	$(Q)$(CC) $(CFLAGS) -static -no-pie -o $@ $^

$(GUEST_INITRAMFS): $(GUEST_AGENT) guest/mkinitramfs guest/mkstub guest/mkcpio guest/lib.sh guest/shell.sh \
		guest/gpt.sfdisk $(wildcard fio-jobs fio-jobs/*) $(GUEST_PROGRAMS)
	@echo '  INITRAMFS $@'
	$(Q)guest/mkinitramfs $(GUEST_AGENT) $@

$(GUEST_IMAGES): guest/mkimages guest/gpt.sfdisk
	@echo '  IMAGES $(@D)'
	@mkdir -p $(@D)
	$(Q)guest/mkimages $(@D)
	@touch $@

# --- tests

.PHONY: guest-unit guest-boot
check-unit: guest-unit
guest-unit: $(GUEST)
	$(Q)prove -j2 guest/splats-test.t guest/run-test.t

GUEST_CHECKS += guest-boot
guest-boot: $(GUEST) $(call KERNEL_STAMP,stock)
	$(Q)KERNEL_IMAGE=$(call KERNEL_IMAGE,stock) prove guest/boot-test.t guest/disks-test.t guest/shell-test.t

# --- by hand

GUEST_FLAVOUR	:= $(or $(FLAVOUR),patched)

guest-shell: $(GUEST) $(call KERNEL_STAMP,$(GUEST_FLAVOUR)) ## a shell in the guest, disks and toggles in place (FLAVOUR=patched)
	$(Q)guest/run --kernel $(call KERNEL_IMAGE,$(GUEST_FLAVOUR)) --shell --dev both \
		--accel $(ACCEL) --out $(B)/guest/shell
