#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Make one kernel from Debian's source package: unpack, add ours, configure, build.
#
# usage: kernel/build.sh [-s] VERSION FLAVOUR
#   VERSION   6.12 or 5.10
#   FLAVOUR   stock    the kernel as Debian ships it
#             patched  block/ and patches/VERSION/series on top
#             noacct   patched, and patches/VERSION/measure/series, with all accounting compiled out
#             scan     stock, and patches/VERSION/measure/scan-series: the lookup without its cache (5.10)
#             debug    patched, with KASAN, lockdep and the like
#             kcsan    patched, with the data race detector
#             fault    as debug, with the patch that FAULT= names on top
#             bisect   the first PATCHES= patches of the series only
#   -s        stop when the source tree stands (no configuration, no build)
#
# build/kernel/VERSION/FLAVOUR/src is the tree and .../obj the build. The trees of the flavours are
# hard links to one unpacked tree, and src lies beside obj in each, so that ccache sees the same
# relative paths and compiles what is equal only once. A file of ours replaces its link, never
# writes through it.
set -eu

usage()
{
	sed -n 's/^# \{0,1\}//; /^usage:/,/^  -s/p' "$0" >&2
	exit 2
}

die()
{
	echo "kernel: $*" >&2
	exit 1
}

say()
{
	echo "kernel $version $flavour: $*"
}

source_only=
if [ "${1:-}" = -s ]; then
	source_only=1
	shift
fi
[ $# -eq 2 ] || usage
version=$1
flavour=$2
case $version in
6.12 | 5.10) ;;
*) echo "kernel: version '$version' is not known: use 6.12 or 5.10" >&2; exit 2 ;;
esac
case $flavour in
stock) series= fragments='guest' ;;
patched) series='series' fragments='guest' ;;
noacct) series='series measure/series' fragments='guest noacct' ;;
scan) series='measure/scan-series' fragments='guest' ;;
debug) series='series' fragments='guest debug' ;;
kcsan) series='series' fragments='guest kcsan' ;;
fault) series='series' fragments='guest debug' ;;
bisect) series='series' fragments='guest' ;;
*) echo "kernel: flavour '$flavour' is not known: use stock, patched, noacct, scan, debug, kcsan, fault or bisect" >&2; exit 2 ;;
esac
if [ "$flavour" = bisect ]; then
	case ${PATCHES:-} in
	'' | *[!0-9]*) echo "kernel: flavour 'bisect' needs PATCHES=, how many patches to apply" >&2; exit 2 ;;
	esac
fi

top=$(cd "$(dirname "$0")/.." && pwd)
fault=
[ "$flavour" != fault ] || {
	[ -r "${FAULT:-}" ] || {
		echo "kernel: flavour 'fault' needs FAULT=, the patch that plants it" >&2
		exit 2
	}
	fault=$(cd "$(dirname "$FAULT")" && pwd)/$(basename "$FAULT")
}
for list in $series; do
	[ -r "$top/patches/$version/$list" ] || {
		echo "kernel: flavour '$flavour' does not exist for $version: there is no patches/$version/$list" >&2
		exit 2
	}
done
base=$top/${B:-build}/kernel/$version
pristine=$base/pristine
work=$base/$flavour
src=$work/src
obj=$work/obj
mkdir -p "$work"

# One build at a time in a tree; a second one waits and then finds its work done.
exec 9>"$work/lock"
flock 9

# 1. The source package, unpacked once. The stamp names its version, so that a new package is seen.
unpack()
{
	archive=$("$top/kernel/source.sh" "$version")
	stamp=$(cksum <"$archive" 2>/dev/null) || die "cannot read $archive"
	if [ "$(cat "$base/pristine.stamp" 2>/dev/null)" = "$stamp" ]; then
		return
	fi
	say "unpacking $(basename "$archive")"
	rm -rf "$pristine" "$base/pristine.tmp" "$base"/*/src
	mkdir -p "$base/pristine.tmp"
	tar -xf "$archive" -C "$base/pristine.tmp" --strip-components=1
	mv "$base/pristine.tmp" "$pristine"
	echo "$stamp" >"$base/pristine.stamp"
}

# Patches of this flavour, in order.
patches()
{
	for list in $series; do
		dir=$(dirname "$top/patches/$version/$list")
		sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$top/patches/$version/$list" |
		while read -r name; do
			echo "$dir/$name"
		done
	done | if [ "$flavour" = bisect ]; then head -n "$PATCHES"; else cat; fi
	[ "$flavour" != fault ] || echo "$fault"
}

# Our own files: paths below the kernel tree, and below this one.
own_files()
{
	case " $series " in
	*' series '*) "$top/kernel/own-files.sh" "$version" ;;
	esac
}

# 2. The flavour's tree. Only the files that we add or patch are made anew, in a scratch folder, and
# only those whose text changed replace the old ones: make then rebuilds no more than it must.
prepare()
{
	[ -d "$src" ] || {
		say "linking the tree"
		rm -rf "$src.tmp"
		cp -al "$pristine" "$src.tmp"
		mv "$src.tmp" "$src"
		rm -f "$work/touched"
	}
	scratch=$work/scratch
	rm -rf "$scratch"
	mkdir -p "$scratch"
	patches >"$work/patches"
	: >>"$work/touched"
	{
		own_files | cut -d ' ' -f 1
		# shellcheck disable=SC2046 # one word a patch
		[ ! -s "$work/patches" ] ||
			sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' $(cat "$work/patches")
	} | sort -u >"$work/touched.new"
	while read -r file; do
		[ -e "$pristine/$file" ] || continue
		mkdir -p "$scratch/$(dirname "$file")"
		cp "$pristine/$file" "$scratch/$file"
	done <"$work/touched.new"
	own_files | while read -r file ours; do
		mkdir -p "$scratch/$(dirname "$file")"
		cp "$top/$ours" "$scratch/$file"
	done
	while read -r patch; do
		# No fuzz: a patch that only nearly applies is a patch that nobody has read.
		patch -d "$scratch" -p1 -s -F0 --no-backup-if-mismatch <"$patch" >"$work/patch.log" 2>&1 || {
			cat "$work/patch.log" >&2
			die "${patch#"$top/"} does not apply to linux-source-$version"
		}
	done <"$work/patches"
	sort -u "$work/touched.new" "$work/touched" | while read -r file; do
		if [ -e "$scratch/$file" ]; then
			cmp -s "$scratch/$file" "$src/$file" || {
				mkdir -p "$src/$(dirname "$file")"
				cp --remove-destination "$scratch/$file" "$src/$file"
			}
		elif [ -e "$pristine/$file" ]; then
			rm -f "$src/$file"
			cp "$pristine/$file" "$src/$file"
		else
			rm -f "$src/$file"
		fi
	done
	mv "$work/touched.new" "$work/touched"
	rm -rf "$scratch"
}

kmake()
{
	if command -v ccache >/dev/null; then
		export CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros
		# The flavours that share objects have the same autoconf.h. An object is then the same if all
		# files that it includes are, and need not go through the preprocessor to find that out,
		# which is a fifth of the time of compiling it.
		export CCACHE_DEPEND=1
		set -- CC='ccache gcc' HOSTCC='ccache gcc' "$@"
	fi
	# A fixed name and date: the same source gives the same kernel, and the same figures.
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS KBUILD_BUILD_TIMESTAMP='2026-01-01' \
		KBUILD_BUILD_USER=partstats KBUILD_BUILD_HOST=partstats KBUILD_BUILD_VERSION=1 \
		make -C "$src" O="$obj" "$@"
}

# 3. tinyconfig and the fragments; an option that did not take is an error, not a surprise later.
configure()
{
	set --
	for name in $fragments; do
		set -- "$@" "$top/kernel/$name.config"
		[ ! -e "$top/kernel/$name-$version.config" ] ||
			set -- "$@" "$top/kernel/$name-$version.config"
	done
	want=$(cat "$@" "$src/init/Kconfig" "$src/block/Kconfig" | cksum)
	[ "$(cat "$work/config.stamp" 2>/dev/null)" != "$want" ] || [ ! -e "$obj/.config" ] || return 0
	say "configuring"
	mkdir -p "$obj"
	kmake -s tinyconfig >"$work/config.log" 2>&1 || { cat "$work/config.log" >&2; die "tinyconfig failed"; }
	(cd "$obj" && "$src/scripts/kconfig/merge_config.sh" -m -O . .config "$@") >>"$work/config.log" 2>&1
	kmake -s olddefconfig >>"$work/config.log" 2>&1 || { cat "$work/config.log" >&2; die "olddefconfig failed"; }
	# The last word on a symbol is what must stand in the result.
	cat "$@" | sed -n -e 's/^\(CONFIG_[A-Za-z0-9_]*\)=.*/\1 &/p' \
		-e 's/^# \(CONFIG_[A-Za-z0-9_]*\) is not set/\1 /p' |
	awk '{ last[$1] = $2 } END { for (s in last) print s, last[s] }' | sort |
	while read -r symbol line; do
		if [ -n "$line" ]; then
			grep -qxF "$line" "$obj/.config" || echo "$line"
		else
			! grep -q "^$symbol=" "$obj/.config" || echo "$symbol=n"
		fi
	done >"$work/config.lost"
	if [ -s "$work/config.lost" ]; then
		tr '\n' ' ' <"$work/config.lost" >&2
		die "the options above did not take (a dependency is missing in kernel/*.config)"
	fi
	echo "$want" >"$work/config.stamp"
}

unpack
prepare
[ -z "$source_only" ] || exit 0
configure

say "building (the first time takes minutes; log: ${work#"$top/"}/build.log)"
begin=$(date +%s)
if [ "${V:-0}" = 1 ]; then
	kmake -j"$(nproc)" bzImage
else
	kmake -j"$(nproc)" bzImage >"$work/build.log" 2>&1 || {
		grep -n -E 'error|Error' "$work/build.log" | head -n 20 >&2
		die "the build failed, see ${work#"$top/"}/build.log"
	}
fi
say "built in $(($(date +%s) - begin)) s"
