/* Fatbin containers and what carries them, entry by entry.
 *
 * Container, little endian (measured with CUDA 13.0): u32 magic 0xBA55ED50, u16 version 1, u16 header size (16), u64
 * bytes that follow; then entries back to back, each a header of its own stated size (64 bytes and more) and a payload
 * padded to 8. An entry's header, offsets from its start:
 *    +0 u16 kind (1 PTX, 2 ELF)            +4 u32 header size         +8 u64 payload bytes with padding
 *   +16 u32 compressed bytes, 0 = plain   +20 u32 offset of {u32 offset, u32 size} of the options
 *   +24 u16 minor, +26 u16 major          +28 u32 SM number          +32 u32 offset, +36 u32 size of the file name
 *   +40 u64 flags                         +56 u64 uncompressed size, 0 = plain
 *
 * Sections hold several containers with zeros between; clang may put NUL-terminated PTX text in a container's place.
 * Limits: kinds other than PTX and ELF are listed, not understood. */
#include "fatbin/fatbin.h"

#include <elf.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/format.h"

struct walk {
    lw_span bytes; /* what the caller gave; offsets count from here */
    fatbin_visit visit;
    void *user;
    uint32_t container;
    bool stopped;
    lw_error *error;
};

static void emit(struct walk *w, const struct fatbin_entry *entry)
{
    if (!w->stopped) w->stopped = !w->visit(entry, w->user);
}

static lw_status corrupt(struct walk *w, uint64_t offset, const char *what)
{
    return lw_fail(w->error, LW_CORRUPT, "fatbin: %s at offset %llu of %zu bytes", what, (unsigned long long)offset,
                   w->bytes.size);
}

/* File name and options lie inside the entry's header; they are words about it, but broken ones are broken input. */
static bool read_texts(lw_span header, struct fatbin_entry *e)
{
    uint32_t options = lw_read_u32(header.data + FATBIN_AT_OPTIONS);
    lw_span record;
    if (!lw_span_slice(header, lw_read_u32(header.data + FATBIN_AT_NAME),
                       lw_read_u32(header.data + FATBIN_AT_NAME_SIZE), &e->file_name))
        return false;
    if (!options) return true;
    return lw_span_slice(header, options, 8, &record) &&
           lw_span_slice(header, lw_read_u32(record.data), lw_read_u32(record.data + 4), &e->options);
}

static enum fatbin_kind kind_of(uint16_t raw)
{
    return raw == FATBIN_RAW_PTX ? FATBIN_PTX : raw == FATBIN_RAW_ELF ? FATBIN_ELF : FATBIN_OTHER;
}

/* One entry at offset of w->bytes, inside end; *next is where the following one starts. */
static lw_status walk_entry(struct walk *w, uint64_t offset, uint64_t end, uint64_t *next)
{
    lw_span rest, header, payload;
    lw_span_slice(w->bytes, offset, end - offset, &rest);
    if (rest.size < FATBIN_ENTRY_HEADER) return corrupt(w, offset, "entry header cut off");
    uint32_t header_size = lw_read_u32(rest.data + FATBIN_AT_HEADER_SIZE);
    uint64_t stored = lw_read_u64(rest.data + FATBIN_AT_STORED);
    if (header_size < FATBIN_ENTRY_HEADER || !lw_span_slice(rest, 0, header_size, &header))
        return corrupt(w, offset, "impossible size of an entry header");
    if (!lw_span_slice(rest, header_size, stored, &payload))
        return corrupt(w, offset, "an entry larger than its container");

    uint64_t flags = lw_read_u64(rest.data + FATBIN_AT_FLAGS);
    struct fatbin_entry e = {.kind = kind_of(lw_read_u16(rest.data)),
                             .sm = lw_read_u32(rest.data + FATBIN_AT_SM),
                             .flags = flags,
                             .stored = payload,
                             .offset = offset,
                             .container = w->container};
    e.arch_suffix = flags & FATBIN_FLAG_ARCH ? 'a' : flags & FATBIN_FLAG_FAMILY ? 'f' : 0;
    if (e.kind == FATBIN_PTX) {
        e.ptx_minor = lw_read_u16(rest.data + FATBIN_AT_MINOR);
        e.ptx_major = lw_read_u16(rest.data + FATBIN_AT_MAJOR);
    }
    if (!read_texts(header, &e)) return corrupt(w, offset, "file name or options outside the entry header");
    if (flags & (FATBIN_FLAG_LZ4 | FATBIN_FLAG_ZSTD)) {
        uint32_t compressed = lw_read_u32(rest.data + FATBIN_AT_COMPRESSED);
        e.uncompressed_size = lw_read_u64(rest.data + FATBIN_AT_UNCOMPRESSED);
        if (!lw_span_slice(payload, 0, compressed ? compressed : stored, &e.stored))
            return corrupt(w, offset, "a compressed size larger than the entry");
    }
    emit(w, &e);
    *next = offset + header_size + stored;
    return LW_OK;
}

static lw_status walk_container(struct walk *w, uint64_t offset, uint64_t end, uint64_t *next)
{
    lw_span header;
    if (end - offset < FATBIN_HEADER) return corrupt(w, offset, "container header cut off");
    lw_span_slice(w->bytes, offset, FATBIN_HEADER, &header);
    uint32_t version = lw_read_u16(header.data + 4), header_size = lw_read_u16(header.data + 6);
    uint64_t size = lw_read_u64(header.data + 8);
    if (version != 1)
        return lw_fail(w->error, LW_UNSUPPORTED, "fatbin: container version %u at offset %llu is not known (1 is)",
                       version, (unsigned long long)offset);
    if (header_size < FATBIN_HEADER || header_size > end - offset || size > end - offset - header_size)
        return corrupt(w, offset, "a container larger than what holds it");
    *next = offset + header_size + size;
    for (uint64_t at = offset + header_size; at < *next && !w->stopped;) LW_TRY(walk_entry(w, at, *next, &at));
    w->container++;
    return LW_OK;
}

/* Bare PTX text up to its NUL. */
static void walk_text(struct walk *w, uint64_t offset, uint64_t end, uint64_t *next)
{
    const uint8_t *text = w->bytes.data + offset, *nul = memchr(text, 0, end - offset);
    uint64_t size = nul ? (uint64_t)(nul - text) : end - offset;
    struct fatbin_entry e = {.kind = FATBIN_PTX,
                             .flags = FATBIN_FLAG_64BIT,
                             .stored = {text, size},
                             .offset = offset,
                             .container = w->container++};
    fatbin_scan_ptx(e.stored, &e);
    emit(w, &e);
    *next = offset + size;
}

/* Containers and texts one after another, zeros between. */
static lw_status walk_sequence(struct walk *w, uint64_t offset, uint64_t size)
{
    uint64_t end = offset + size;
    while (offset < end && !w->stopped) {
        lw_span rest;
        lw_span_slice(w->bytes, offset, end - offset, &rest);
        if (!rest.data[0]) offset++;
        else if (rest.size >= 4 && lw_read_u32(rest.data) == FATBIN_MAGIC)
            LW_TRY(walk_container(w, offset, end, &offset));
        else if (fatbin_is_ptx_text(rest)) walk_text(w, offset, end, &offset);
        else return corrupt(w, offset, "neither a container nor PTX text");
    }
    return LW_OK;
}

static void walk_cubin(struct walk *w)
{
    struct fatbin_entry e = {.kind = FATBIN_ELF, .sm = fatbin_cubin_sm(w->bytes), .stored = w->bytes};
    e.flags = FATBIN_FLAG_64BIT;
    emit(w, &e);
}

static lw_status walk_elf(struct walk *w)
{
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin"};
    struct fatbin_elf elf;
    struct fatbin_elf_section s;
    LW_TRY(fatbin_elf_open(w->bytes, &elf, w->error));
    if (elf.machine == FATBIN_ELF_EM_CUDA) {
        walk_cubin(w);
        return LW_OK;
    }
    for (size_t n = 0; n < LW_COUNT(names); n++)
        for (uint32_t i = 0; fatbin_elf_find(&elf, names[n], &i, &s);) {
            if (!s.inside) return corrupt(w, s.offset, "a section outside the file");
            LW_TRY(walk_sequence(w, s.data.size ? s.offset : 0, s.data.size));
        }
    return LW_OK;
}

lw_status fatbin_each(lw_span bytes, fatbin_visit visit, void *user, lw_error *error)
{
    struct walk w = {.bytes = bytes, .visit = visit, .user = user, .error = error};
    if (fatbin_elf_magic(bytes)) return walk_elf(&w);
    if ((bytes.size >= 4 && lw_read_u32(bytes.data) == FATBIN_MAGIC) || fatbin_is_ptx_text(bytes))
        return walk_sequence(&w, 0, bytes.size);
    return lw_fail(error, LW_UNSUPPORTED, "neither a fatbin, PTX text, a cubin nor an ELF file");
}

static bool collect(const struct fatbin_entry *entry, void *user)
{
    fatbin_entries *out = user;
    lw_vec_push(out, *entry);
    return true;
}

lw_status fatbin_walk(lw_span bytes, fatbin_entries *out, lw_error *error)
{
    return fatbin_each(bytes, collect, out, error);
}
