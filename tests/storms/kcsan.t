#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Those storms in which our code races with itself, under the race detector.
exec "$(dirname "$0")/storm.sh" kcsan toggles+partitions
