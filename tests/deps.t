#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Who may not install packages is told which are missing and by what command they come, and make
# stops there, before anything is built.
set -u

cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

absent=partstats-no-such-package

# As a user without rights, whoever we are. This directory need not be one that he can read.
unprivileged()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

tree=$tap_tmp/tree
mkdir -p "$tree/kernel"
cp Makefile packages.txt "$tree/"
cp kernel/deps.sh "$tree/kernel/"
{
	cat packages.txt
	echo "$absent  # nobody has it"
} >"$tree/more.txt"
chmod -R a+rX "$tap_tmp"

nothing_missing()
{
	unprivileged sh "$tree/kernel/deps.sh" "$tree/packages.txt" >"$tap_tmp/said" 2>&1
	status=$?
	cat "$tap_tmp/said"
	[ $status -eq 0 ] && [ ! -s "$tap_tmp/said" ]
}
check 'nothing is said when nothing is missing' nothing_missing

names_missing()
{
	"$@" >"$tap_tmp/said" 2>&1
	status=$?
	cat "$tap_tmp/said"
	[ $status -ne 0 ] &&
		grep -qxF "deps: these packages are missing: $absent" "$tap_tmp/said" &&
		grep -qxF "deps: as root, run: apt-get install --no-install-recommends $absent" "$tap_tmp/said"
}
check 'a missing package is named, and the command that installs it' \
	names_missing unprivileged sh "$tree/kernel/deps.sh" "$tree/more.txt"

mv "$tree/more.txt" "$tree/packages.txt"
check 'make stops there' \
	names_missing unprivileged env -u MAKEFLAGS -u MAKELEVEL -u PARTSTATS_DEPS make -C "$tree" all
check 'and has built nothing' test ! -e "$tree/build"

done_testing
