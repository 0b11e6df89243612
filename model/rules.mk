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

# All in one interleaved run. 15 and 255 partitions and 30 disks are points of the plots, too.
BENCH_RUNS ?= 31
BENCH_THREADS := $(if $(filter 1,$(shell nproc)),1,1$(shell echo ,)2)
BENCH_SETS = --pattern uniform,affine,zipf,sequential,mixed-size \
	--and --pattern shared-disk,own-disk --threads $(BENCH_THREADS) \
	--and --parts 255 \
	--and --cold --cold-disk \
	--and --pattern replay --trace model/traces/oltp.iolog \
	--and --parts 1,2,4,8,30,60,120 \
	--and --disks 1,3,10,100,300,1000

bench: $(B)/lookup-bench ## what a lookup costs, by pattern and variant: build/results/lookup.json
	@mkdir -p $(RESULTS)
	@echo '  BENCH   $(BENCH_RUNS) runs of each variant in each setting, some minutes'
	$(Q)$< --runs $(BENCH_RUNS) --rebuild --json $(RESULTS)/lookup.json \
		--dat $(RESULTS)/lookup.dat $(BENCH_SETS)
	$(Q)gnuplot -e 'dat="$(RESULTS)/lookup.dat"; base="$(RESULTS)/lookup-parts"' \
		-e 'by="parts"; fixed=30; title="Lookups over 30 disks, uniform"' model/plot.gp
	$(Q)gnuplot -e 'dat="$(RESULTS)/lookup.dat"; base="$(RESULTS)/lookup-disks"' \
		-e 'by="disks"; fixed=15; title="Lookups over disks of 15 partitions, uniform"' model/plot.gp
	@echo '  PLOT    $(RESULTS)/lookup-parts.png and .svg, lookup-disks.png and .svg'
