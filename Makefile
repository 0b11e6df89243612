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
# No program says where it was built: the agent is a part of the guest that is measured.
override CFLAGS += -std=gnu11 -Wall -Wextra -Iinclude -I. -ffile-prefix-map=$(CURDIR)=.

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

# The commands that need packages. The first make sees to those and hands over to a second one, for
# which it is too late to be missing any: rules.mk files ask for programs while they are read.
COMMANDS := all check check-full check-unit check-kernel check-guest run bench profile series \
	kernel kunit guest-shell

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: $(COMMANDS) help deps clean

all: ## build the userland: model, benchmark, plugin, report, guest agent
check: ## every test that fits 20 minutes from cold
check-full: ## the same and the long ones
check-unit check-kernel check-guest:

ifeq ($(PARTSTATS_DEPS)$(filter-out $(COMMANDS),$(or $(MAKECMDGOALS),all)),)

$(COMMANDS): deps
	$(Q)$(MAKE) --no-print-directory PARTSTATS_DEPS=done $@

else

check: check-unit check-kernel check-guest
check-full: check

include kernel/rules.mk
-include guest/rules.mk model/rules.mk plugin/rules.mk report/rules.mk tests/rules.mk

endif

help: ## list these commands
	@cat Makefile */rules.mk | awk -F ':.*## ' \
		'/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }'
	@echo
	@echo '  KERNEL=6.12|5.10  ACCEL=tcg|kvm  V=1 (show commands)   now: KERNEL=$(KERNEL) ACCEL=$(ACCEL)'

deps: ## install the Debian packages that are missing (root), or name them
	$(Q)kernel/deps.sh packages.txt

clean: ## remove build/
	rm -rf $(B)
