/* Images a running program hands over by pointer, and writing containers. The pointers come from compiled code that the
 * host's loader already trusts; their size is what the container's, the ELF file's or the text's own end says. */
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/format.h"

/* Whether memory starts with these bytes, none of them 0; reads no further than the first that differs. */
static bool starts_with(const void *memory, const char *magic) { return !strncmp(memory, magic, strlen(magic)); }

static lw_status image_span(const void *image, lw_span *out, lw_error *error)
{
    const uint8_t *p = image;
    if (starts_with(p, "\x50\xed\x55\xba")) {
        *out = lw_span_of(p, (size_t)lw_read_u16(p + 6) + (size_t)lw_read_u64(p + 8));
        return LW_OK;
    }
    if (starts_with(p, "\177ELF")) {
        *out = lw_span_of(p, (size_t)fatbin_elf_size_in_memory(p));
        return LW_OK;
    }
    *out = lw_span_of(p, strlen((const char *)p));
    if (fatbin_is_ptx_text(*out)) return LW_OK;
    *out = (lw_span){0};
    return lw_fail(error, LW_UNSUPPORTED, "an image that is neither a fatbin, PTX text nor an ELF file");
}

/* data and extra: the pointers of the wrapper, read without assuming its alignment. */
static lw_status open_wrapper(const struct fatbin_wrapper *w, lw_arena *arena, struct fatbin_memory *out,
                              lw_error *error)
{
    if (w->version != 1 && w->version != 2)
        return lw_fail(error, LW_UNSUPPORTED, "fatbin wrapper of version %u (1 and 2 are known)", w->version);
    if (!w->data) return lw_fail(error, LW_CORRUPT, "fatbin wrapper without data");
    const void *const *units = w->version == 2 ? w->extra : NULL;
    size_t count = 0;
    while (units && units[count]) count++;
    out->images = LW_NEW_ARRAY(arena, lw_span, LW_MAX(count, (size_t)1));
    if (!count) {
        out->count = 1;
        return image_span(w->data, &out->images[0], error);
    }
    LW_TRY(image_span(w->data, &out->linked, error));
    for (size_t i = 0; i < count; i++) LW_TRY(image_span(units[i], &out->images[i], error));
    out->count = count;
    return LW_OK;
}

lw_status fatbin_from_memory(const void *image, lw_arena *arena, struct fatbin_memory *out, lw_error *error)
{
    struct fatbin_wrapper wrapper;
    *out = (struct fatbin_memory){0};
    if (!image) return lw_fail(error, LW_INVALID_ARGUMENT, "an image at address 0");
    if (starts_with(image, "\xb1\x43\x62\x46")) {
        memcpy(&wrapper, image, sizeof wrapper);
        return open_wrapper(&wrapper, arena, out, error);
    }
    out->images = LW_NEW(arena, lw_span);
    out->count = 1;
    return image_span(image, out->images, error);
}

/* ---- writing ---- */
static void put_u16(uint8_t *p, uint64_t x)
{
    uint16_t v = (uint16_t)x;
    memcpy(p, &v, sizeof v);
}

static void put_u32(uint8_t *p, uint64_t x)
{
    uint32_t v = (uint32_t)x;
    memcpy(p, &v, sizeof v);
}

static void put_u64(uint8_t *p, uint64_t x) { memcpy(p, &x, sizeof x); }

static bool writable(const struct fatbin_entry *e)
{
    bool packed = e->flags & (FATBIN_FLAG_ZSTD | FATBIN_FLAG_LZ4);
    return (e->kind == FATBIN_PTX || e->kind == FATBIN_ELF) &&
           (!e->arch_suffix || e->arch_suffix == 'a' || e->arch_suffix == 'f') && e->stored.size <= FATBIN_MAX_SIZE &&
           e->uncompressed_size <= FATBIN_MAX_SIZE && packed == (e->uncompressed_size != 0) &&
           e->file_name.size < 1u << 20 && e->options.size < 1u << 20 && e->ptx_major <= UINT16_MAX &&
           e->ptx_minor <= UINT16_MAX;
}

static void append_padded(lw_text *out, lw_span bytes, size_t size)
{
    static const char zeros[16];
    if (bytes.size) lw_text_append(out, (const char *)bytes.data, bytes.size);
    lw_text_append(out, zeros, size - bytes.size); /* at most 8: sizes are rounded up to 8, or one NUL and then to 8 */
}

/* Header: 64 fixed bytes, the file name, the options record {offset, size}, the options. */
static void write_entry(const struct fatbin_entry *e, lw_text *out)
{
    bool packed = e->flags & (FATBIN_FLAG_ZSTD | FATBIN_FLAG_LZ4);
    uint64_t name_size = lw_round_up(e->file_name.size, 8), options_size = lw_round_up(e->options.size, 8);
    uint64_t record = FATBIN_ENTRY_HEADER + name_size, header_size = record + 8 + options_size;
    /* plain text needs its NUL inside the payload */
    uint64_t stored = lw_round_up(e->stored.size + (!packed && e->kind == FATBIN_PTX), 8);
    uint64_t flags = e->flags | FATBIN_FLAG_64BIT | FATBIN_FLAG_LINUX;
    flags |= e->arch_suffix == 'a' ? FATBIN_FLAG_ARCH : e->arch_suffix == 'f' ? FATBIN_FLAG_FAMILY : 0;
    uint8_t h[FATBIN_ENTRY_HEADER] = {0}, options[8];
    put_u16(h + FATBIN_AT_KIND, e->kind == FATBIN_PTX ? FATBIN_RAW_PTX : FATBIN_RAW_ELF);
    put_u16(h + FATBIN_AT_TWO, 0x0101);
    put_u32(h + FATBIN_AT_HEADER_SIZE, header_size);
    put_u64(h + FATBIN_AT_STORED, stored);
    put_u32(h + FATBIN_AT_COMPRESSED, packed ? e->stored.size : 0);
    put_u32(h + FATBIN_AT_OPTIONS, record);
    put_u16(h + FATBIN_AT_MINOR, e->ptx_minor);
    put_u16(h + FATBIN_AT_MAJOR, e->ptx_major);
    put_u32(h + FATBIN_AT_SM, e->sm);
    put_u32(h + FATBIN_AT_NAME, e->file_name.size ? FATBIN_ENTRY_HEADER : 0);
    put_u32(h + FATBIN_AT_NAME_SIZE, e->file_name.size);
    put_u64(h + FATBIN_AT_FLAGS, flags);
    put_u64(h + FATBIN_AT_UNCOMPRESSED, e->uncompressed_size);
    put_u32(options, record + 8);
    put_u32(options + 4, e->options.size);
    lw_text_append(out, (const char *)h, sizeof h);
    append_padded(out, e->file_name, name_size);
    lw_text_append(out, (const char *)options, sizeof options);
    append_padded(out, e->options, options_size);
    append_padded(out, e->stored, stored);
}

lw_status fatbin_write(const struct fatbin_entry *entries, size_t count, lw_text *out, lw_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (!writable(&entries[i]))
            return lw_fail(error, LW_INVALID_ARGUMENT, "fatbin: entry %zu cannot be written to a container", i);
    size_t start = out->size;
    uint8_t header[FATBIN_HEADER] = {0};
    put_u32(header, FATBIN_MAGIC);
    put_u16(header + 4, 1);
    put_u16(header + 6, FATBIN_HEADER);
    lw_text_append(out, (const char *)header, sizeof header);
    for (size_t i = 0; i < count; i++) write_entry(&entries[i], out);
    put_u64((uint8_t *)out->data + start + 8, out->size - start - FATBIN_HEADER);
    return LW_OK;
}
