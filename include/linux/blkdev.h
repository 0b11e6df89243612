/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Userspace stand-in: as much of disks, partitions and queues as block/ and the
 * model use.  Members that a lookup reads share cache lines as in the kernel.
 */
#ifndef STANDIN_LINUX_BLKDEV_H
#define STANDIN_LINUX_BLKDEV_H

#include <linux/cache.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

#define SECTOR_SHIFT   9
#define SECTOR_SIZE    (1 << SECTOR_SHIFT)
#define DISK_MAX_PARTS 256

struct gendisk;
struct part_map;
struct request_queue;

/* A partition, or the whole disk (number 0). */
struct block_device {
	sector_t bd_start_sect;
	sector_t bd_nr_sectors;
	struct gendisk *bd_disk;
	struct request_queue *bd_queue;
	u8 bd_partno;
	/* In the kernel an inode and a struct device follow: no two partitions share a line. */
	char bd_rest[1024] ____cacheline_aligned;
} ____cacheline_aligned;

/* Counting at all; and counting on partitions, at all and for I/O to the whole disk. */
#define QUEUE_FLAG_IO_STAT	   0
#define QUEUE_FLAG_PART_STAT	   1
#define QUEUE_FLAG_PART_STAT_WHOLE 2

struct request_queue {
	unsigned long queue_flags;
	struct gendisk *disk;
};

#define blk_queue_io_stat(q)   (!!(READ_ONCE((q)->queue_flags) & (1UL << QUEUE_FLAG_IO_STAT)))
#define blk_queue_part_stat(q) (!!(READ_ONCE((q)->queue_flags) & (1UL << QUEUE_FLAG_PART_STAT)))

struct gendisk {
	int minors;
	char disk_name[32];
	struct block_device *part0;
	struct part_map __rcu *part_map;
	void *model[16]; /* what the other lookups of the model keep here */
	struct request_queue *queue;
	void *private_data;
	struct mutex open_mutex;
	struct xarray part_tbl;
} ____cacheline_aligned;

static inline sector_t bdev_nr_sectors(struct block_device *bdev)
{
	return READ_ONCE(bdev->bd_nr_sectors);
}

static inline u8 bdev_partno(const struct block_device *bdev)
{
	return bdev->bd_partno;
}

static inline bool bdev_is_partition(const struct block_device *bdev)
{
	return bdev_partno(bdev) != 0;
}

static inline void bdev_set_nr_sectors(struct block_device *bdev, sector_t sectors)
{
	WRITE_ONCE(bdev->bd_nr_sectors, sectors);
}

#endif
