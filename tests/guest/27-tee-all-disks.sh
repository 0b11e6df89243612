# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Guards: what benchmark scripts begin with, 0 to the iostats of all disks at once, works on every kind
# there is here: sd on virtio-scsi and on scsi_debug, null_blk, loop, dm-linear over a partition, md,
# zram.  Nothing counts then; back at 1 everything counts again.  The same with part_stats, which
# bio-based disks refuse to set to 2 while the others take it.
# kernels: patched

. "$(dirname "$0")/lib.sh"

head -c 1048576 /dev/zero >/tmp/loop
must losetup /dev/loop0 /tmp/loop
must linear_up t27 "$(part_path det 27 6)" 8192
linear=$(dm_node t27)
must mirror_up 27 "$(part_path det 28 6)" "$(part_path det 29 6)" 4096
must addpart /dev/md27 1 1024 2048
must zram_up 8

under=$(disk_path det 27)
underpart=$(part_path det 27 6)
kinds="/dev/nullb0 /dev/loop0 /dev/zram0 $linear /dev/md27 /dev/md27p1
	$(disk_path det 0) $(part_path det 1 1) $(disk_path real 0) $(part_path real 1 1)"
MOVES=reads=3,read_sectors=24,writes=2,write_sectors=16

# everywhere: I/O to each of them
everywhere()
{
	for dev in $kinds; do
		must issue "$dev" read:64+8x3 write:96+8x2
	done
}

# shown TOGGLE: the different values of all disks
shown()
{
	sort -u /sys/block/*/queue/"$1" | tr '\n' ' '
}

try "0 to all iostats" sh -c 'echo 0 | tee /sys/block/*/queue/iostats >/dev/null'
is "$(shown iostats)" '0 ' "all show 0"
begin
everywhere
must issue /dev/zram0 discard:0+8
for dev in "$(disk_path det 0)" "$(disk_path real 0)" "$(part_path real 1 1)" /dev/loop0; do
	must issue "$dev" flush
done
counted "nothing counts on any disk"

try "1 to all iostats" sh -c 'echo 1 | tee /sys/block/*/queue/iostats >/dev/null'
is "$(shown iostats)" '1 ' "all show 1"
must set_toggle iostats 0 "$(disk_path det 28)" "$(disk_path det 29)"
begin
everywhere
counted "each counts again" /dev/nullb0:$MOVES /dev/loop0:$MOVES /dev/zram0:$MOVES \
	"$linear:$MOVES" "$under:$MOVES" "$underpart:$MOVES" \
	/dev/md27:$MOVES /dev/md27:$MOVES "$(issued "/dev/md27p1:$MOVES")" \
	"$(disk_path det 0):$MOVES" "$(disk_path real 0):$MOVES" \
	"$(disk_path det 1):$MOVES" "$(part_path det 1 1):$MOVES" \
	"$(disk_path real 1):$MOVES" "$(part_path real 1 1):$MOVES"

try "0 to all part_stats" sh -c 'echo 0 | tee /sys/block/*/queue/part_stats >/dev/null'
is "$(shown part_stats)" '0 ' "all show 0"
begin
everywhere
counted "no partition counts" /dev/nullb0:$MOVES /dev/loop0:$MOVES /dev/zram0:$MOVES \
	"$linear:$MOVES" "$under:$MOVES" /dev/md27:$MOVES /dev/md27:$MOVES \
	"$(disk_path det 0):$MOVES" "$(disk_path real 0):$MOVES" \
	"$(disk_path det 1):$MOVES" "$(disk_path real 1):$MOVES"

echo 2 | tee /sys/block/*/queue/part_stats >/dev/null 2>&1
wrong=
for disk in /sys/block/*; do
	case "${disk##*/}" in
	dm-* | md* | zram*) expected=0 ;;
	*) expected=$((BY_SECTOR ? 0 : 2)) ;;
	esac
	[ "$(cat "$disk/queue/part_stats")" = $expected ] || wrong="$wrong ${disk##*/}"
done
is "$wrong" '' "2 to all part_stats: taken by all but the bio-based, and on 5.10 by none"
echo 1 | tee /sys/block/*/queue/part_stats >/dev/null
echo 1 | tee /sys/block/*/queue/iostats >/dev/null
is "$(shown part_stats)$(shown iostats)" '1 1 ' "1 to all of both"

must zram_down
must mirror_down 27
must dm_down t27
must losetup -d /dev/loop0
tap_done 11
