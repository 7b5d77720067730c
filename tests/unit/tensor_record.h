/* tensor_record.h: what cards gave for products of tensor cores: the folders of tests/hw/tensor. */
#ifndef LW_TESTS_TENSOR_RECORD_H
#define LW_TESTS_TENSOR_RECORD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/base.h"

/* A folder of tests/hw/tensor: sums of D by operation and set, in the order of results.csv. */
typedef struct record {
    const char *folder;
    uint32_t *hashes, count;
    char *table;
} record;

static char *read_whole(const char *folder, const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/hw/tensor/%s/%s", getenv("LW_TESTS_DIR"), folder, name);
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) return NULL;
    *size = (size_t)ftell(f);
    rewind(f);
    char *out = lw_alloc(*size + 1);
    if (fread(out, 1, *size, f) != *size) *size = 0;
    fclose(f);
    return out;
}

static bool read_record(const char *folder, record *r)
{
    size_t size = 0;
    char *packed = read_whole(folder, "hashes.bin.zst", &size);
    size_t table;
    if (!packed) return false;
    unsigned long long bytes = ZSTD_getFrameContentSize(packed, size);
    if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN) bytes = UINT64_C(16) << 20;
    *r = (record){.folder = folder, .hashes = lw_alloc(bytes), .table = read_whole(folder, "results.csv", &table)};
    size = ZSTD_decompress(r->hashes, bytes, packed, size);
    free(packed);
    r->count = ZSTD_isError(size) ? 0 : (uint32_t)(size / 4);
    return r->count && r->table;
}

/* Where the sets of an operation begin; -1: it was not recorded. */
static long first_hash(const record *r, int id, int *sets)
{
    long at = 0;
    for (const char *line = strchr(r->table, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        int number, count;
        if (sscanf(line + 1, "%d,%*[^,],%*d,%*d,%*d,%d", &number, &count) != 2) break;
        if (number == id) {
            *sets = count;
            return at;
        }
        at += count;
    }
    return -1;
}

#endif
