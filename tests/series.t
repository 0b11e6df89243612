#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The series is fit to be sent: each patch and each kernel file of ours passes checkpatch --strict,
# the mails apply with git am to the pristine tree and give the very files that the kernel is built
# from, and our files compile without a word from W=1 and sparse.
set -u

cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

version=${KERNEL:-6.12}
dir=${B:-build}/kernel/$version
pristine=$dir/pristine

checkpatch()
{
	"$pristine/scripts/checkpatch.pl" --strict --no-tree --root="$pristine" --summary-file "$@"
}

# By standard input: a file that git knows it would take for a source file.
checkpatch_patch()
{
	checkpatch - <"$1"
}

for patch in patches/"$version"/*.patch patches/"$version"/measure/*.patch; do
	check "checkpatch: ${patch#patches/}" checkpatch_patch "$patch"
	check "signed off: ${patch#patches/}" grep -q '^Signed-off-by: .* <.*@.*>$' "$patch"
done
for file in block/*.[ch] patches/"$version"/block/*.[ch]; do
	[ -e "$file" ] || continue
	check "checkpatch: $file" checkpatch -f "$file"
done

# A patch that is in no series is dead, and a series that names none is broken.
for folder in patches/"$version" patches/"$version"/measure; do
	cat "$folder"/*series | sed -e 's/#.*//' -e '/^[[:space:]]*$/d' | sort >"$tap_tmp/listed"
	(cd "$folder" && ls ./*.patch) | sed 's|^\./||' | sort >"$tap_tmp/there"
	check "$folder: the series name every patch" diff "$tap_tmp/listed" "$tap_tmp/there"
done

mails_apply()
{
	kernel/series.sh "$version" "$tap_tmp/mails" || return 1
	tree=$tap_tmp/tree
	mkdir "$tree"
	git -C "$tree" init -q || return 1
	sed -n 's|^--- a/\([^[:space:]]*\).*|\1|p' "$tap_tmp"/mails/*.patch | sort -u |
	while read -r file; do
		mkdir -p "$tree/$(dirname "$file")"
		[ ! -e "$pristine/$file" ] || cp "$pristine/$file" "$tree/$file"
	done
	git -C "$tree" add -A &&
		git -C "$tree" -c user.name=test -c user.email=test@example.org \
			commit -q -m pristine || return 1
	git -C "$tree" -c user.name=test -c user.email=test@example.org \
		am -q "$tap_tmp"/mails/*.patch || return 1
	kernel/build.sh -s "$version" patched || return 1
	(cd "$tree" && git ls-files) | while read -r file; do
		cmp "$tree/$file" "$dir/patched/src/$file" || exit 1
	done
}
check 'the mails apply with git am and give the tree that is built' mails_apply

# In a copy of the build, so that the extra warnings do not make the real one compile again.
sparse_clean()
{
	copy=$dir/patched/obj-sparse
	mkdir -p "$copy"
	rsync -a --delete --exclude='*.o' --exclude='*.a' --exclude='.*.o.cmd' --exclude='vmlinux*' \
		--exclude='arch/x86/boot/' --exclude='*.map' "$dir/patched/obj/" "$copy/" || return 1
	# What this configuration builds of block/; the others cannot be compiled in it. Drivers that we
	# touch in a line have complaints of their own.
	objects=$(sed -n 's|^+++ b/\(block/.*\)\.c$|\1.o|p' patches/"$version"/[0-9]*.patch | sort -u |
		while read -r object; do
			[ ! -e "$dir/patched/obj/$object" ] || echo "$object"
		done)
	case $objects in
	*block/genhd.o*) ;;
	*) echo "genhd.o is not among what the build has made: $objects"; return 1 ;;
	esac
	# shellcheck disable=SC2086 # a list of names
	env -u MAKEFLAGS -u MAKELEVEL make -C "$dir/patched/src" O="$PWD/$copy" -s W=1 C=1 CF=-Wsparse-error \
		block/part-map.o $objects >"$tap_tmp/sparse" 2>&1 || { cat "$tap_tmp/sparse"; return 1; }
	# A header of the kernel's that we leave alone may have a complaint of its own: mmzone.h of 5.10.
	grep -E 'warning|error' "$tap_tmp/sparse" | while read -r line; do
		file=${line%%:*}
		file=${file##*/src/}
		case $file in
		include/* | arch/*/include/*) grep -qxF "$file" "$dir/patched/touched" || continue ;;
		esac
		echo "$line"
	done >"$tap_tmp/complaints"
	cat "$tap_tmp/complaints"
	[ ! -s "$tap_tmp/complaints" ]
}
check 'W=1 and sparse have nothing to say about what we add and patch' sparse_clean

done_testing
