#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each storm alone, then all of them at once, with KASAN, lockdep and RCU checks.
exec "$(dirname "$0")/storm.sh" debug toggles partitions removals stacked errors \
	toggles+partitions+removals+stacked+errors
