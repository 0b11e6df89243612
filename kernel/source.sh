#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print the path of the source archive of a kernel version, as Debian packages it.
# usage: kernel/source.sh VERSION
set -eu

version=${1:?usage: kernel/source.sh VERSION}
archive=/usr/src/linux-source-$version.tar.xz
[ -r "$archive" ] || {
	echo "kernel: $archive is missing: install the package linux-source-$version (make deps)" >&2
	exit 1
}
echo "$archive"
