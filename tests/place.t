#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The same source gives the same kernel wherever it is built, and so the same figures: one string more or
# less moves what lies behind it, and an instruction or two of every I/O with it. What tells the place
# are names of source files, in warnings; the compiler cache may hand objects over that have others.
set -u

cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

dir=${B:-build}/kernel/${KERNEL:-6.12}
tap_said=$tap_tmp/found

# nowhere FLAVOUR: what is loaded of a kernel names no file by a way that begins outside its tree
nowhere()
{
	objcopy -O binary -j .rodata -j .data -j .init.data "$dir/$1/obj/vmlinux" "$tap_tmp/loaded" || return 1
	# Nothing found must not be for want of anything to look through.
	grep -qa 'block/blk-mq\.c' "$tap_tmp/loaded" || return 1
	! grep -aoE '(/[a-z0-9._-]+)*/src/[a-z0-9_/-]+\.[ch]' "$tap_tmp/loaded" >"$tap_said"
}

for flavour in stock patched; do
	check "$flavour: no name of a file says where it was built" nowhere $flavour
done

done_testing
