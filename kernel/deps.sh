#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Install the Debian packages named in a list, or say which command would.
# usage: kernel/deps.sh LIST
set -eu

list=${1:?usage: kernel/deps.sh LIST}
missing=
for name in $(sed 's/#.*//' "$list"); do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || :)
	[ "$state" = installed ] || missing="$missing $name"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	echo "deps: these packages are missing:$missing" >&2
	echo "deps: as root, run: apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
echo "deps: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of package names
if ! { apt-get update && apt-get install -y --no-install-recommends $missing; } \
	>"$log" 2>&1 </dev/null; then
	tail -n 20 "$log" >&2
	echo "deps: apt-get could not install:$missing" >&2
	exit 1
fi
