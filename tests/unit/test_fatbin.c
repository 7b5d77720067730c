/* Tests of the room fatbin. The samples are real output of nvcc 13.0 (tests/fuzz/corpus/fatbin, built by make.sh
 * there); registers, stack and shared bytes are what "ptxas -v" printed for them. ELF host files beyond those are put
 * together here. */
#include "fatbin/fatbin.h"

#include <elf.h>

#include "unit.h"

/* ---- helpers ---- */
struct sample {
    char *data;
    lw_span bytes;
};

static struct sample load(const char *name)
{
    char below[256];
    struct sample s = {0};
    lw_error error = {0};
    snprintf(below, sizeof below, "fuzz/corpus/fatbin/%s", name);
    CHECK_EQ_INT(lw_file_read(unit_path(below), &s.data, &s.bytes.size, &error), LW_OK);
    if (error.status) printf("%s\n", error.message);
    s.bytes.data = (const uint8_t *)s.data;
    return s;
}

/* "ptx75z elf90a" for the entries, in order: kind, sm, suffix, z or l if compressed, then ':' and the container. */
static void list(lw_span bytes, char *out, size_t size)
{
    fatbin_entries entries = {0};
    lw_error error = {0};
    lw_status status = fatbin_walk(bytes, &entries, &error);
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; i < entries.count && n < size; i++) {
        const struct fatbin_entry *e = &entries.items[i];
        n += (size_t)snprintf(out + n, size - n, "%s%s%u%.1s%s:%u", i ? " " : "",
                              e->kind == FATBIN_PTX   ? "ptx"
                              : e->kind == FATBIN_ELF ? "elf"
                                                      : "other",
                              e->sm, &e->arch_suffix,
                              e->flags & FATBIN_FLAG_ZSTD  ? "z"
                              : e->flags & FATBIN_FLAG_LZ4 ? "l"
                                                           : "",
                              e->container);
    }
    if (status) snprintf(out + n, size - n, "%s%s", entries.count ? " " : "", error.message);
    lw_vec_free(&entries);
}

static void check_list(const char *file, const char *expected)
{
    struct sample s = load(file);
    char text[1024];
    list(s.bytes, text, sizeof text);
    CHECK_STR(text, expected);
    free(s.data);
}

/* Selects from a sample; the chosen target as "90a", or the status' text with the message in *error. */
static const char *choose(lw_span bytes, uint32_t sm, bool arch, lw_error *error)
{
    static char target[32];
    lw_arena arena = {0};
    lw_span text;
    struct fatbin_entry chosen;
    *error = (lw_error){0};
    lw_status status = fatbin_select_ptx(bytes, sm, arch, &arena, &text, &chosen, error);
    if (status) {
        CHECK_EQ_INT(error->status, status);
        CHECK_EQ_INT(text.size, 0);
        snprintf(target, sizeof target, "%s", lw_status_text(status));
    } else {
        char directive[48];
        snprintf(target, sizeof target, "%u%.1s", chosen.sm, &chosen.arch_suffix);
        snprintf(directive, sizeof directive, ".target sm_%s", target);
        CHECK_EQ_INT(strlen((const char *)text.data), text.size);
        CHECK_HAS((const char *)text.data, directive);
        CHECK_HAS((const char *)text.data, ".entry");
    }
    lw_arena_free(&arena);
    return target;
}

static char *patched(lw_span bytes, size_t at, uint64_t value, size_t size)
{
    char *copy = malloc(bytes.size);
    memcpy(copy, bytes.data, bytes.size);
    memcpy(copy + at, &value, size);
    return copy;
}

/* ---- walking ---- */
UNIT_CASE(walk_lists_what_nvcc_made)
{
    check_list("default.fatbin", "elf75:0 elf75:1 ptx75z:1");
    check_list("several.fatbin", "elf75:0 elf90:0 ptx75z:1 elf75:1 ptx80z:1 ptx90z:1 elf90:1");
    check_list("sm90a.fatbin", "elf90a:0 ptx90z:1 elf90a:1 ptx90az:1");
    check_list("family.fatbin", "ptx100fz:1"); /* the first container is empty */
    check_list("code_only.fatbin", "elf90z:0 elf90z:1");
    check_list("lz4.fatbin", "elf90:0 elf90:1 ptx90l:1");
    check_list("lines.fatbin", "elf90z:0 elf90z:1 ptx90z:1");
    check_list("plain.fatbin", "elf90:0 elf90:1 ptx90:1");
    check_list("rdc_linked.fatbin", "elf90:0");
    check_list("rdc_units.fatbin", "elf90z:0 ptx90z:0");
}

UNIT_CASE(walk_opens_other_files)
{
    check_list("rdc_program", "elf90:0 elf90z:1 ptx90z:1"); /* section .nv_fatbin, then __nv_relfatbin */
    check_list("object.o", "elf90z:0 ptx90z:0");
    check_list("sm80.cubin", "elf80:0");
    check_list("text.ptx", "ptx90:0");
    check_list("sample.cu", "ptx0:0"); /* opens with a comment: taken for text until something parses it */
    check_list("make.sh", "neither a fatbin, PTX text, a cubin nor an ELF file");
}

UNIT_CASE(walk_tells_version_options_and_file)
{
    struct sample s = load("lines.fatbin");
    fatbin_entries entries = {0};
    REQUIRE(fatbin_walk(s.bytes, &entries, NULL) == LW_OK && entries.count == 3);
    const struct fatbin_entry *e = &entries.items[2];
    CHECK_EQ_INT(e->ptx_major, 9);
    CHECK_EQ_INT(e->ptx_minor, 0);
    CHECK_EQ_INT(entries.items[1].ptx_major, 0);
    CHECK(e->options.size == 22 && !memcmp(e->options.data, " --generate-line-info ", 22));
    CHECK(e->file_name.size == 9 && !memcmp(e->file_name.data, "sample.cu", 9));
    CHECK(e->uncompressed_size > e->stored.size);
    CHECK_EQ_INT(lw_read_u32(s.bytes.data + e->offset + 4), e->stored.data - s.bytes.data - e->offset);
    lw_vec_free(&entries);
    free(s.data);
    s = load("debug.fatbin");
    REQUIRE(fatbin_walk(s.bytes, &entries, NULL) == LW_OK && entries.count == 3);
    CHECK(entries.items[2].flags & FATBIN_FLAG_DEBUG);
    lw_vec_free(&entries);
    free(s.data);
}

static bool stop_at_second(const struct fatbin_entry *entry, void *user)
{
    (void)entry;
    return ++*(int *)user < 2;
}

UNIT_CASE(each_stops_when_told)
{
    struct sample s = load("several.fatbin");
    int calls = 0;
    CHECK_EQ_INT(fatbin_each(s.bytes, stop_at_second, &calls, NULL), LW_OK);
    CHECK_EQ_INT(calls, 2);
    free(s.data);
}

UNIT_CASE(describe_names_every_image_once)
{
    struct sample s = load("several.fatbin");
    fatbin_entries entries = {0};
    lw_text text = {0};
    REQUIRE(fatbin_walk(s.bytes, &entries, NULL) == LW_OK);
    fatbin_describe(entries.items, entries.count, &text);
    CHECK_STR(text.data, "PTX for compute_75, compute_80, compute_90; machine code for sm_75, sm_90");
    lw_text_free(&text);
    fatbin_describe(NULL, 0, &text);
    CHECK_STR(text.data, "no image");
    lw_text_free(&text);
    lw_vec_free(&entries);
    free(s.data);
}

/* ---- choosing and unpacking ---- */
UNIT_CASE(select_takes_the_newest_that_fits)
{
    struct sample s = load("several.fatbin");
    lw_error error;
    CHECK_STR(choose(s.bytes, 75, false, &error), "75");
    CHECK_STR(choose(s.bytes, 80, false, &error), "80");
    CHECK_STR(choose(s.bytes, 86, false, &error), "80");
    CHECK_STR(choose(s.bytes, 89, true, &error), "80");
    CHECK_STR(choose(s.bytes, 90, true, &error), "90");
    CHECK_STR(choose(s.bytes, 120, true, &error), "90");
    CHECK_STR(choose(s.bytes, 70, true, &error), lw_status_text(LW_NO_PTX));
    CHECK_STR(
        error.message,
        "no fitting PTX for a device of compute capability 7.0; there is PTX for compute_75, compute_80, compute_90; "
        "machine code for sm_75, sm_90. Rebuild with e.g. NVCC_APPEND_FLAGS='-gencode "
        "arch=compute_70,code=compute_70'");
    free(s.data);
}

UNIT_CASE(select_obeys_suffixes)
{
    lw_error error;
    struct sample s = load("sm90a.fatbin");
    CHECK_STR(choose(s.bytes, 90, true, &error), "90a");
    CHECK_STR(choose(s.bytes, 90, false, &error), "90");
    CHECK_STR(choose(s.bytes, 100, true, &error), "90");
    free(s.data);
    struct fatbin_entry e = {.kind = FATBIN_PTX, .sm = 100, .arch_suffix = 'f'};
    CHECK(fatbin_ptx_fits(&e, 100, true));
    CHECK(fatbin_ptx_fits(&e, 103, true));
    CHECK(!fatbin_ptx_fits(&e, 103, false));
    CHECK(!fatbin_ptx_fits(&e, 101, true));
    CHECK(!fatbin_ptx_fits(&e, 110, true));
    CHECK(!fatbin_ptx_fits(&e, 120, true));
    e.sm = 101;
    CHECK(!fatbin_ptx_fits(&e, 103, true)); /* 10.1 became 11.0: not of 10.3's family */
    e.sm = 103;
    CHECK(!fatbin_ptx_fits(&e, 100, true));
    e.arch_suffix = 'a';
    CHECK(fatbin_ptx_fits(&e, 103, true));
    CHECK(!fatbin_ptx_fits(&e, 110, true));
    e.arch_suffix = 0;
    CHECK(fatbin_ptx_fits(&e, 120, false));
    e.kind = FATBIN_ELF;
    CHECK(!fatbin_ptx_fits(&e, 103, true));
}

UNIT_CASE(select_names_what_is_missing)
{
    lw_error error;
    struct sample s = load("code_only.fatbin");
    CHECK_STR(choose(s.bytes, 90, true, &error), lw_status_text(LW_NO_PTX));
    CHECK_STR(error.message,
              "no PTX for a device of compute capability 9.0; there is only machine code for sm_90. Rebuild with e.g. "
              "NVCC_APPEND_FLAGS='-gencode arch=compute_90,code=compute_90'");
    free(s.data);
    s = load("family.fatbin");
    CHECK_STR(choose(s.bytes, 90, true, &error), lw_status_text(LW_NO_PTX));
    CHECK_HAS(error.message, "no fitting PTX for a device of compute capability 9.0; there is PTX for compute_100f.");
    free(s.data);
}

/* The text of the same source for the same target is the same however it was stored, but for directives of the mode. */
UNIT_CASE(unpack_gives_one_text_in_every_mode)
{
    static const char *const files[] = {"lz4.fatbin", "object.o", "plain.fatbin"};
    lw_arena arena = {0};
    lw_span first = {0}, text;
    for (size_t i = 0; i < LW_COUNT(files); i++) {
        struct sample s = load(files[i]);
        CHECK_EQ_INT(fatbin_select_ptx(s.bytes, 90, true, &arena, &text, NULL, NULL), LW_OK);
        if (!i) first = text;
        CHECK_EQ_INT(text.size, first.size);
        CHECK(text.size == first.size && !memcmp(text.data, first.data, text.size));
        free(s.data);
    }
    CHECK(first.size > 1000);
    CHECK_HAS((const char *)first.data, ".visible .entry scale(");
    CHECK_HAS((const char *)first.data, ".visible .entry local_array(");
    lw_arena_free(&arena);
}

UNIT_CASE(unpack_checks_stated_sizes)
{
    static const char *const files[] = {"lz4.fatbin", "lines.fatbin"};
    for (size_t i = 0; i < LW_COUNT(files); i++) {
        struct sample s = load(files[i]);
        fatbin_entries entries = {0};
        lw_arena arena = {0};
        lw_span out;
        REQUIRE(fatbin_walk(s.bytes, &entries, NULL) == LW_OK && entries.count == 3);
        const struct fatbin_entry good = entries.items[2];
        const uint64_t sizes[] = {good.uncompressed_size - 1, good.uncompressed_size + 1, 0, FATBIN_MAX_SIZE};
        for (size_t k = 0; k < LW_COUNT(sizes); k++) {
            struct fatbin_entry e = good;
            lw_error error = {0};
            e.uncompressed_size = sizes[k];
            CHECK_EQ_INT(fatbin_unpack(&e, &arena, &out, &error), LW_CORRUPT);
            CHECK_HAS(error.message, "entry at offset ");
            CHECK_EQ_INT(out.size, 0);
        }
        struct fatbin_entry e = good;
        e.uncompressed_size = FATBIN_MAX_SIZE + 1;
        CHECK_EQ_INT(fatbin_unpack(&e, &arena, &out, NULL), LW_LIMIT);
        e = good;
        e.stored.size /= 2;
        CHECK_EQ_INT(fatbin_unpack(&e, &arena, &out, NULL), LW_CORRUPT);
        CHECK_EQ_INT(fatbin_unpack(&good, &arena, &out, NULL), LW_OK);
        lw_arena_free(&arena);
        lw_vec_free(&entries);
        free(s.data);
    }
}

/* ---- broken containers ---- */
UNIT_CASE(every_truncation_is_an_error)
{
    struct sample s = load("lines.fatbin");
    size_t first_end = 16 + (size_t)lw_read_u64(s.bytes.data + 8);
    for (size_t n = 4; n < s.bytes.size; n++) {
        char *exact = malloc(n); /* a read past the end shows under a sanitizer */
        memcpy(exact, s.data, n);
        fatbin_entries entries = {0};
        lw_status status = fatbin_walk(lw_span_of(exact, n), &entries, NULL);
        if ((status == LW_OK) != (n == first_end)) UNIT_FAIL("%zu bytes: %s", n, lw_status_text(status));
        lw_vec_free(&entries);
        free(exact);
    }
    CHECK_EQ_INT(fatbin_walk((lw_span){0}, NULL, NULL), LW_UNSUPPORTED);
    free(s.data);
}

UNIT_CASE(broken_headers_are_named_with_their_offset)
{
    static const struct {
        size_t at, size;
        uint64_t value;
        const char *expected;
    } cases[] = {
        {4, 2, 2, "fatbin: container version 2 at offset 0 is not known (1 is)"},
        {6, 2, 8, "fatbin: a container larger than what holds it at offset 0 of 1936 bytes"},
        {8, 8, UINT64_MAX, "fatbin: a container larger than what holds it at offset 0 of 1936 bytes"},
        {8, 8, UINT64_MAX - 15, "fatbin: a container larger than what holds it at offset 0 of 1936 bytes"},
        {32 + 4, 4, 63, "fatbin: impossible size of an entry header at offset 32 of 1936 bytes"},
        {32 + 4, 4, UINT32_MAX, "fatbin: impossible size of an entry header at offset 32 of 1936 bytes"},
        {32 + 8, 8, UINT64_MAX - 7, "fatbin: an entry larger than its container at offset 32 of 1936 bytes"},
        {32 + 16, 4, 1 << 20, "fatbin: a compressed size larger than the entry at offset 32 of 1936 bytes"},
        {32 + 20, 4, 75, "fatbin: file name or options outside the entry header at offset 32 of 1936 bytes"},
        {32 + 20, 4, UINT32_MAX, "fatbin: file name or options outside the entry header at offset 32 of 1936 bytes"},
        {32 + 32, 4, 1 << 20, "fatbin: file name or options outside the entry header at offset 32 of 1936 bytes"},
        {32 + 36, 4, UINT32_MAX, "fatbin: file name or options outside the entry header at offset 32 of 1936 bytes"},
    };
    struct sample s = load("family.fatbin");
    REQUIRE(s.bytes.size == 1936);
    for (size_t i = 0; i < LW_COUNT(cases); i++) {
        char text[1024], *copy = patched(s.bytes, cases[i].at, cases[i].value, cases[i].size);
        list(lw_span_of(copy, s.bytes.size), text, sizeof text);
        CHECK_STR(text, cases[i].expected);
        free(copy);
    }
    free(s.data);
}

/* ---- text ---- */
static void check_text(const char *text, const char *expected)
{
    char got[1024];
    list(lw_span_of(text, strlen(text)), got, sizeof got);
    CHECK_STR(got, expected);
}

UNIT_CASE(text_is_recognised)
{
    check_text(".version 8.3\n.target sm_90a, debug\n", "ptx90a:0");
    check_text(" \t\r\n.version 9.0 .target sm_103f", "ptx103f:0");
    check_text("/* .target sm_10 */ // .target sm_20\n.version/**/6.0\n.target // x\n sm_75\n", "ptx75:0");
    check_text(".visible .entry x() { ret; }", "ptx0:0");
    check_text("/*/ .target sm_10 */.version 9.0\n.target sm_80", "ptx80:0");
    check_text("// only a comment", "ptx0:0");
    check_text("/* open", "ptx0:0");
    static const char *const not_text[] = {"", " ", "version 9.0", "/", "#!/bin/sh", ".", ".9", "\n\n"};
    for (size_t i = 0; i < LW_COUNT(not_text); i++)
        check_text(not_text[i], "neither a fatbin, PTX text, a cubin nor an ELF file");
}

UNIT_CASE(text_beside_containers)
{
    /* as clang's objects put texts after each other in a section: NULs between */
    static const char two[] =
        ".version 9.0\n.target sm_80\n.entry a(){}\0\0\0//\n.version 9.0\n.target sm_90a\n.entry b(){}";
    char got[1024];
    lw_error error;
    list(lw_span_of(two, sizeof two), got, sizeof got);
    CHECK_STR(got, "ptx80:0 ptx90a:1");
    CHECK_STR(choose(lw_span_of(two, sizeof two), 90, true, &error), "90a");
    CHECK_STR(choose(lw_span_of(two, sizeof two), 90, false, &error), "80");
    CHECK_STR(choose(lw_span_of(two, sizeof two), 75, false, &error), lw_status_text(LW_NO_PTX));
}

/* ---- machine code ---- */
static void check_kernel(lw_span bytes, uint32_t sm, const char *name, const char *expected)
{
    char got[sizeof(lw_error)];
    struct fatbin_kernel_info k;
    lw_error error = {0};
    if (fatbin_kernel(bytes, sm, true, name, &k, &error)) snprintf(got, sizeof got, "%s", error.message);
    else
        snprintf(got, sizeof got, "sm_%u%.1s: %u registers, %u stack, %u shared", k.sm, &k.arch_suffix, k.registers,
                 k.stack_bytes, k.shared_bytes);
    CHECK_STR(got, expected);
}

UNIT_CASE(kernel_says_what_ptxas_said)
{
    struct sample s = load("several.fatbin");
    check_kernel(s.bytes, 75, "scale", "sm_75: 10 registers, 0 stack, 512 shared");
    check_kernel(s.bytes, 75, "local_array", "sm_75: 51 registers, 80 stack, 0 shared");
    check_kernel(s.bytes, 90, "scale", "sm_90: 9 registers, 0 stack, 512 shared");
    check_kernel(s.bytes, 90, "local_array", "sm_90: 32 registers, 80 stack, 0 shared");
    check_kernel(s.bytes, 80, "scale", "no machine code of 'scale' for sm_80");
    check_kernel(s.bytes, 100, "scale", "no machine code of 'scale' for sm_100");
    check_kernel(s.bytes, 90, "nothing", "no machine code of 'nothing' for sm_90");
    free(s.data);
    s = load("debug.fatbin"); /* compressed machine code */
    check_kernel(s.bytes, 90, "scale", "sm_90: 17 registers, 0 stack, 512 shared");
    check_kernel(s.bytes, 90, "local_array", "sm_90: 18 registers, 80 stack, 0 shared");
    free(s.data);
    s = load("sm90a.fatbin");
    check_kernel(s.bytes, 90, "scale", "sm_90a: 9 registers, 0 stack, 512 shared");
    free(s.data);
    s = load("rdc_linked.fatbin"); /* nvlink dropped the kernel that nothing launches */
    check_kernel(s.bytes, 90, "scale", "sm_90: 9 registers, 0 stack, 512 shared");
    check_kernel(s.bytes, 90, "local_array", "no machine code of 'local_array' for sm_90");
    free(s.data);
    s = load("rdc_units.fatbin");
    check_kernel(s.bytes, 90, "local_array", "sm_90: 32 registers, 80 stack, 0 shared");
    free(s.data);
    s = load("sm80.cubin");
    check_kernel(s.bytes, 80, "scale", "sm_80: 12 registers, 0 stack, 512 shared");
    check_kernel(s.bytes, 86, "scale", "sm_80: 12 registers, 0 stack, 512 shared");
    free(s.data);
}

static uint32_t loads_of(const struct fatbin_kernel_info *k, uint32_t space)
{
    uint32_t loads = 0;
    for (uint32_t w = 0; w < FATBIN_WIDTHS; w++) loads += k->accesses[space][FATBIN_LOADS][w];
    return loads;
}

/* As many LDL as cuobjdump -sass shows. */
UNIT_CASE(loads_from_local_memory)
{
    static const uint32_t sms[] = {75, 90};
    struct sample s = load("several.fatbin");
    struct fatbin_kernel_info k;
    for (size_t n = 0; n < LW_COUNT(sms); n++) {
        CHECK(fatbin_kernel(s.bytes, sms[n], true, "local_array", &k, NULL) == LW_OK);
        CHECK_EQ_INT(loads_of(&k, FATBIN_LOCAL), 20);
        CHECK(fatbin_kernel(s.bytes, sms[n], true, "scale", &k, NULL) == LW_OK);
        CHECK_EQ_INT(loads_of(&k, FATBIN_LOCAL), 0);
    }
    free(s.data);
}

/* Older files have no attribute 0x2f; the numbers must then come from the section header. */
UNIT_CASE(registers_without_their_attribute)
{
    struct sample s = load("sm80.cubin");
    unsigned replaced = 0;
    for (size_t i = 0; i + 4 <= s.bytes.size; i++)
        if (!memcmp(s.data + i, "\x04\x2f\x08\x00", 4)) {
            s.data[i + 1] = 0x7f;
            replaced++;
        }
    CHECK_EQ_INT(replaced, 2);
    check_kernel(s.bytes, 80, "scale", "sm_80: 12 registers, 0 stack, 512 shared");
    check_kernel(s.bytes, 80, "local_array", "sm_80: 32 registers, 80 stack, 0 shared");
    free(s.data);
}

UNIT_CASE(cubin_is_told_from_other_files)
{
    struct sample s = load("sm80.cubin"), object = load("object.o");
    struct fatbin_kernel_info k;
    CHECK_EQ_INT(fatbin_cubin_sm(s.bytes), 80);
    CHECK_EQ_INT(fatbin_cubin_sm(object.bytes), 0);
    CHECK_EQ_INT(fatbin_cubin_sm((lw_span){0}), 0);
    CHECK_EQ_INT(fatbin_cubin_kernel(object.bytes, "scale", &k, NULL), LW_UNSUPPORTED);
    lw_error error;
    CHECK_STR(choose(s.bytes, 80, true, &error), lw_status_text(LW_NO_PTX));
    CHECK_HAS(error.message, "only machine code for sm_80");
    free(s.data);
    free(object.data);
}

/* ---- memory ---- */
UNIT_CASE(memory_of_a_plain_program)
{
    struct sample s = load("family.fatbin");
    lw_arena arena = {0};
    struct fatbin_memory m;
    struct fatbin_wrapper w = {FATBIN_WRAPPER_MAGIC, 1, s.data, NULL};
    size_t first = 16 + (size_t)lw_read_u64(s.bytes.data + 8);
    REQUIRE(first < s.bytes.size); /* it has two containers: only the one pointed to counts */
    const void *const images[] = {&w, s.data};
    for (size_t i = 0; i < LW_COUNT(images); i++) {
        CHECK_EQ_INT(fatbin_from_memory(images[i], &arena, &m, NULL), LW_OK);
        REQUIRE(m.count == 1);
        CHECK(m.images[0].data == s.bytes.data);
        CHECK_EQ_INT(m.images[0].size, first);
        CHECK_EQ_INT(m.linked.size, 0);
    }
    lw_arena_free(&arena);
    free(s.data);
}

UNIT_CASE(memory_of_a_relocatable_program)
{
    struct sample linked = load("rdc_linked.fatbin"), unit = load("rdc_units.fatbin");
    const char *text = ".version 9.0\n.target sm_90\n";
    const void *units[] = {unit.data, text, NULL};
    struct fatbin_wrapper w = {FATBIN_WRAPPER_MAGIC, 2, linked.data, units};
    lw_arena arena = {0};
    struct fatbin_memory m;
    lw_error error;
    REQUIRE(fatbin_from_memory(&w, &arena, &m, NULL) == LW_OK && m.count == 2);
    CHECK_EQ_INT(m.linked.size, linked.bytes.size);
    CHECK(m.images[0].data == unit.bytes.data && m.images[0].size == unit.bytes.size);
    CHECK_EQ_INT(m.images[1].size, strlen(text));
    CHECK_STR(choose(m.images[0], 90, true, &error), "90");
    check_kernel(m.linked, 90, "scale", "sm_90: 9 registers, 0 stack, 512 shared");
    units[0] = NULL; /* no list: what is linked is all there is */
    REQUIRE(fatbin_from_memory(&w, &arena, &m, NULL) == LW_OK && m.count == 1);
    CHECK(m.images[0].data == linked.bytes.data);
    lw_arena_free(&arena);
    free(linked.data);
    free(unit.data);
}

UNIT_CASE(memory_of_other_images)
{
    static const char *const elf_files[] = {"sm80.cubin", "object.o"};
    lw_arena arena = {0};
    struct fatbin_memory m;
    lw_error error = {0};
    for (size_t i = 0; i < LW_COUNT(elf_files); i++) {
        struct sample s = load(elf_files[i]);
        CHECK_EQ_INT(fatbin_from_memory(s.data, &arena, &m, NULL), LW_OK);
        CHECK(m.count == 1 && m.images[0].size <= s.bytes.size && m.images[0].size + 16 > s.bytes.size);
        free(s.data);
    }
    CHECK_EQ_INT(fatbin_from_memory("//\n.version 9.0", &arena, &m, NULL), LW_OK);
    CHECK_EQ_INT(m.images[0].size, 15);
    CHECK_EQ_INT(fatbin_from_memory("", &arena, &m, NULL), LW_UNSUPPORTED);
    CHECK_EQ_INT(fatbin_from_memory("P", &arena, &m, NULL), LW_UNSUPPORTED);
    CHECK_EQ_INT(fatbin_from_memory("words", &arena, &m, NULL), LW_UNSUPPORTED);
    CHECK_EQ_INT(fatbin_from_memory(NULL, &arena, &m, NULL), LW_INVALID_ARGUMENT);
    struct fatbin_wrapper w = {FATBIN_WRAPPER_MAGIC, 3, "//", NULL};
    CHECK_EQ_INT(fatbin_from_memory(&w, &arena, &m, &error), LW_UNSUPPORTED);
    CHECK_HAS(error.message, "version 3");
    lw_arena_free(&arena);
}

/* ---- writing ---- */
UNIT_CASE(written_containers_are_read_back)
{
    static const char a[] = ".version 9.0\n.target sm_90a\n.entry a(){}", options[] = "-O3", file[] = "a.cu",
                      b[] = "12345678";
    const struct fatbin_entry entries[] = {
        {.kind = FATBIN_PTX,
         .sm = 90,
         .arch_suffix = 'a',
         .ptx_major = 9,
         .stored = lw_span_of(a, sizeof a - 1),
         .options = lw_span_of(options, 3),
         .file_name = lw_span_of(file, 4)},
        {.kind = FATBIN_ELF, .sm = 75, .stored = lw_span_of(b, 8), .flags = FATBIN_FLAG_DEBUG},
        {.kind = FATBIN_PTX, .sm = 100, .arch_suffix = 'f', .ptx_major = 8, .ptx_minor = 8, .stored = lw_span_of(b, 8)},
        {.kind = FATBIN_PTX, .sm = 80},
    };
    lw_text out = {0};
    fatbin_entries back = {0};
    lw_arena arena = {0};
    lw_span text;
    CHECK_EQ_INT(fatbin_write(entries, LW_COUNT(entries), &out, NULL), LW_OK);
    REQUIRE(fatbin_walk(lw_span_of(out.data, out.size), &back, NULL) == LW_OK && back.count == LW_COUNT(entries));
    for (size_t i = 0; i < back.count; i++) {
        const struct fatbin_entry *e = &back.items[i], *from = &entries[i];
        CHECK_EQ_INT(e->kind, from->kind);
        CHECK_EQ_INT(e->sm, from->sm);
        CHECK_EQ_INT(e->arch_suffix, from->arch_suffix);
        CHECK_EQ_INT(e->ptx_major, from->ptx_major);
        CHECK_EQ_INT(e->ptx_minor, from->ptx_minor);
        CHECK_EQ_INT(e->flags & FATBIN_FLAG_DEBUG, from->flags & FATBIN_FLAG_DEBUG);
        CHECK_EQ_INT(e->options.size, from->options.size);
        CHECK_EQ_INT(e->file_name.size, from->file_name.size);
        CHECK_EQ_INT(fatbin_unpack(e, &arena, &text, NULL), LW_OK);
        CHECK(text.size == from->stored.size && (!text.size || !memcmp(text.data, from->stored.data, text.size)));
    }
    CHECK(!memcmp(back.items[0].options.data, "-O3", 3) && !memcmp(back.items[0].file_name.data, "a.cu", 4));
    lw_arena_free(&arena);
    lw_vec_free(&back);
    lw_text_free(&out);
}

/* Entries that were read can be written again, packed as they are: several containers become one. */
UNIT_CASE(containers_are_merged)
{
    static const char *const files[] = {"several.fatbin", "lz4.fatbin", "debug.fatbin"};
    fatbin_entries entries = {0};
    lw_text out = {0};
    lw_error error;
    struct sample s[LW_COUNT(files)];
    for (size_t i = 0; i < LW_COUNT(files); i++) {
        s[i] = load(files[i]);
        CHECK_EQ_INT(fatbin_walk(s[i].bytes, &entries, NULL), LW_OK);
    }
    CHECK_EQ_INT(fatbin_write(entries.items, entries.count, &out, NULL), LW_OK);
    char got[1024];
    list(lw_span_of(out.data, out.size), got, sizeof got);
    CHECK_STR(got, "elf75:0 elf90:0 ptx75z:0 elf75:0 ptx80z:0 ptx90z:0 elf90:0 elf90:0 elf90:0 ptx90l:0 "
                   "elf90z:0 elf90z:0 ptx90z:0");
    CHECK_STR(choose(lw_span_of(out.data, out.size), 80, true, &error), "80");
    check_kernel(lw_span_of(out.data, out.size), 75, "scale", "sm_75: 10 registers, 0 stack, 512 shared");
    for (size_t i = 0; i < LW_COUNT(files); i++) free(s[i].data);
    lw_vec_free(&entries);
    lw_text_free(&out);
}

UNIT_CASE(write_refuses_what_it_cannot_say)
{
    const struct fatbin_entry bad[] = {
        {.kind = FATBIN_OTHER},
        {.kind = FATBIN_PTX, .arch_suffix = 'x'},
        {.kind = FATBIN_PTX, .flags = FATBIN_FLAG_ZSTD},
        {.kind = FATBIN_PTX, .uncompressed_size = 5},
        {.kind = FATBIN_PTX, .ptx_major = 1 << 16},
    };
    lw_text out = {0};
    for (size_t i = 0; i < LW_COUNT(bad); i++) {
        CHECK_EQ_INT(fatbin_write(&bad[i], 1, &out, NULL), LW_INVALID_ARGUMENT);
        CHECK_EQ_INT(out.size, 0);
    }
    CHECK_EQ_INT(fatbin_write(NULL, 0, &out, NULL), LW_OK);
    CHECK_EQ_INT(out.size, 16);
    lw_text_free(&out);
}

/* ---- programs ---- */
UNIT_CASE(program_built_by_nvcc)
{
    struct fatbin_program p;
    CHECK_EQ_INT(fatbin_program_read(unit_path("fuzz/corpus/fatbin/rdc_program"), 90, true, &p, NULL), LW_OK);
    CHECK_EQ_INT(p.kind, FATBIN_PROGRAM_ELF);
    CHECK_EQ_INT(p.elf_machine, EM_X86_64);
    CHECK_EQ_INT(p.runtime, FATBIN_RUNTIME_SHARED);
    CHECK_STR(p.needed_cudart, "libcudart.so.13");
    CHECK(p.stripped && !p.needs_libcuda && p.ptx_fits);
    CHECK_EQ_INT(p.ptx_count, 1);
    CHECK_EQ_INT(p.machine_code_count, 0);
    CHECK_STR(p.images, "PTX for compute_90; machine code for sm_90");
    CHECK_EQ_INT(fatbin_program_read(unit_path("fuzz/corpus/fatbin/rdc_program"), 80, true, &p, NULL), LW_OK);
    CHECK(!p.ptx_fits);
    CHECK_EQ_INT(p.machine_code_count, 2);
}

UNIT_CASE(programs_that_are_none)
{
    struct fatbin_program p;
    lw_error error = {0};
    CHECK_EQ_INT(fatbin_program_read(unit_path("fuzz/corpus/fatbin/make.sh"), 90, true, &p, NULL), LW_OK);
    CHECK_EQ_INT(p.kind, FATBIN_PROGRAM_SCRIPT);
    static const char *const others[] = {"sample.cu", "object.o", "sm80.cubin", "lz4.fatbin"};
    for (size_t i = 0; i < LW_COUNT(others); i++) {
        char below[256];
        snprintf(below, sizeof below, "fuzz/corpus/fatbin/%s", others[i]);
        CHECK_EQ_INT(fatbin_program_read(unit_path(below), 90, true, &p, NULL), LW_OK);
        CHECK_EQ_INT(p.kind, FATBIN_PROGRAM_OTHER);
        CHECK_EQ_INT(p.runtime, FATBIN_RUNTIME_NONE);
    }
    CHECK_EQ_INT(fatbin_program_read(unit_path("no such file"), 90, true, &p, &error), LW_NOT_FOUND);
    CHECK_HAS(error.message, "no such file");
}

/* An ELF executable of sections .shstrtab, .dynstr, .dynamic, .symtab, .strtab, .rodata, .nvFatBinSegment; NULL leaves
 * one out. */
struct made_program {
    const char *needed; /* one library */
    const char *symbol;
    bool symbol_defined;
    const char *rodata;
    bool fatbin_segment;
};

static void add_section(lw_text *file, Elf64_Shdr *headers, size_t *count, uint32_t name, uint32_t type, uint32_t link,
                        const void *data, size_t size)
{
    headers[(*count)++] =
        (Elf64_Shdr){.sh_name = name, .sh_type = type, .sh_link = link, .sh_offset = file->size, .sh_size = size};
    lw_text_append(file, data, size);
}

static lw_text make_program(const struct made_program *from)
{
    static const char names[] = "\0.nvFatBinSegment";
    Elf64_Ehdr h = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}, .e_type = ET_DYN, .e_machine = EM_X86_64};
    Elf64_Shdr headers[8] = {0};
    size_t count = 1;
    char strings[256] = {0};
    lw_text file = {0};
    lw_text_append(&file, (const char *)&h, sizeof h);
    add_section(&file, headers, &count, 0, SHT_STRTAB, 0, names, sizeof names);
    if (from->needed) {
        const Elf64_Dyn dynamic[] = {{.d_tag = DT_DEBUG}, {.d_tag = DT_NEEDED, .d_un.d_val = 1}, {.d_tag = DT_NULL}};
        snprintf(strings + 1, sizeof strings - 1, "%s", from->needed);
        add_section(&file, headers, &count, 0, SHT_STRTAB, 0, strings, strlen(from->needed) + 2);
        add_section(&file, headers, &count, 0, SHT_DYNAMIC, (uint32_t)count - 1, dynamic, sizeof dynamic);
    }
    if (from->symbol) {
        const Elf64_Sym symbols[] = {
            {0},
            {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = from->symbol_defined ? 1 : 0}};
        snprintf(strings + 1, sizeof strings - 1, "%s", from->symbol);
        add_section(&file, headers, &count, 0, SHT_STRTAB, 0, strings, strlen(from->symbol) + 2);
        add_section(&file, headers, &count, 0, SHT_SYMTAB, (uint32_t)count - 1, symbols, sizeof symbols);
    }
    if (from->rodata) add_section(&file, headers, &count, 0, SHT_PROGBITS, 0, from->rodata, strlen(from->rodata) + 1);
    if (from->fatbin_segment) add_section(&file, headers, &count, 1, SHT_PROGBITS, 0, "01234567", 8);
    h.e_shoff = file.size;
    h.e_shentsize = sizeof(Elf64_Shdr);
    h.e_shnum = (uint16_t)count;
    h.e_shstrndx = 1;
    lw_text_append(&file, (const char *)headers, count * sizeof *headers);
    memcpy(file.data, &h, sizeof h);
    return file;
}

UNIT_CASE(runtimes_are_told_apart)
{
    static const struct {
        struct made_program program;
        enum fatbin_runtime expected;
    } cases[] = {
        {{.needed = "libc.so.6"}, FATBIN_RUNTIME_NONE},
        {{.needed = "libcudart.so.12"}, FATBIN_RUNTIME_SHARED},
        {{.symbol = "cudaMalloc", .symbol_defined = true}, FATBIN_RUNTIME_NVIDIA_STATIC},
        {{.symbol = "__cudaRegisterFatBinary", .symbol_defined = true}, FATBIN_RUNTIME_NVIDIA_STATIC},
        {{.symbol = "__cudaRegisterFatBinary", .symbol_defined = true, .rodata = "lw_cudart_marker"},
         FATBIN_RUNTIME_LANEWISE},
        {{.symbol = "cudaMalloc", .needed = "libcudart.so.13"}, FATBIN_RUNTIME_SHARED},
        {{.symbol = "cudaMalloc"}, FATBIN_RUNTIME_NONE},
        {{.symbol = "cudaHelper", .symbol_defined = true}, FATBIN_RUNTIME_NONE},
        /* stripped */
        {{.rodata = "libcuda.so.1", .fatbin_segment = true}, FATBIN_RUNTIME_NVIDIA_STATIC},
        {{.rodata = "libcuda.so.1 cudaErrorInsufficientDriver"}, FATBIN_RUNTIME_NVIDIA_STATIC},
        {{.rodata = "libcuda.so.1 lw_cudart_marker", .fatbin_segment = true}, FATBIN_RUNTIME_LANEWISE},
        {{.rodata = "libcuda.so.1"}, FATBIN_RUNTIME_NONE}, /* opens the driver itself */
        {{.needed = "libcuda.so.1", .fatbin_segment = true}, FATBIN_RUNTIME_NONE},
        /* a symbol table that names no runtime is believed */
        {{.rodata = "libcuda.so.1", .symbol = "main", .symbol_defined = true, .fatbin_segment = true},
         FATBIN_RUNTIME_NONE},
    };
    for (size_t i = 0; i < LW_COUNT(cases); i++) {
        lw_text file = make_program(&cases[i].program);
        struct fatbin_program p;
        fatbin_program_of(lw_span_of(file.data, file.size), 90, true, &p);
        CHECK_EQ_INT(p.kind, FATBIN_PROGRAM_ELF);
        if (p.runtime != cases[i].expected) UNIT_FAIL("case %zu: runtime %d", i, p.runtime);
        CHECK_EQ_INT(p.stripped, !cases[i].program.symbol);
        CHECK_EQ_INT(p.needs_libcuda, cases[i].program.needed && !strcmp(cases[i].program.needed, "libcuda.so.1"));
        CHECK_STR(p.images, "");
        lw_text_free(&file);
    }
}

UNIT_MAIN()
