#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run our KUnit suites on the patched kernel under user-mode Linux, by the kernel's own kunit.py.
#
# usage: kernel/kunit.sh VERSION
set -eu

version=${1:?usage: kernel/kunit.sh VERSION}
top=$(cd "$(dirname "$0")/.." && pwd)
work=$top/${B:-build}/kernel/$version/kunit

grep -q '^+.*part-map-test\.o' "$top/patches/$version"/*.patch || {
	echo "kunit: Linux $version has no suite of ours: its KUnit cannot run a test for a list of cases" >&2
	exit 2
}
"$top/kernel/build.sh" -s "$version" patched
mkdir -p "$work"
# Beside the build and below the same name as in the other flavours: see kernel/build.sh on ccache.
[ -e "$work/src" ] || ln -s ../patched/src "$work/src"

cc=gcc
if command -v ccache >/dev/null; then
	# make sees where the tree really is, in the patched kernel's folder.
	export CCACHE_BASEDIR="${work%/*}" CCACHE_NOHASHDIR=1
	# No other build shares a file with this one, so there is no use in looking at what is left of each by
	# the preprocessor.
	export CCACHE_DEPEND=1
	cc='ccache gcc'
fi
echo "kunit $version: building user-mode Linux and running the suites (the first time takes minutes)"
cd "$work/src"
status=0
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS python3 tools/testing/kunit/kunit.py run \
	--arch=um --build_dir="$work/obj" --kunitconfig="$top/kernel/kunit.config" \
	--make_options="CC=$cc" --jobs="$(nproc)" --timeout=120 >"$work/log" 2>&1 </dev/null || status=$?
sed -n '/=====/,$p' "$work/log"
if [ $status -ne 0 ]; then
	grep -E 'error|ERROR' "$work/log" | head -n 20 >&2 || :
	echo "kunit: failed (status $status), see ${work#"$top/"}/log" >&2
	exit 1
fi
# "Testing complete. Ran 7 tests: passed: 7": a run of no tests is not a pass.
ran=$(sed -n 's/.*Testing complete. Ran \([0-9]*\) tests.*/\1/p' "$work/log")
if [ "${ran:-0}" -eq 0 ]; then
	echo "kunit: no test was run, see ${work#"$top/"}/log" >&2
	exit 1
fi
echo "$ran passed, 0 failed"
