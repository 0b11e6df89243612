#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All storms at once for a short time, on the plain patched kernel.
exec "$(dirname "$0")/storm.sh" patched toggles+partitions+removals+stacked+errors
