#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All test files of this directory that hold on the stock kernel, in one boot of it.
exec "$(dirname "$0")/boot.sh" stock
