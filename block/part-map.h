/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sector-to-partition map of a disk; see part-map.c.
 */
#ifndef BLOCK_PART_MAP_H
#define BLOCK_PART_MAP_H

#include "part-map-type.h"

struct map_part *disk_map_sector_rcu(struct gendisk *disk, sector_t sector);
int part_map_update(struct gendisk *disk);
void part_map_free(struct gendisk *disk);

#endif /* BLOCK_PART_MAP_H */
