# SPDX-License-Identifier: GPL-2.0
# The measurement of the main job, the report, and the tests of both.

REPORT		:= $(B)/report
REPORT_OBJS	:= $(patsubst %,$(B)/report.d/%.o,report results figures table)
REPORT_TEST	:= $(B)/report.d/report-test
REPORT_LIBS	:= -ljansson -lm

.PHONY: report-test fio-jobs-test

all: $(REPORT)

$(B)/report.d/%.o: report/%.c $(wildcard report/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<

$(REPORT): $(REPORT_OBJS)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(REPORT_LIBS)

$(REPORT_TEST): $(patsubst %,$(B)/report.d/%.o,report-test results figures table)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(REPORT_LIBS) -lcmocka

# The same settings on three kernels, and the table of what each costs.
run: ## the main job: build, boot, measure, print the table (build/results/run.json)
	$(Q)+MAKE='$(MAKE)' report/run.sh

check-unit: report-test fio-jobs-test

report-test: $(REPORT_TEST) $(REPORT)
	$(Q)$(REPORT_TEST)
	$(Q)prove report/report-test.t :: $(REPORT)
	$(Q)prove report/arguments-test.t

fio-jobs-test:
	$(Q)prove fio-jobs/jobs-test.t :: $(B)/tmp
