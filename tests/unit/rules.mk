# SPDX-License-Identifier: GPL-2.0
# Unit tests of the map and of the model: cmocka, all under ASan and UBSan.

UNIT := $(B)/unit
UNIT_CFLAGS := -std=gnu11 -Wall -Wextra -O1 -g -fno-omit-frame-pointer -D_GNU_SOURCE \
	-fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude -I.
UNIT_LIBS := -lcmocka -lurcu -lpthread -lm
UNIT_MAP_TESTS := test_map test_map_random test_map_rcu
UNIT_TRACE_OBJS := $(addprefix $(UNIT)/,test_trace.o trace.o fleet.o stream.o standin.o part-map.o)

FUZZ_SECONDS ?= 30
FUZZ_SRCS := tests/unit/fuzz_map.c tests/unit/table.c block/part-map.c model/standin.c

$(UNIT)/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -c -o $@ $<

$(UNIT)/%.o: model/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -c -o $@ $<

$(UNIT)/part-map.o: block/part-map.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -c -o $@ $<

$(addprefix $(UNIT)/,$(UNIT_MAP_TESTS)): $(UNIT)/%: $(UNIT)/%.o $(UNIT)/table.o \
		$(UNIT)/part-map.o $(UNIT)/standin.o
	$(Q)$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LIBS)

$(UNIT)/test_trace: $(UNIT_TRACE_OBJS)
	$(Q)$(CC) $(UNIT_CFLAGS) -o $@ $^ $(UNIT_LIBS)

# One command: clang's objects are of no use to the tests that gcc builds.
$(UNIT)/fuzz_map: $(FUZZ_SRCS) tests/unit/table.h block/part-map.h block/part-map-type.h
	@mkdir -p $(@D)
	$(Q)clang -std=gnu11 -Wall -Wextra -O1 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -Iinclude -I. -o $@ $(FUZZ_SRCS) -lurcu -lpthread

-include $(wildcard $(UNIT)/*.d)

.PHONY: unit-map unit-faults unit-trace unit-bench unit-fuzz
unit-map: $(addprefix $(UNIT)/,$(UNIT_MAP_TESTS))
	@echo '  TEST    the map: cases, random tables, readers against a writer'
	$(Q)for t in $^; do $$t || exit 1; done

unit-faults: $(addprefix $(UNIT)/,$(UNIT_MAP_TESTS))
	@echo '  TEST    planted faults in the map are caught'
	$(Q)prove tests/unit/faults.t :: $(UNIT) '$(CC)' '$(UNIT_CFLAGS)' '$(UNIT_LIBS)'

unit-trace: $(UNIT)/test_trace
	@echo '  TEST    reading traces'
	$(Q)$<

unit-bench: $(B)/lookup-bench
	@echo '  TEST    lookup-bench'
	$(Q)prove tests/unit/bench.t :: $<

# The corpus stays, so that the next run starts where this one ended.
unit-fuzz: $(UNIT)/fuzz_map
	@echo '  FUZZ    building of tables, $(FUZZ_SECONDS) s'
	@mkdir -p $(UNIT)/corpus
	$(Q)$< -max_total_time=$(FUZZ_SECONDS) -max_len=1785 -print_final_stats=1 \
		-artifact_prefix=$(UNIT)/fuzz- $(UNIT)/corpus 2>$(UNIT)/fuzz.log || \
		{ tail -n 60 $(UNIT)/fuzz.log; exit 1; }
	@grep -e '^Done' -e new_units $(UNIT)/fuzz.log

check-unit: unit-map unit-faults unit-trace unit-bench
check-full: unit-fuzz
