/* test_cuda: the driver face inside the core: its table of entry points, functions by name and version, hostile
 * handles, linked images, what the door exports, and the table against the names of a toolkit's cuda.h where there is
 * one. */
#define _GNU_SOURCE
#include <ctype.h>

#include "cuda/driver.h"
#include "unit.h"

enum {
#define ENTRY(symbol, kind, group, name, version, stream) ROW_##symbol,
#include "cuda/entrypoints.def"
#undef ENTRY
    ROW_COUNT
};

typedef int (*call_fn)();

static call_fn entry(const char *symbol)
{
    for (size_t i = 0; i < lw_cuda_entry_count; i++)
        if (!strcmp(lw_cuda_rows[i].symbol, symbol)) return (call_fn)(size_t)lw_cuda_entries[i];
    return NULL;
}

static void *with_version(const char *name, int version) { return lw_cuda_find_function(name, version, 0); }

UNIT_CASE(rows_are_consistent)
{
    CHECK_EQ_INT(lw_cuda_entry_count, ROW_COUNT);
    for (size_t i = 0; i < lw_cuda_entry_count; i++) {
        const cu_entry *row = &lw_cuda_rows[i];
        size_t length = strlen(row->symbol);
        bool suffix =
            length > 5 && (!strcmp(row->symbol + length - 5, "_ptsz") || !strcmp(row->symbol + length - 5, "_ptds"));
        if (suffix != row->per_thread) printf("    %s\n", row->symbol);
        CHECK_EQ_INT(suffix, row->per_thread);
        CHECK(!strncmp(row->symbol, row->name, strlen(row->name)));
        CHECK(row->version >= 2000 && row->version <= FACE_VERSION);
        CHECK(lw_cuda_entries[i] != NULL);
        for (size_t k = 0; k < i; k++) CHECK(strcmp(lw_cuda_rows[k].symbol, row->symbol));
    }
}

UNIT_CASE(finds_the_newest_row_not_newer)
{
    CHECK(with_version("cuMemAlloc", 13000) == entry("cuMemAlloc_v2"));
    CHECK(with_version("cuMemAlloc", 3000) == entry("cuMemAlloc"));
    CHECK(with_version("cuCtxCreate", 11040) == entry("cuCtxCreate_v3"));
    CHECK(with_version("cuCtxCreate", 13000) == entry("cuCtxCreate_v4"));
    CHECK(with_version("cuLaunchKernelEx", 11050) == NULL);
    CHECK(with_version("cuGraphInstantiate", 13000) == entry("cuGraphInstantiateWithFlags"));
    CHECK(with_version("", 0) == NULL && with_version("cuNothing", 13000) == NULL);
    CHECK(lw_cuda_find_function("cuMemcpyHtoD", 13000, 2) == entry("cuMemcpyHtoD_v2_ptds"));
    CHECK(lw_cuda_find_function("cuMemcpyHtoD", 6000, 2) == entry("cuMemcpyHtoD_v2")); /* before there were others */
    CHECK(lw_cuda_find_function("cuDeviceGet", 13000, 2) == entry("cuDeviceGet"));
}

/* Every function that cuda.h declares has a row. */
UNIT_CASE(knows_the_names_of_the_toolkit)
{
    char *text;
    size_t bytes;
    if (lw_file_read("/usr/local/cuda/include/cuda.h", &text, &bytes, NULL)) return;
    if (!strstr(text, "define CUDA_VERSION 13000")) {
        free(text);
        return;
    }
    int known = 0;
    for (char *at = text; (at = strstr(at, "CUresult CUDAAPI cu")); at++) {
        char name[128] = "";
        const char *from = at + strlen("CUresult CUDAAPI ");
        for (size_t n = 0; n + 1 < sizeof name && (isalnum((unsigned char)from[n]) || from[n] == '_'); n++)
            name[n] = from[n];
        bool found = entry(name) || with_version(name, FACE_VERSION);
        if (!found) printf("    %s\n", name);
        CHECK(found);
        known++;
    }
    CHECK(known > 400);
    free(text);
}

/* ---- calls ---- */
static void begin(void)
{
    void *context = NULL;
    CHECK_EQ_INT(entry("cuInit")(0), 0);
    CHECK_EQ_INT(entry("cuDevicePrimaryCtxRetain")(&context, 0), 0);
    CHECK_EQ_INT(entry("cuCtxSetCurrent")(context), 0);
}

static void end(void)
{
    CHECK_EQ_INT(entry("cuCtxSetCurrent")(NULL), 0);
    CHECK_EQ_INT(entry("cuDevicePrimaryCtxRelease_v2")(0), 0);
}

UNIT_CASE(needs_init_and_context)
{
    uint64_t address;
    void *context;
    CHECK_EQ_INT(entry("cuMemAlloc_v2")(&address, (size_t)16), HOST_INITIALIZATION_ERROR);
    CHECK_EQ_INT(entry("cuInit")(1), HOST_INVALID_VALUE);
    CHECK_EQ_INT(entry("cuInit")(0), 0);
    CHECK_EQ_INT(entry("cuMemAlloc_v2")(&address, (size_t)16), HOST_DEVICE_UNINITIALIZED);
    CHECK_EQ_INT(entry("cuCtxPopCurrent_v2")(&context), HOST_DEVICE_UNINITIALIZED);
}

/* Pointers that are no handles, and handles of another kind, give errors. */
UNIT_CASE(refuses_foreign_handles)
{
    static const char *const calls[] = {
        "cuModuleUnload",      "cuStreamDestroy_v2",  "cuEventDestroy_v2",  "cuEventSynchronize",
        "cuEventQuery",        "cuGraphDestroy",      "cuGraphExecDestroy", "cuLinkDestroy",
        "cuCtxDestroy_v2",     "cuCtxPushCurrent_v2", "cuCtxSetCurrent",    "cuArrayDestroy",
        "cuStreamSynchronize", "cuFuncLoad",          "cuMemPoolDestroy",   "cuLibraryUnload"};
    static uint64_t block[64];
    void *stream = NULL;
    begin();
    CHECK_EQ_INT(entry("cuStreamCreate")(&stream, 0), 0);
    for (size_t i = 0; i < LW_COUNT(calls); i++) {
        void *bad[] = {block, (void *)(uintptr_t)0xdead0000, (void *)(uintptr_t)7};
        for (size_t k = 0; k < LW_COUNT(bad); k++) {
            if (!entry(calls[i])(bad[k])) printf("    %s\n", calls[i]);
            CHECK(entry(calls[i])(bad[k]) != 0);
        }
        if (!strncmp(calls[i], "cuStream", 8)) continue;
        CHECK(entry(calls[i])(stream) != 0);
    }
    CHECK_EQ_INT(entry("cuStreamDestroy_v2")(stream), 0);
    CHECK_EQ_INT(entry("cuStreamDestroy_v2")(stream), HOST_INVALID_RESOURCE_HANDLE);
    end();
}

/* Numbers that only the runtime API has are not shown to a driver program. */
UNIT_CASE(answers_with_numbers_of_the_driver)
{
    const char *name = NULL;
    for (int number = 0; number < 1000; number++) {
        const host_error_desc *row = host_error_find(number);
        if (!row) continue;
        int shown = cu_end(number);
        CHECK_EQ_INT(entry("cuGetErrorName")(shown, &name), 0);
        CHECK(row->driver_name ? shown == number : shown == HOST_INVALID_VALUE);
    }
}

UNIT_CASE(refuses_broken_images)
{
    static const char *const images[] = {"", "x", "\177ELF", "LWLINKEDxxxx", ".version", "// nothing\n.vers"};
    void *module = NULL;
    begin();
    for (size_t i = 0; i < LW_COUNT(images); i++) {
        char padded[4096] = "";
        memcpy(padded, images[i], strlen(images[i]));
        CHECK(entry("cuModuleLoadData")(&module, padded) != 0);
    }
    CHECK_EQ_INT(entry("cuModuleLoadData")(&module, NULL), HOST_INVALID_VALUE);
    CHECK_EQ_INT(entry("cuModuleLoad")(&module, "/nonexistent"), HOST_FILE_NOT_FOUND);
    end();
}

/* A linked image with wrong places in it is refused, wherever it is cut or changed. */
UNIT_CASE(refuses_broken_envelopes)
{
    static const char one[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry a()\n{\nret;\n}\n";
    static const char two[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry b()\n{\nret;\n}\n";
    void *link = NULL, *image = NULL, *module = NULL;
    size_t bytes = 0;
    host_part parts[4];
    begin();
    REQUIRE(!entry("cuLinkCreate_v2")(0, NULL, NULL, &link));
    CHECK_EQ_INT(entry("cuLinkAddData_v2")(link, 1, one, sizeof one, "one", 0, NULL, NULL), 0);
    CHECK_EQ_INT(entry("cuLinkAddData_v2")(link, 1, two, sizeof two, "two", 0, NULL, NULL), 0);
    REQUIRE(!entry("cuLinkComplete")(link, &image, &bytes));
    CHECK_EQ_INT(cu_linked_parts(image, parts, 4), 2);
    uint8_t *copy = lw_alloc(bytes);
    memcpy(copy, image, bytes);
    CHECK_EQ_INT(entry("cuModuleLoadData")(&module, copy), 0);
    CHECK_EQ_INT(entry("cuModuleUnload")(module), 0);
    for (size_t at = 12; at < 56; at += 4) { /* the header's count and size, the rows */
        memcpy(copy, image, bytes);
        memset(copy + at, 0xff, 4);
        if (at < 16 || at >= 24) CHECK(entry("cuModuleLoadData")(&module, copy) != 0);
    }
    free(copy);
    CHECK_EQ_INT(entry("cuLinkDestroy")(link), 0);
    end();
}

/* The launches of before CUDA 4.0. */
UNIT_CASE(launches_with_parameters_set_one_by_one)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry put(.param .u64 p, .param .u32 a, .param .f32 b)\n"
                               "{\n.reg .b64 %d<4>; .reg .b32 %r<4>; .reg .f32 %f;\n"
                               "ld.param.u64 %d1, [p];\nld.param.u32 %r1, [a];\nld.param.f32 %f, [b];\n"
                               "mov.u32 %r2, %tid.x;\nmul.wide.u32 %d2, %r2, 8;\nadd.s64 %d3, %d1, %d2;\n"
                               "st.global.u32 [%d3], %r1;\nst.global.f32 [%d3+4], %f;\nret;\n}\n";
    struct {
        uint32_t a;
        float b;
    } got[2];
    void *module, *put;
    uint64_t memory = 0;
    begin();
    REQUIRE(!entry("cuModuleLoadData")(&module, text));
    REQUIRE(!entry("cuModuleGetFunction")(&put, module, "put"));
    REQUIRE(!entry("cuMemAlloc_v2")(&memory, sizeof got));
    CHECK_EQ_INT(entry("cuFuncSetBlockShape")(put, 2, 1, 1), 0);
    CHECK_EQ_INT(entry("cuParamSetSize")(put, 16), 0);
    CHECK_EQ_INT(entry("cuParamSetv")(put, 0, &memory, 8), 0);
    CHECK_EQ_INT(entry("cuParamSeti")(put, 8, 7), 0);
    CHECK_EQ_INT(((int (*)(void *, int, float))entry("cuParamSetf"))(put, 12, 2.5f), 0);
    CHECK_EQ_INT(entry("cuParamSetv")(put, 4090, &memory, 8), HOST_INVALID_VALUE);
    CHECK_EQ_INT(entry("cuLaunchGrid")(put, 1, 1), 0);
    CHECK_EQ_INT(entry("cuMemcpyDtoH_v2")(got, memory, sizeof got), 0);
    CHECK(got[1].a == 7 && got[1].b == 2.5f);
    CHECK_EQ_INT(entry("cuMemFree_v2")(memory), 0);
    CHECK_EQ_INT(entry("cuModuleUnload")(module), 0);
    CHECK_EQ_INT(entry("cuLaunch")(put), HOST_INVALID_RESOURCE_HANDLE);
    end();
}

/* ---- the door ---- */
UNIT_CASE(door_exports_the_table_and_no_more)
{
    const char *build = getenv("LW_BUILD_DIR");
    char command[4096], line[512];
    int cuda = 0, other = 0, marker = 0;
    snprintf(command, sizeof command, "nm -D --defined-only '%s/lib/libcuda.so.1' 2>/dev/null",
             build ? build : "build");
    FILE *names = popen(command, "r");
    while (names && fgets(line, sizeof line, names)) {
        char *name = strrchr(line, ' ');
        if (!name) continue;
        name[strcspn(name, "\n")] = 0;
        if (!strcmp(name + 1, "lw_cuda_marker")) marker++;
        else if (entry(name + 1)) cuda++;
        else other++;
    }
    if (names) pclose(names);
    if (cuda + marker + other) {
        CHECK_EQ_INT(cuda, ROW_COUNT);
        CHECK_EQ_INT(marker, 1);
        CHECK_EQ_INT(other, 0);
    }
}

UNIT_MAIN()
