/* Runs every file named, and every file below every folder named, through LLVMFuzzerTestOneInput: a fuzz target linked
 * with this file instead of libFuzzer replays its corpus with any compiler. Prints "N files, N bytes"; fails if there
 * was no file or one could not be read. */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long file_count, byte_count, failure_count;

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && !fseek(f, 0, SEEK_END)) size = ftell(f);
    /* exactly size bytes, so that a sanitizer sees a read past the end */
    uint8_t *data = size >= 0 ? malloc(size ? (size_t)size : 1) : NULL;
    if (data) rewind(f);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        failure_count++;
    } else {
        LLVMFuzzerTestOneInput(data, (size_t)size);
        file_count++;
        byte_count += (unsigned long)size;
    }
    free(data);
    if (f) fclose(f);
}

static int visit(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)ftw;
    if (kind == FTW_F) replay_file(path);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], visit, 16, FTW_PHYS)) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            failure_count++;
        }
    printf("%lu files, %lu bytes\n", file_count, byte_count);
    return failure_count || !file_count;
}
