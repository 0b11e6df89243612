# SPDX-License-Identifier: GPL-2.0
# The model and its benchmark; tests/unit/ comes along.

MODEL := $(B)/model
# RCU as in a kernel without preemption: a read-side section costs nothing. Functions and loops
# start at cache lines, or which of two equal lookups is faster depends on where it came to lie.
MODEL_CFLAGS := -std=gnu11 -Wall -Wextra -O2 -g -D_GNU_SOURCE -DSTANDIN_RCU_QSBR -Iinclude -I. \
	-falign-functions=64 -falign-loops=32
MODEL_LIBS := -lurcu-qsbr -lurcu-common -ljansson -lpthread -lm
MODEL_OBJS := $(addprefix $(MODEL)/,bench.o options.o measure.o count.o output.o fleet.o stream.o \
	variants.o lookups.o touch.o trace.o standin.o part-map.o)
# The lookups once more, with every access reported to touch.c, under other names.
MODEL_TRACED := $(addprefix $(MODEL)/traced-,lookups.o part-map.o)

$(MODEL)/%.o: model/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(MODEL_CFLAGS) -MMD -c -o $@ $<

$(MODEL)/part-map.o: block/part-map.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(MODEL_CFLAGS) -MMD -c -o $@ $<

$(MODEL)/traced-lookups.o: model/lookups.c
$(MODEL)/traced-part-map.o: block/part-map.c
$(MODEL_TRACED):
	@mkdir -p $(@D)
	$(Q)$(CC) $(MODEL_CFLAGS) -fsanitize=thread -MMD -c -o $@ $<
	$(Q)nm -g --defined-only $@ | awk '{ print $$3, "traced_" $$3 }' > $@.names
	$(Q)objcopy --redefine-syms=$@.names $@

$(B)/lookup-bench: $(MODEL_OBJS) $(MODEL_TRACED)
	$(Q)$(CC) $(MODEL_CFLAGS) -o $@ $^ $(MODEL_LIBS)

-include $(wildcard $(MODEL)/*.d)

all: $(B)/lookup-bench

include tests/unit/rules.mk
