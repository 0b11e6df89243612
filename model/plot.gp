# SPDX-License-Identifier: GPL-2.0
# gnuplot: what a lookup costs against partitions and against LUNs, from the columns that
# lookup-bench --dat writes. Set from outside: dat, base (without suffix), by (disks or
# parts), fixed (the value of the other one), title.

variants = "linear one-hit one-hit-ref bisect map direct"
x = by eq "parts" ? 5 : 4
other = by eq "parts" ? 4 : 5
rows(v) = sprintf("< awk '$1 == \"uniform\" && $2 == 1 && $3 == 0 && $%d == %d && $6 == \"%s\"' %s | sort -n -u -k %d,%d", \
	other, fixed, v, dat, x, x)

set title title
set xlabel by eq "parts" ? "partitions on each disk" : "disks (LUNs)"
set ylabel "ns per lookup: median of the runs"
set logscale xy
set grid xtics ytics
set key top left
if (by eq "parts") { set xrange [0.9:300] ; set xtics (1, 2, 4, 8, 15, 30, 60, 120, 255) }
if (by eq "disks") { set xrange [0.9:1200] ; set xtics (1, 3, 10, 30, 100, 300, 1000) }
set yrange [0.8:*]

do for [type in "png svg"] {
	if (type eq "png") { set terminal png size 1000,700 }
	if (type eq "svg") { set terminal svg size 1000,700 background rgb "white" }
	set output base.".".type
	plot for [v in variants] rows(v) using x:7 with linespoints lw 2 title v
}
