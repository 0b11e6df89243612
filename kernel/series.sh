#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Write the series as mails that `git am` takes on the pristine tree of the kernel.
#
# usage: kernel/series.sh VERSION DIRECTORY
#
# patches/VERSION/ holds the hooks, block/ the files of ours that the first of them builds; the mails
# hold both. They are made in a repository of just the files that the series touches.
set -eu

version=${1:?usage: kernel/series.sh VERSION DIRECTORY}
out=${2:?usage: kernel/series.sh VERSION DIRECTORY}
top=$(cd "$(dirname "$0")/.." && pwd)
patches=$top/patches/$version
pristine=$top/${B:-build}/kernel/$version/pristine

[ -r "$patches/series" ] || {
	echo "series: there is no patches/$version/series" >&2
	exit 1
}
"$top/kernel/build.sh" -s "$version" stock

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
names=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$patches/series")

git_()
{
	git -C "$work" -c user.name='partstats maintainers' \
		-c user.email='maintainers@partstats.example' -c commit.gpgsign=false "$@"
}

git_ init -q
# shellcheck disable=SC2086 # a list of names
(cd "$patches" && sed -n 's|^+++ b/\([^[:space:]]*\).*|\1|p' $names) | sort -u |
while read -r file; do
	[ -e "$pristine/$file" ] || continue
	mkdir -p "$work/$(dirname "$file")"
	cp "$pristine/$file" "$work/$file"
done
git_ add -A
git_ commit -q -m 'as Debian ships it'
base=$(git_ rev-parse HEAD)

mkdir -p "$work/block"
"$top/kernel/own-files.sh" "$version" |
while read -r file ours; do
	cp "$top/$ours" "$work/$file"
done
for name in $names; do
	patch -d "$work" -p1 -s -F0 --no-backup-if-mismatch <"$patches/$name" >&2
	git_ add -A
	# The changelog is what stands between the subject and the diffstat.
	{
		sed -n 's/^Subject: \[PATCH\] //p' "$patches/$name"
		echo
		sed -e '1,/^Subject:/d' -e '/^---$/,$d' "$patches/$name" | sed '1{/^$/d}'
	} | git_ commit -q -F -
done

rm -rf "$out"
mkdir -p "$out"
git_ format-patch -q --zero-commit --signature="partstats, for Linux $version" \
	-o "$work/mails" "$base"
cp "$work"/mails/*.patch "$out/"
echo "series: $(find "$out" -name '*.patch' | wc -l) mails in $out"
