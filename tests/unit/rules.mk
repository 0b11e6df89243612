# SPDX-License-Identifier: GPL-2.0
# Unit tests of the map and of the model: cmocka, all under ASan and UBSan.

UNIT := $(B)/unit
UNIT_CFLAGS := -std=gnu11 -Wall -Wextra -O1 -g -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude -I.
UNIT_LIBS := -lcmocka -lurcu -lpthread
UNIT_MAP_TESTS := test_map test_map_random test_map_rcu

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

-include $(wildcard $(UNIT)/*.d)

.PHONY: unit-map unit-faults
unit-map: $(addprefix $(UNIT)/,$(UNIT_MAP_TESTS))
	@echo '  TEST    the map: cases, random tables, readers against a writer'
	$(Q)for t in $^; do $$t || exit 1; done

unit-faults: $(addprefix $(UNIT)/,$(UNIT_MAP_TESTS))
	@echo '  TEST    planted faults are caught'
	$(Q)tests/unit/faults.sh $(UNIT) '$(CC)' '$(UNIT_CFLAGS)' '$(UNIT_LIBS)'

check-unit: unit-map unit-faults
