# SPDX-License-Identifier: GPL-2.0
# The model and its benchmark; tests/unit/ comes along.

include tests/unit/rules.mk
