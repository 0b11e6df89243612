#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print the path of the source archive of a kernel version, as Debian packages it.
#
# usage: kernel/source.sh VERSION
#
# 6.12 is a package of the suites that the machine has. 5.10 is in no suite of a plain Debian 12, but in
# bullseye-security, on the mirror that the machine uses for its own security suite: it is fetched from
# there with a private apt state, so that the machine's own package lists stay as they are.
set -eu

version=${1:?usage: kernel/source.sh VERSION}
package=linux-source-$version
archive=/usr/src/$package.tar.xz
if [ -r "$archive" ]; then
	echo "$archive"
	exit 0
fi

die()
{
	echo "kernel: $*" >&2
	exit 1
}

[ "$version" = 5.10 ] || die "$archive is missing: install the package $package (make deps)"

top=$(cd "$(dirname "$0")/.." && pwd)
state=$top/${B:-build}/kernel/$version/apt
archive=$state/$package.tar.xz
if [ -r "$archive" ]; then
	echo "$archive"
	exit 0
fi

# shellcheck disable=SC2016 # these are for apt to fill in
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' |
	awk '$2 ~ /-security$/ { print $1; exit }')
[ -n "$mirror" ] ||
	die "$package is in bullseye-security, but no suite *-security is in this machine's apt sources to take its mirror from"

echo "kernel: fetching $package from bullseye-security" >&2
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bullseye-security main" \
	>"$state/sources.list"

private()
{
	command=$1
	shift
	"$command" -o Dir::State="$state" -o Dir::Cache="$state/cache" \
		-o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::status=/dev/null -o APT::Sandbox::User=root "$@" >>"$state/log" 2>&1 ||
		{
			tail -n 5 "$state/log" >&2
			die "tried 'apt-get $*' with suite bullseye-security of the machine's own security mirror: it failed"
		}
}

: >"$state/log"
private apt-get update
cd "$state"
private apt-get download "$package"
set -- "$package"_*.deb
[ -e "$1" ] || die "apt-get download left no $package package"
dpkg-deb --fsys-tarfile "$1" | tar -xOf - "./usr/src/$package.tar.xz" >"$archive.tmp" ||
	die "$1 holds no $package.tar.xz"
mv "$archive.tmp" "$archive"
rm -f "$1"
echo "$archive"
