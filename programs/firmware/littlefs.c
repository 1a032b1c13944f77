/* Files in a file system on a flash memory of 64 blocks */
#include "lfs.h"
#include <stdio.h>
#include <string.h>

static unsigned char flash[64][512];

static int read(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, void *to, lfs_size_t bytes)
{
    (void)c;
    memcpy(to, &flash[block][at], bytes);
    return 0;
}

static int prog(const struct lfs_config *c, lfs_block_t block, lfs_off_t at, const void *from, lfs_size_t bytes)
{
    (void)c;
    memcpy(&flash[block][at], from, bytes);
    return 0;
}

static int erase(const struct lfs_config *c, lfs_block_t block)
{
    (void)c;
    memset(flash[block], 0xff, sizeof flash[block]);
    return 0;
}

static int sync(const struct lfs_config *c)
{
    (void)c;
    return 0;
}

static const struct lfs_config config = {.read = read, .prog = prog, .erase = erase, .sync = sync, .read_size = 16,
    .prog_size = 16, .block_size = 512, .block_count = 64, .block_cycles = 100, .cache_size = 64, .lookahead_size = 16};

int main(void)
{
    static lfs_t lfs;
    lfs_file_t file;
    char name[16], data[64];
    int good = 1;
    lfs_format(&lfs, &config);
    lfs_mount(&lfs, &config);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "file%d", i);
        memset(data, i, sizeof data);
        good &= lfs_file_open(&lfs, &file, name, LFS_O_RDWR | LFS_O_CREAT) == 0;
        for (int k = 0; k <= i; k++)
            lfs_file_write(&lfs, &file, data, sizeof data);
        lfs_file_close(&lfs, &file);
    }
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "file%d", i);
        if (i % 3 == 0) {
            lfs_remove(&lfs, name);
            continue;
        }
        good &= lfs_file_open(&lfs, &file, name, LFS_O_RDONLY) == 0;
        good &= lfs_file_size(&lfs, &file) == 64 * (i + 1);
        lfs_file_read(&lfs, &file, data, sizeof data);
        good &= data[63] == i;
        lfs_file_close(&lfs, &file);
    }
    return !good;
}
