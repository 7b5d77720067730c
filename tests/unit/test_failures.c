/* test_failures: calls that fail, as findings in the results file: what becomes one, what never does, and when an error
 * becomes a note. The runtime's and the driver's entry points are called as programs call them. */
#include "cuda/driver.h"
#include "cudart/cudart.h"
#include "result/result.h"
#include "unit.h"

#include <dirent.h>
#include <unistd.h>

int lw_cudart_cudaGetLastError(void);
int lw_cudart_cudaPeekAtLastError(void);
int lw_cudart_cudaSetDevice(int device);
int lw_cudart_cudaMalloc(void **out, size_t bytes);
int lw_cudart_cudaMallocHost(void **out, size_t bytes);
int lw_cudart_cudaFree(void *pointer);
int lw_cudart_cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int lw_cudart_cudaMemcpy_ptds(void *dst, const void *src, size_t bytes, int kind);
int lw_cudart_cudaStreamCreate(host_stream **out);
int lw_cudart_cudaStreamDestroy(host_stream *stream);
int lw_cudart_cudaStreamQuery(void *stream);
int lw_cudart_cudaLaunchKernel(const void *function, rt_dim3 grid, rt_dim3 block, void **args, size_t shared,
                               void *stream);
int lw_cudart_cudaDeviceGetAttribute(int *value, int attribute, int device);
int lw_cudart_cudaPointerGetAttributes(rt_pointer_attributes *out, const void *pointer);
const char *lw_cudart_cudaGetErrorString(int error);
int lw_cuda_cuInit(unsigned flags);
int lw_cuda_cuMemFree_v2(uint64_t pointer);
int lw_cuda_cuLaunchKernel(host_kernel *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                           unsigned bz, unsigned shared, void *stream, void **params, void **extra);

static char path[256];

/* Before anything uses the context, which opens the file when it is made. */
__attribute__((constructor)) static void make_results(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/lw-test-failures-%d", folder ? folder : "/tmp", (int)getpid());
    if (result_log_create(path, NULL)) exit(2);
    setenv("LANEWISE_RESULTS", path, 1);
}

__attribute__((destructor)) static void remove_results(void) { unlink(path); }

static result_set all;

/* The finding about a call and an error, or NULL; valid until the next call of this. */
static const result_finding *found(const char *call, const char *error)
{
    result_set_free(&all);
    all = (result_set){0};
    if (result_log_read(path, &all, NULL)) return NULL;
    for (size_t i = 0; i < all.findings.count; i++) {
        const result_finding *f = &all.findings.items[i];
        if (f->call && !strcmp(f->call, call) && !strcmp(f->error, error)) return f;
    }
    return NULL;
}

UNIT_CASE(an_error_that_nobody_reads_is_an_error)
{
    CHECK_EQ_INT(lw_cudart_cudaSetDevice(0), 0);
    CHECK_EQ_INT(lw_cudart_cudaSetDevice(3), HOST_INVALID_DEVICE);
    const result_finding *f = found("cudaSetDevice", "cudaErrorInvalidDevice");
    REQUIRE(f != NULL);
    CHECK_STR(f->check, "api");
    CHECK_STR(f->severity, "error");
    CHECK_EQ_INT(f->call_number, 2);
    CHECK_HAS(f->site, "+0x"); /* here the core is part of the program: a frame above the program is found */
    CHECK_HAS(f->message,
              "cudaSetDevice returned cudaErrorInvalidDevice (invalid device ordinal). There are as many devices as ");
}

UNIT_CASE(the_last_error_read_makes_it_a_note)
{
    CHECK_EQ_INT(lw_cudart_cudaPeekAtLastError(), HOST_INVALID_DEVICE);
    const result_finding *f = found("cudaSetDevice", "cudaErrorInvalidDevice");
    REQUIRE(f != NULL);
    CHECK_STR(f->severity, "note");
    CHECK_EQ_INT(lw_cudart_cudaGetLastError(), HOST_INVALID_DEVICE); /* itself no failure */
    CHECK(found("cudaGetLastError", "cudaErrorInvalidDevice") == NULL);
}

UNIT_CASE(its_text_asked_for_makes_it_a_note)
{
    int on_stack = 0;
    CHECK_EQ_INT(lw_cudart_cudaFree(&on_stack), HOST_INVALID_VALUE);
    lw_cudart_cudaGetErrorString(HOST_INVALID_DEVICE); /* another one */
    const result_finding *f = found("cudaFree", "cudaErrorInvalidValue");
    REQUIRE(f != NULL);
    CHECK_STR(f->severity, "error");
    lw_cudart_cudaGetErrorString(HOST_INVALID_VALUE);
    f = found("cudaFree", "cudaErrorInvalidValue");
    REQUIRE(f != NULL);
    CHECK_STR(f->severity, "note");
    lw_cudart_cudaGetLastError();
}

UNIT_CASE(one_of_many_left_unread_keeps_it_an_error)
{
    int (*volatile copy)(void *, const void *, size_t, int) = lw_cudart_cudaMemcpy_ptds;
    for (volatile int i = 0; i < 3; i++) { /* volatile: one place, also for compilers that unroll */
        if (i == 2) lw_cudart_cudaGetLastError();
        CHECK_EQ_INT(copy(NULL, NULL, 4, HOST_COPY_H2D), HOST_INVALID_VALUE);
    }
    const result_finding *f = found("cudaMemcpy", "cudaErrorInvalidValue");
    REQUIRE(f != NULL);
    CHECK_EQ_INT(f->count, 3);
    CHECK_STR(f->severity, "error");
    lw_cudart_cudaGetLastError();
    f = found("cudaMemcpy", "cudaErrorInvalidValue");
    REQUIRE(f != NULL);
    CHECK_STR(f->severity, "note");
}

UNIT_CASE(a_call_is_named_as_the_program_writes_it)
{
    CHECK_EQ_INT(lw_cudart_cudaMallocHost(NULL, 4), HOST_INVALID_VALUE); /* made of the same body as cudaHostAlloc */
    CHECK(found("cudaMallocHost", "cudaErrorInvalidValue") != NULL);
    lw_cudart_cudaGetLastError();
}

UNIT_CASE(what_is_never_a_finding)
{
    int value;
    size_t before;
    rt_pointer_attributes attributes;
    found("", "");
    before = all.findings.count;
    CHECK_EQ_INT(lw_cudart_cudaDeviceGetAttribute(&value, 9999, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cudart_cudaPointerGetAttributes(NULL, &value), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cudart_cudaPointerGetAttributes(&attributes, &value), 0);
    CHECK_EQ_INT(lw_cudart_cudaGetLastError(), HOST_INVALID_VALUE); /* it is still the last error */
    face_end(&rt_book, "lw_cudart_cudaStreamQuery", HOST_NOT_READY);
    face_end(&rt_book, "lw_cudart_cudaDeviceEnablePeerAccess", HOST_PEER_ACCESS_ALREADY_ENABLED);
    found("", "");
    CHECK_EQ_INT(all.findings.count, before);
}

UNIT_CASE(a_launch_of_nothing)
{
    rt_dim3 one = {{1, 1, 1}};
    CHECK_EQ_INT(lw_cudart_cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), HOST_INVALID_DEVICE_FUNCTION);
    const result_finding *f = found("cudaLaunchKernel", "cudaErrorInvalidDeviceFunction");
    REQUIRE(f != NULL);
    CHECK_STR(f->severity, "error");
    CHECK_HAS(f->message, "no kernel of this program");
    lw_cudart_cudaGetLastError();
}

/* The driver keeps no last error: what the caller does with the result is not known, but a launch must not be lost. */
UNIT_CASE(the_drivers_failures_are_notes_but_for_launches)
{
    CHECK_EQ_INT(lw_cuda_cuInit(0), 0);
    CHECK_EQ_INT(lw_cuda_cuMemFree_v2(12345), HOST_INVALID_VALUE);
    const result_finding *f = found("cuMemFree", "CUDA_ERROR_INVALID_VALUE");
    REQUIRE(f != NULL);
    CHECK_STR(f->severity, "note");
    CHECK_EQ_INT(lw_cuda_cuLaunchKernel((host_kernel *)path, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                 HOST_INVALID_RESOURCE_HANDLE);
    f = found("cuLaunchKernel", "CUDA_ERROR_INVALID_HANDLE");
    REQUIRE(f != NULL);
    CHECK_STR(f->severity, "error");
}

/* ---- every entry point ends in the one place ---- */
static bool ends_well(const char *text)
{
    static const char *const ends[] = {"return rt_end(", "return cu_end(", "return lw_cudart_", "return lw_cuda_",
                                       /* the calls that read the last error must not fail with it */
                                       "return error;"};
    for (size_t i = 0; i < LW_COUNT(ends); i++)
        if (!strncmp(text, ends[i], strlen(ends[i]))) return true;
    return false;
}

static bool reads_last_error(const char *line) { return strstr(line, "LastError)(") != NULL; }

static int check_file(const char *folder, const char *name)
{
    char file[512];
    char line[1024];
    int entries = 0;
    bool inside = false;
    bool last_error = false;
    snprintf(file, sizeof file, "%s/%s", folder, name);
    FILE *in = fopen(file, "r");
    for (int n = 1; in && fgets(line, sizeof line, in); n++) {
        bool starts = !strncmp(line, "RT(", 3) || !strncmp(line, "CU(", 3);
        if (starts) {
            inside = true;
            last_error = reads_last_error(line);
            entries++;
        }
        const char *at = inside ? strstr(line, "return ") : NULL;
        bool plain = at && !strncmp(at, "return error;", 13) && !last_error;
        if (at && (!ends_well(at) || plain)) UNIT_FAIL("%s:%d ends an entry point in another way: %s", file, n, at);
        if (inside && (line[0] == '}' || (starts && strchr(line, '}')))) inside = false;
    }
    if (in) fclose(in);
    return entries;
}

UNIT_CASE(every_entry_point_ends_in_one_place)
{
    static const char *const folders[] = {"src/cudart", "src/cuda"};
    int entries = 0;
    for (size_t i = 0; i < LW_COUNT(folders); i++) {
        DIR *d = opendir(folders[i]);
        REQUIRE(d != NULL);
        for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
            size_t length = strlen(e->d_name);
            if (length > 2 && !strcmp(e->d_name + length - 2, ".c")) entries += check_file(folders[i], e->d_name);
        }
        closedir(d);
    }
    CHECK(entries > 150);
}

UNIT_MAIN()
