/* test_cudart: the runtime face's table, its doors' symbols, last errors, unsupported calls. */
#include "unit.h"

#include <pthread.h>

#include "cudart/cudart.h"
#include "door/door.h"
#include "face/face_abi.h"

const void *const *lw_core_table(const char *door, unsigned abi, size_t *count);
int lw_cudart_cudaGetLastError(void);
int lw_cudart_cudaPeekAtLastError(void);
int lw_cudart_cudaMalloc(void **out, size_t bytes);
int lw_cudart_cudaGetDeviceProperties(rt_device_prop *out, int device);
int lw_cudart_cudaSetDevice(int device);
int lw_cudart_cudaStreamSynchronize(void *stream);
int lw_cudart_cudaStreamCreate(void **out);
int lw_cudart_cudaStreamDestroy(void *stream);
int lw_cudart_cudaStreamCopyAttributes(void *stream, void *source);
int lw_cudart_cudaStreamGetAttribute(void *stream, int attribute, face_attribute_value *out);
int lw_cudart_cudaStreamSetAttribute(void *stream, int attribute, const face_attribute_value *value);
int lw_cudart_cudaLaunchKernel(const void *function, rt_dim3 grid, rt_dim3 block, void **args, size_t shared,
                               void *stream);
const char *lw_cudart_cudaGetErrorName(int error);

enum {
#define ENTRY(name, kind, group) ROW_##name,
#include "cudart/entrypoints.def"
#undef ENTRY
    ROW_COUNT
};

static const char *const names[] = {
#define ENTRY(name, kind, group) #name,
#include "cudart/entrypoints.def"
#undef ENTRY
};

UNIT_CASE(table_has_every_entry_point_once)
{
    CHECK_EQ_INT(ROW_COUNT, 422 + 1); /* what libcudart.so.13 of CUDA 13.0 exports, and __cudaLanewiseManaged */
    for (size_t i = 0; i < ROW_COUNT; i++)
        for (size_t k = i + 1; k < ROW_COUNT; k++)
            if (!strcmp(names[i], names[k])) UNIT_FAIL("%s is there twice", names[i]);
}

UNIT_CASE(core_table)
{
    size_t count = 0;
    const void *const *table = lw_core_table("cudart", LW_DOOR_ABI, &count);
    REQUIRE(table != NULL);
    CHECK_EQ_INT(count, ROW_COUNT);
    for (size_t i = 0; i < count; i++) CHECK(table[i] != NULL);
    CHECK(table[ROW_cudaMalloc] == (const void *)lw_cudart_cudaMalloc);
    CHECK(lw_core_table("cudart", LW_DOOR_ABI + 1, &count) == NULL);
    CHECK(lw_core_table("nothing", LW_DOOR_ABI, &count) == NULL);
}

UNIT_CASE(unsupported_calls_say_so)
{
    size_t count = 0;
    const void *const *table = lw_core_table("cudart", LW_DOOR_ABI, &count);
    REQUIRE(table != NULL);
    int (*plane)(void *, void *, unsigned) = (int (*)(void *, void *, unsigned))table[ROW_cudaArrayGetPlane];
    CHECK_EQ_INT(plane(NULL, NULL, 0), HOST_NOT_SUPPORTED);
    CHECK_EQ_INT(lw_cudart_cudaGetLastError(), HOST_NOT_SUPPORTED);
    CHECK_EQ_INT(lw_cudart_cudaGetLastError(), 0);
}

static void *other_thread(void *unused)
{
    (void)unused;
    CHECK_EQ_INT(lw_cudart_cudaPeekAtLastError(), 0);
    return NULL;
}

UNIT_CASE(last_errors_belong_to_threads)
{
    pthread_t thread;
    CHECK_EQ_INT(lw_cudart_cudaSetDevice(17), HOST_INVALID_DEVICE);
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    CHECK_EQ_INT(lw_cudart_cudaPeekAtLastError(), HOST_INVALID_DEVICE);
    CHECK_EQ_INT(lw_cudart_cudaStreamSynchronize(NULL), 0); /* success does not clear it */
    CHECK_EQ_INT(lw_cudart_cudaGetLastError(), HOST_INVALID_DEVICE);
    CHECK_EQ_INT(lw_cudart_cudaGetLastError(), 0);
}

UNIT_CASE(bad_handles)
{
    int nothing = 0;
    rt_dim3 one = {{1, 1, 1}};
    CHECK_EQ_INT(lw_cudart_cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), HOST_INVALID_DEVICE_FUNCTION);
    CHECK_EQ_INT(lw_cudart_cudaLaunchKernel(&nothing, one, one, NULL, 0, NULL), HOST_INVALID_RESOURCE_HANDLE);
    CHECK_EQ_INT(lw_cudart_cudaStreamSynchronize((void *)0x77), HOST_INVALID_RESOURCE_HANDLE);
    CHECK_STR(lw_cudart_cudaGetErrorName(HOST_INVALID_RESOURCE_HANDLE), "cudaErrorInvalidResourceHandle");
    CHECK_STR(lw_cudart_cudaGetErrorName(4711), "unrecognized error code");
    lw_cudart_cudaGetLastError();
}

UNIT_CASE(properties_of_the_default_device)
{
    rt_device_prop p;
    CHECK_EQ_INT(lw_cudart_cudaGetDeviceProperties(&p, 0), 0);
    CHECK_EQ_INT(p.warp_size, 32);
    CHECK_EQ_INT(p.major, 9);
    CHECK_EQ_INT(p.sm_count, 132);
    CHECK_EQ_INT(p.shared_optin, 232448);
    CHECK_EQ_INT(p.max_grid[0], 2147483647);
    CHECK_EQ_INT(p.blocks_per_sm, 32);
    CHECK_EQ_INT(lw_cudart_cudaGetDeviceProperties(&p, 1), HOST_INVALID_DEVICE);
    lw_cudart_cudaGetLastError();
}

/* Symbols that a library defines for others, by nm; "" if there is no nm or no library. */
static char *symbols_of(const char *library, const char *options)
{
    char command[4096];
    const char *build = getenv("LW_BUILD_DIR");
    lw_text text = {0};
    snprintf(command, sizeof command, "nm %s --defined-only %s/lib/%s 2>/dev/null", options, build ? build : "build",
             library);
    FILE *pipe = popen(command, "r");
    char line[512];
    while (pipe && fgets(line, sizeof line, pipe)) lw_text_append(&text, line, strlen(line));
    if (pipe) pclose(pipe);
    return text.data ? text.data : lw_strdup("");
}

static void check_symbols(const char *library, const char *options)
{
    char *list = symbols_of(library, options);
    int cuda = 0, marker = 0, other = 0;
    if (!*list) printf("    %s is not built here, or there is no nm: skipped\n", library);
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        const char *name = strrchr(line, ' ');
        if (!name || line[strlen(line) - 1] == ':' || strstr(line, " A ")) continue; /* member and version names */
        name++;
        if (!strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6)) {
            cuda++;
        } else if (!strncmp(name, "lw_cudart_marker", 16)) {
            marker++;
        } else {
            other++;
            printf("    %s: %s\n", library, name);
        }
    }
    if (cuda + marker + other) {
        CHECK_EQ_INT(cuda, ROW_COUNT);
        CHECK_EQ_INT(marker, 1);
        CHECK_EQ_INT(other, 0);
    }
    free(list);
}

UNIT_CASE(doors_export_nothing_else)
{
    check_symbols("libcudart_static.a", "-g");
    check_symbols("libcudart.so.13", "-D");
}

UNIT_MAIN()

UNIT_CASE(access_policy_windows_have_a_greatest_length)
{
    rt_device_prop prop;
    CHECK_EQ_INT(lw_cudart_cudaGetDeviceProperties(&prop, 0), 0);
    face_attribute_value value = {.window = {.bytes = (size_t)prop.access_policy_window, .hit_ratio = 1}};
    CHECK_EQ_INT(lw_cudart_cudaStreamSetAttribute(NULL, FACE_ATTRIBUTE_ACCESS_POLICY, &value), 0);
    value.window.bytes++;
    CHECK_EQ_INT(lw_cudart_cudaStreamSetAttribute(NULL, FACE_ATTRIBUTE_ACCESS_POLICY, &value),
                 1); /* cudaErrorInvalidValue */
}

static int set_window(void *stream, float ratio, int hit, int miss)
{
    face_attribute_value value = {.window = {4096, 1 << 20, ratio, hit, miss}};
    return lw_cudart_cudaStreamSetAttribute(stream, FACE_ATTRIBUTE_ACCESS_POLICY, &value);
}

/* As on an H200, driver 580.159.04: what it refuses leaves the window as it was. */
UNIT_CASE(access_policy_windows_are_kept)
{
    void *stream, *other;
    face_attribute_value got;
    CHECK_EQ_INT(lw_cudart_cudaStreamCreate(&stream), 0);
    CHECK_EQ_INT(lw_cudart_cudaStreamCreate(&other), 0);
    CHECK_EQ_INT(lw_cudart_cudaStreamGetAttribute(stream, FACE_ATTRIBUTE_ACCESS_POLICY, &got), 0);
    CHECK_EQ_INT(got.window.bytes, 0);
    CHECK_EQ_INT(set_window(stream, 0.5f, HOST_ACCESS_PERSISTING, HOST_ACCESS_STREAMING), 0);
    CHECK_EQ_INT(set_window(stream, 1.5f, HOST_ACCESS_NORMAL, HOST_ACCESS_NORMAL), 1);
    CHECK_EQ_INT(set_window(stream, -1, HOST_ACCESS_NORMAL, HOST_ACCESS_NORMAL), 1);
    CHECK_EQ_INT(set_window(stream, 1, HOST_ACCESS_NORMAL, HOST_ACCESS_PERSISTING), 1);
    CHECK_EQ_INT(lw_cudart_cudaStreamCopyAttributes(other, stream), 0);
    CHECK_EQ_INT(lw_cudart_cudaStreamGetAttribute(other, FACE_ATTRIBUTE_ACCESS_POLICY, &got), 0);
    CHECK(got.window.hit_ratio == 0.5f);
    CHECK_EQ_INT(got.window.hit, HOST_ACCESS_PERSISTING);
    CHECK_EQ_INT(got.window.miss, HOST_ACCESS_STREAMING);
    CHECK_EQ_INT(set_window(stream, 1, 7, 7), 0);
    CHECK_EQ_INT(lw_cudart_cudaStreamDestroy(stream), 0);
    CHECK_EQ_INT(lw_cudart_cudaStreamDestroy(other), 0);
}
