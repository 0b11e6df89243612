#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Boot a kernel for one or more rounds of storms, and print the results as TAP.
# usage: tests/storms/storm.sh FLAVOUR ROUND...
#
# A ROUND is the name of a storm (tests/storms/NAME.sh), or several, joined by +, that run at the
# same time.  SECONDS= is how long each round lasts (default 20), SEED= where its random numbers
# begin (default 1).
set -u

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
. tests/tap.sh
build=${B:-build}
# shellcheck disable=SC3028 # here it is a setting
seconds=${SECONDS:-20}
seed=${SEED:-1}

usage()
{
	[ $# -eq 0 ] || echo "storm.sh: $*" >&2
	echo "usage: tests/storms/storm.sh FLAVOUR ROUND...   (SECONDS=20 SEED=1)" >&2
	exit 2
}

[ $# -ge 2 ] || usage
flavour=$1
shift
for number in "$seconds" "$seed"; do
	case $number in
	'' | *[!0-9]* | ????????*) usage "SECONDS= and SEED= are whole numbers, not '$number'" ;;
	esac
done
[ "$seconds" -gt 0 ] || usage "SECONDS=0 is no time"
for round; do
	for name in $(echo "$round" | tr + ' '); do
		[ -f "$here/$name.sh" ] && [ "$name" != plan ] && [ "$name" != storm ] ||
			usage "there is no storm '$name'"
	done
done
kernel=${GUEST_KERNEL:-$build/kernel/${KERNEL:-6.12}/$flavour/obj/arch/x86/boot/bzImage}
config=${kernel%/arch/x86/boot/bzImage}/.config
out=$build/tests/storms/$flavour.$(echo "$*" | tr ' ' _ | cut -c 1-80)
rm -rf "$out"
mkdir -p "$out/payload/storms" || exit 2
echo "$seconds" >"$out/payload/seconds"
echo "$seed" >"$out/payload/seed"
for round; do
	echo "$round" | tr + ' '
done >"$out/payload/rounds"
for file in "$here"/*.sh; do
	case ${file##*/} in
	plan.sh | storm.sh) ;;
	*) cp "$file" "$out/payload/storms/" ;;
	esac
done
mem=2048 slow=1
if grep -q '^CONFIG_KASAN=y' "$config" 2>/dev/null; then
	mem=4096 slow=5
fi

set -- --kernel "$kernel" --plan "$here/plan.sh" --dev both --mem $mem --out "$out" \
	--timeout $((300 + slow * 60 + $# * slow * (2 * seconds + 90))) --silence 180 \
	--append 'rcupdate.rcu_cpu_stall_timeout=120 slab_nomerge'
for file in "$out"/payload/* "$build/tests/storms/storm" "$build/tests/guest/counts" \
	"$(command -v flock)"; do
	set -- "$@" --add "$file"
done
# judge_races: of the data races that KCSAN has seen, those in what we add are ours; a stock kernel has
# others, by the dozen.  Anything else that the kernel complains about counts as ever.
OURS='part_map|map_sector|map_tree|blk_account|bio_(start|end)_io_acct|part_stats|drain_part|unmap_part'
judge_races()
{
	awk '
		/BUG: KCSAN: / { inside = 1 }
		!inside { print }
		inside && /=====/ { inside = 0 }
	' "$out/console.log" >"$out/console.rest"
	guest/splats "$out/console.rest" && ! grep -E "BUG: KCSAN: .*($OURS)" "$out/console.log"
}

guest/run "$@" >&2
status=$?
if [ $status -eq 3 ] && grep -q "^CONFIG_KCSAN=y" "$config"; then
	judge_races >&2 && status=0
	echo "# $(grep -c "BUG: KCSAN: " "$out/console.log") data races seen, ours: $(grep -c -E "BUG: KCSAN: .*($OURS)" "$out/console.log")"
fi
take "$out/results/tap" || status=1
result $status "$flavour: the guest came to its end, and the kernel had no complaint"
done_testing
