# SPDX-License-Identifier: GPL-2.0
#
# partstats: run-time control of Linux block-layer statistics, and what they cost.
# Every directory brings its own rules.mk; this file holds what they share.

KERNEL	?= 6.12
ACCEL	?= tcg
V	?= 0
B	:= build
RESULTS	:= $(B)/results

CC	?= gcc
CFLAGS	?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra -Iinclude -I.

ifeq ($(V),1)
Q :=
else
Q := @
endif

# Nothing here may depend on the language or the time zone of the caller.
export LC_ALL := C
export TZ := UTC
export KERNEL ACCEL V B RESULTS

ifeq ($(filter $(KERNEL),6.12 5.10),)
$(error KERNEL=$(KERNEL) is not known: use KERNEL=6.12 or KERNEL=5.10)
endif
ifeq ($(filter $(ACCEL),tcg kvm),)
$(error ACCEL=$(ACCEL) is not known: use ACCEL=tcg or ACCEL=kvm)
endif

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all help deps check check-full check-unit check-kernel check-guest run bench profile \
	series kernel kunit guest-shell clean

all: ## build the userland: model, benchmark, plugin, report, guest agent

include kernel/rules.mk
-include guest/rules.mk model/rules.mk plugin/rules.mk report/rules.mk tests/rules.mk

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' \
		$(MAKEFILE_LIST)
	@echo
	@echo '  KERNEL=6.12|5.10  ACCEL=tcg|kvm  V=1 (show commands)   now: KERNEL=$(KERNEL) ACCEL=$(ACCEL)'

deps: ## install the Debian packages that are missing (root), or name them
	$(Q)kernel/deps.sh packages.txt

check: check-unit check-kernel check-guest ## every test that fits 20 minutes from cold

clean: ## remove build/
	rm -rf $(B)
