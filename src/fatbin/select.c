/* Choosing an image for a device, and unpacking it.
 *
 * PTX is forward compatible: a driver compiles it for its device if it is not newer. Suffix 'a' (sm_90a) binds it to
 * one architecture; suffix 'f' (PTX ISA 8.8, sm_100 and later) to a family: the same major and no smaller minor number
 * (100f: 10.0 and 10.3; 103f: 10.3; 110f: 11.0; 120f: 12.0 and 12.1; 121f: 12.1), where 10.1 was a family of its own
 * before it was renamed 11.0. Machine code runs on its major with no smaller minor number. Source: CUDA C++ Programming
 * Guide, section "Compute Capabilities"; PTX ISA, directive .target.
 *
 * Payloads: plain; ZSTD (frames; the default of CUDA 13.0 for PTX); LZ4 (one raw block; the default before). */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "fatbin/format.h"

static bool family_fits(uint32_t image, uint32_t device)
{
    if (image == 101 || device == 101) return image == device;
    return image / 10 == device / 10 && image <= device;
}

bool fatbin_ptx_fits(const struct fatbin_entry *e, uint32_t sm, bool arch_features)
{
    if (e->kind != FATBIN_PTX) return false;
    if (e->arch_suffix == 'a') return arch_features && e->sm == sm;
    if (e->arch_suffix == 'f') return arch_features && family_fits(e->sm, sm);
    return e->sm <= sm;
}

bool fatbin_cubin_fits(const struct fatbin_entry *e, uint32_t sm, bool arch_features)
{
    if (e->kind != FATBIN_ELF || !e->sm) return false;
    if (e->arch_suffix == 'a') return arch_features && e->sm == sm;
    return (!e->arch_suffix || arch_features) && family_fits(e->sm, sm);
}

static int specificity(const struct fatbin_entry *e) { return e->arch_suffix == 'a' ? 2 : e->arch_suffix == 'f'; }

bool fatbin_better(const struct fatbin_entry *e, const struct fatbin_entry *than)
{
    return e->sm != than->sm ? e->sm > than->sm : specificity(e) > specificity(than);
}

/* ---- saying what there is ---- */
enum { MOST_DESCRIBED = 32 };

/* Different images, in order, into seen[]; how many. */
static size_t distinct(const struct fatbin_entry *entries, size_t count,
                       const struct fatbin_entry *seen[MOST_DESCRIBED])
{
    size_t n = 0;
    for (size_t i = 0; i < count && n < MOST_DESCRIBED; i++) {
        const struct fatbin_entry *e = &entries[i];
        size_t k = 0;
        while (k < n && (seen[k]->kind != e->kind || seen[k]->sm != e->sm || seen[k]->arch_suffix != e->arch_suffix))
            k++;
        if (k == n) seen[n++] = e;
    }
    return n;
}

void fatbin_describe(const struct fatbin_entry *entries, size_t count, lw_text *out)
{
    static const struct {
        enum fatbin_kind kind;
        const char *what, *prefix;
    } kinds[] = {
        {FATBIN_PTX, "PTX", "compute_"}, {FATBIN_ELF, "machine code", "sm_"}, {FATBIN_OTHER, "unknown code", "sm_"}};
    const struct fatbin_entry *seen[MOST_DESCRIBED];
    size_t n = distinct(entries, count, seen), told = 0;
    for (size_t k = 0; k < LW_COUNT(kinds); k++)
        for (size_t i = 0, of_kind = 0; i < n; i++) {
            if (seen[i]->kind != kinds[k].kind) continue;
            if (of_kind++) lw_text_add(out, ", ");
            else lw_text_add(out, "%s%s for ", told ? "; " : "", kinds[k].what);
            lw_text_add(out, "%s%u", kinds[k].prefix, seen[i]->sm);
            if (seen[i]->arch_suffix) lw_text_append(out, &seen[i]->arch_suffix, 1);
            told++;
        }
    if (!told) lw_text_add(out, "no image");
}

/* ---- unpacking ---- */
static lw_status bad_payload(const struct fatbin_entry *e, lw_error *error, const char *what)
{
    return lw_fail(error, LW_CORRUPT, "fatbin: entry at offset %llu: %s (%zu bytes stored, %llu stated uncompressed)",
                   (unsigned long long)e->offset, what, e->stored.size, (unsigned long long)e->uncompressed_size);
}

/* Neither format can grow a byte into more than this, so a larger claim is refused before memory is taken for it. */
static uint64_t largest_growth(const struct fatbin_entry *e)
{
    /* ZSTD: a run of 128 KiB takes a block of 4 bytes. LZ4: a byte of length says 255. */
    return e->flags & FATBIN_FLAG_ZSTD ? (e->stored.size + 8) * 65536 : (e->stored.size + 1) * 255;
}

static lw_status decompress(const struct fatbin_entry *e, uint8_t *data, lw_error *error)
{
    size_t size = (size_t)e->uncompressed_size;
    if (e->flags & FATBIN_FLAG_ZSTD) {
        size_t n = ZSTD_decompress(data, size, e->stored.data, e->stored.size);
        if (ZSTD_isError(n)) return bad_payload(e, error, ZSTD_getErrorName(n));
        return n == size ? LW_OK : bad_payload(e, error, "ZSTD data of another size than stated");
    }
    /* both sizes are at most FATBIN_MAX_SIZE here, so they fit an int */
    int n = LZ4_decompress_safe((const char *)e->stored.data, (char *)data, (int)e->stored.size, (int)size);
    if (n < 0) return bad_payload(e, error, "broken LZ4 data");
    return (size_t)n == size ? LW_OK : bad_payload(e, error, "LZ4 data of another size than stated");
}

lw_status fatbin_unpack(const struct fatbin_entry *e, lw_arena *arena, lw_span *out, lw_error *error)
{
    bool packed = e->flags & (FATBIN_FLAG_ZSTD | FATBIN_FLAG_LZ4);
    uint64_t size = packed ? e->uncompressed_size : e->stored.size;
    *out = (lw_span){0};
    if (size > FATBIN_MAX_SIZE || e->stored.size > FATBIN_MAX_SIZE)
        return lw_fail(error, LW_LIMIT, "fatbin: entry at offset %llu: an image of %llu bytes (at most %llu are taken)",
                       (unsigned long long)e->offset, (unsigned long long)size, (unsigned long long)FATBIN_MAX_SIZE);
    if (packed && size > largest_growth(e)) return bad_payload(e, error, "more than the data can hold");
    /* the arena ends the process when memory is short, so ask first; volatile, or the compiler drops the pair */
    void *volatile probe = malloc((size_t)size + 1);
    if (!probe)
        return lw_fail(error, LW_NO_MEMORY, "fatbin: no memory for an image of %llu bytes", (unsigned long long)size);
    free(probe);
    uint8_t *data = lw_arena_alloc(arena, (size_t)size + 1); /* and a NUL */
    if (packed) LW_TRY(decompress(e, data, error));
    else if (size) memcpy(data, e->stored.data, (size_t)size);
    if (e->kind == FATBIN_PTX)
        while (size && !data[size - 1]) size--;
    *out = (lw_span){data, (size_t)size};
    return LW_OK;
}

/* ---- choosing ---- */
static lw_status no_ptx(const fatbin_entries *entries, uint32_t sm, lw_error *error)
{
    lw_text images = {0};
    bool any = false;
    for (size_t i = 0; i < entries->count; i++) any |= entries->items[i].kind == FATBIN_PTX;
    fatbin_describe(entries->items, entries->count, &images);
    lw_fail(error, LW_NO_PTX,
            "%s PTX for a device of compute capability %u.%u; there is %s%s. Rebuild with e.g. "
            "NVCC_APPEND_FLAGS='-gencode arch=compute_%u,code=compute_%u'",
            any ? "no fitting" : "no", sm / 10, sm % 10, any || !entries->count ? "" : "only ", images.data, sm, sm);
    lw_text_free(&images);
    return LW_NO_PTX;
}

lw_status fatbin_select_ptx(lw_span bytes, uint32_t sm, bool arch_features, lw_arena *arena, lw_span *text,
                            struct fatbin_entry *chosen, lw_error *error)
{
    fatbin_entries entries = {0};
    const struct fatbin_entry *best = NULL;
    *text = (lw_span){0};
    lw_status status = fatbin_walk(bytes, &entries, error);
    for (size_t i = 0; status == LW_OK && i < entries.count; i++) {
        const struct fatbin_entry *e = &entries.items[i];
        if (fatbin_ptx_fits(e, sm, arch_features) && (!best || fatbin_better(e, best))) best = e;
    }
    if (status == LW_OK) status = best ? fatbin_unpack(best, arena, text, error) : no_ptx(&entries, sm, error);
    if (status == LW_OK && chosen) *chosen = *best;
    lw_vec_free(&entries);
    return status;
}
