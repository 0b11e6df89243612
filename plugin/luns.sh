# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# shellcheck disable=SC1091,SC2154 # what is sourced is in the guest
#
# One job on any number of LUNs, as it runs in the guest (guest/run --dev none --plan). The names below
# /dev/ps are made for 30 LUNs, so this plan makes its own. Comes with /payload/params.sh:
#
#	luns		how many LUNs the kernel was told to make
#	kernel		name of this kernel
#	job		a job file with one section and a filename= in it
#	ios, base_ios	I/Os of the run and of the base run
#	seed		seed of the job

. /lib/partstats.sh
. /payload/params.sh

set -u
dir=/dev/ps/all
parts=15

disks()
{
	ls -d /sys/block/sd* 2>/dev/null
}

# They are probed in the background.
tries=600
while [ "$(disks | wc -l)" -lt "$luns" ]; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || die "$(disks | wc -l) LUNs have appeared, want $luns"
	sleep 0.1
done
log "$luns LUNs: partitions"
# All LUNs share one store: a table written through one is there on all of them.
sfdisk -q --no-reread --no-tell-kernel /dev/sda </lib/gpt.sfdisk || die "no partition table could be written"
mkdir -p $dir
n=0
for disk in $(disks); do
	name=${disk##*/}
	[ -e "$disk/${name}1" ] || blockdev --rereadpt "/dev/$name" || die "$name: no partitions"
	p=1
	while [ $p -le $parts ]; do
		ln -s "/dev/$name$p" $dir/$n
		n=$((n + 1))
		p=$((p + 1))
	done
done
set -- /sys/block/sd*/sd*[0-9]
if [ $# -ne $n ] || [ $n -ne $((luns * parts)) ]; then
	die "$# partitions, want $((luns * parts))"
fi

# A list of thousands would be cut by fio: it makes the names itself, from numbers.
sed "s|^filename=.*|directory=$dir\\nnrfiles=$n\\nfilename_format=\$filenum|" "/fio-jobs/$job.fio" >/tmp/job.fio
# shellcheck disable=SC3045 # the shell is busybox
ulimit -n $((n + 100)) || die "no $n files can be open"

export PARTSTATS_BS=4k PARTSTATS_DEPTH=32 PARTSTATS_PROCS=1 PARTSTATS_RUNTIME=0
export PARTSTATS_SEED="$seed" PARTSTATS_IOS

# fio_run NAME IOS
fio_run()
{
	at_rest || die "$1: requests in flight before the run"
	sync
	sleep 8
	PARTSTATS_IOS=$2
	agent measure "/results/$1.stat.json" -- fio --output-format=json \
		--output="/results/$1.fio.json" --eta=never /tmp/job.fio || die "$1: fio failed"
}

log "$luns LUNs: $job on $n partitions"
fio_run warm-up $((2 * base_ios))
fio_run base "$base_ios"
fio_run run "$ios"

cat >/results/plan.json <<END
{"kernel":"$kernel","release":"$(uname -r)","seed":$seed,
"geometry":{"luns":$luns,"partitions":$n},
"runs":[{"job":"$job","setting":"$kernel","pass":1,"run":"run","ios":$ios,"measurement":3,
"base":"base","base_ios":$base_ios,"base_measurement":2}]}
END
