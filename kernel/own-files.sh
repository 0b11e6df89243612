#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# List the files of ours that go into the kernel tree, one a line: its path in the tree, and the file
# here that it is a copy of.
#
# usage: kernel/own-files.sh VERSION
#
# They are those in block/ that the series of VERSION builds, and the headers. A file of the same name
# in patches/VERSION/block/ takes the place of one in block/: that is how part-map-type.h differs.
set -eu

version=${1:?usage: kernel/own-files.sh VERSION}
cd "$(dirname "$0")/.."

for file in block/*.[ch]; do
	case $file in
	*.c)
		grep -q "^+.*[[:space:]]$(basename "$file" .c)\.o" "patches/$version"/*.patch || continue
		;;
	esac
	here=$file
	[ ! -e "patches/$version/$file" ] || here=patches/$version/$file
	echo "$file $here"
done
