/* Fuzz target of the room fatbin: any bytes as a container, text, cubin or ELF host file. Besides "no crash" it checks
 * what must hold of every entry that is let through: it lies inside the input; written again and read back, it is the
 * same. Build with clang -fsanitize=fuzzer,address,undefined, or with replay_main.c and any compiler; needs src/fatbin,
 * src/base, libzstd and liblz4. */
#include <stdlib.h>
#include <string.h>

#include "fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition) abort();
}

static void check_inside(lw_span part, lw_span whole)
{
    must(!part.size || (part.data >= whole.data && part.size <= whole.size &&
                        (size_t)(part.data - whole.data) <= whole.size - part.size));
}

/* A container written of one entry holds that entry. */
static void check_rewritten(const struct fatbin_entry *e)
{
    lw_text out = {0};
    fatbin_entries back = {0};
    if (fatbin_write(e, 1, &out, NULL) == LW_OK) {
        must(fatbin_walk(lw_span_of(out.data, out.size), &back, NULL) == LW_OK && back.count == 1);
        const struct fatbin_entry *b = &back.items[0];
        must(b->kind == e->kind && b->sm == e->sm && b->arch_suffix == e->arch_suffix);
        must(b->uncompressed_size == e->uncompressed_size && b->file_name.size == e->file_name.size);
        must(b->stored.size >= e->stored.size && b->options.size == e->options.size);
        must(!e->stored.size || !memcmp(b->stored.data, e->stored.data, e->stored.size));
    }
    lw_vec_free(&back);
    lw_text_free(&out);
}

static void check_entry(const struct fatbin_entry *e, lw_span whole)
{
    lw_arena arena = {0};
    lw_span payload;
    struct fatbin_kernel_info kernel = {0};
    lw_error error = {0};
    check_inside(e->stored, whole);
    check_inside(e->options, whole);
    check_inside(e->file_name, whole);
    must(e->offset < whole.size);
    check_rewritten(e);
    if (e->uncompressed_size > 1 << 24) return; /* slow, not wrong */
    lw_status status = fatbin_unpack(e, &arena, &payload, &error);
    must(status == error.status);
    if (status == LW_OK && e->kind == FATBIN_PTX) {
        must(payload.data[payload.size] == 0 && (!payload.size || payload.data[payload.size - 1]));
    } else if (status == LW_OK) {
        fatbin_cubin_sm(payload);
        fatbin_cubin_kernel(payload, "scale", &kernel, NULL);
    }
    lw_arena_free(&arena);
}

/* Places of host code; some addresses lie in the samples' code. */
static void check_places(lw_span whole)
{
    static const uint64_t addresses[] = {0, 0x1000, 0x1010, 0x1020, 0x1030, 0x1040, 0x1139, UINT64_MAX};
    for (size_t i = 0; i < LW_COUNT(addresses); i++) {
        struct fatbin_function function = {.from = 0};
        struct fatbin_line line;
        if (fatbin_function_at(whole, addresses[i], &function)) must(function.from <= addresses[i]);
        if (fatbin_line_at(whole, function.from, addresses[i], NULL, &line)) must(line.line && line.file[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_span whole = lw_span_of(data, size);
    fatbin_entries entries = {0};
    lw_error error = {0};
    lw_text text = {0};
    struct fatbin_kernel_info kernel = {0};
    struct fatbin_program program;
    lw_status status = fatbin_walk(whole, &entries, &error);
    must(status == error.status && (status == LW_OK) == !error.message[0]);
    for (size_t i = 0; i < entries.count; i++) check_entry(&entries.items[i], whole);
    fatbin_describe(entries.items, entries.count, &text);
    must(text.size);
    fatbin_cubin_kernel(whole, "local_array", &kernel, NULL);
    fatbin_program_of(whole, 90, true, &program);
    check_places(whole);
    lw_text_free(&text);
    lw_vec_free(&entries);
    return 0;
}
