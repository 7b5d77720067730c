/* test_virtual: virtual memory management: reservations, physical memory, mappings, access, aliases, sharing by files. */
#include "unit.h"

#include "cuda/driver.h"
#include "host/virtual.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GRAIN ((size_t)HOST_PHYSICAL_GRAIN)
__attribute__((constructor)) static void set_up(void) { setenv("LANEWISE_DEVICES", "2", 1); }

/* copy: out[i] = in[i], one word a thread */
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry copy(.param .u64 in, .param .u64 out)\n"
                           "{\n.reg .b64 %rd<8>; .reg .b32 %r<4>;\nld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
                           "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;\n"
                           "add.s64 %rd5, %rd2, %rd3; ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd5], %r2; ret;\n}\n";

int lw_cuda_cuInit(unsigned flags);
int lw_cuda_cuMemGetAllocationGranularity(size_t *out, const host_physical_props *props, int option);
int lw_cuda_cuMemCreate(uint64_t *out, size_t bytes, const host_physical_props *props, unsigned long long flags);
int lw_cuda_cuMemRelease(uint64_t handle);
int lw_cuda_cuMemGetAllocationPropertiesFromHandle(host_physical_props *out, uint64_t handle);
int lw_cuda_cuMemRetainAllocationHandle(uint64_t *out, void *address);
int lw_cuda_cuMemExportToShareableHandle(void *out, uint64_t handle, int type, unsigned long long flags);
int lw_cuda_cuMemImportFromShareableHandle(uint64_t *out, void *handle, int type);
int lw_cuda_cuMemAddressReserve(uint64_t *out, size_t bytes, size_t alignment, uint64_t wanted,
                                unsigned long long flags);
int lw_cuda_cuMemAddressFree(uint64_t address, size_t bytes);
int lw_cuda_cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
int lw_cuda_cuMemUnmap(uint64_t address, size_t bytes);
int lw_cuda_cuMemSetAccess(uint64_t address, size_t bytes, const face_access_desc *list, size_t count);
int lw_cuda_cuMemGetAccess(unsigned long long *out, const host_location *location, uint64_t address);
int lw_cuda_cuMemFree_v2(uint64_t address);

static const host_physical_props props = {.type = 1, .handle_types = 1, .location = {HOST_LOCATION_DEVICE, 0}};

static uint64_t create(size_t bytes)
{
    uint64_t handle = 0;
    CHECK_EQ_INT(lw_cuda_cuMemCreate(&handle, bytes, &props, 0), 0);
    return handle;
}

static uint64_t reserve(size_t bytes)
{
    uint64_t address = 0;
    CHECK_EQ_INT(lw_cuda_cuMemAddressReserve(&address, bytes, 0, 0, 0), 0);
    return address;
}

static int allow(uint64_t address, size_t bytes, int device, int flags)
{
    face_access_desc desc = {.location = {HOST_LOCATION_DEVICE, device}, .flags = flags};
    return lw_cuda_cuMemSetAccess(address, bytes, &desc, 1);
}

static void release(uint64_t address, size_t bytes)
{
    CHECK_EQ_INT(lw_cuda_cuMemUnmap(address, bytes), 0);
    CHECK_EQ_INT(lw_cuda_cuMemAddressFree(address, bytes), 0);
}

static host_error copy_words(uint64_t in, uint64_t out, uint32_t threads)
{
    static host_module *m;
    host_context *c = host_get();
    host_kernel *k = NULL;
    host_part part = {"virtual.ptx", text, strlen(text)};
    lw_error error = {0};
    void *params[] = {&in, &out};
    if (!m) CHECK_EQ_INT(host_module_load(c, &part, 1, &m, &error), 0);
    CHECK_EQ_INT(host_module_kernel(m, "copy", &k), 0);
    host_launch_config config = {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .cluster = {1, 1, 1}};
    config.stream = host_stream_resolve(c, NULL, false);
    CHECK_EQ_INT(host_launch(k, &config, params, NULL, 0), 0);
    return host_synchronize(c);
}

static uint32_t *words(uint64_t address) { return mem_storage(address); }

UNIT_CASE(sizes_and_flags_are_checked)
{
    uint64_t x;
    size_t grain = 0;
    host_physical_props host = props;
    host.location.type = HOST_LOCATION_HOST;
    CHECK_EQ_INT(lw_cuda_cuInit(0), 0);
    CHECK_EQ_INT(lw_cuda_cuMemGetAllocationGranularity(&grain, &props, 0), 0);
    CHECK_EQ_INT(grain, 2 << 20);
    CHECK_EQ_INT(lw_cuda_cuMemCreate(&x, GRAIN + 1, &props, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemCreate(&x, GRAIN, &host, 0), HOST_NOT_SUPPORTED);
    CHECK_EQ_INT(lw_cuda_cuMemCreate(&x, (size_t)1 << 50, &props, 0), HOST_MEMORY_ALLOCATION);
    CHECK_EQ_INT(lw_cuda_cuMemAddressReserve(&x, 100, 0, 0, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemAddressReserve(&x, GRAIN, 3, 0, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemAddressReserve(&x, (size_t)1 << 60, 0, 0, 0), HOST_MEMORY_ALLOCATION);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(12345), HOST_INVALID_VALUE);
}

UNIT_CASE(mappings_are_accessed_as_allowed)
{
    uint64_t at = reserve(2 * GRAIN);
    uint64_t handle = create(GRAIN);
    unsigned long long access = 9;
    host_location first = {HOST_LOCATION_DEVICE, 0};
    CHECK_EQ_INT(lw_cuda_cuMemMap(at + GRAIN + 4096, GRAIN, 0, handle, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemMap(at, 2 * GRAIN, 0, handle, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemMap(at + 2 * GRAIN, GRAIN, 0, handle, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemMap(at, GRAIN, 0, handle, 0), 0);
    CHECK_EQ_INT(lw_cuda_cuMemMap(at, GRAIN, 0, handle, 0), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemGetAccess(&access, &first, at), 0);
    CHECK_EQ_INT(access, HOST_ACCESS_NONE);
    CHECK_EQ_INT(allow(at, 2 * GRAIN, 0, HOST_ACCESS_READ_WRITE), HOST_INVALID_VALUE);
    CHECK_EQ_INT(allow(at, GRAIN, 0, HOST_ACCESS_READ_WRITE), 0);
    CHECK_EQ_INT(lw_cuda_cuMemGetAccess(&access, &first, at), 0);
    CHECK_EQ_INT(access, HOST_ACCESS_READ_WRITE);
    words(at)[3] = 33;
    CHECK_EQ_INT(copy_words(at, at + 4096, 8), 0);
    CHECK_EQ_INT(words(at)[1024 + 3], 33);
    CHECK_EQ_INT(lw_cuda_cuMemFree_v2(at), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemAddressFree(at, 2 * GRAIN), HOST_INVALID_VALUE); /* it is mapped */
    CHECK_EQ_INT(lw_cuda_cuMemUnmap(at, 2 * GRAIN), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemUnmap(at, GRAIN), 0);
    CHECK_EQ_INT(lw_cuda_cuMemAddressFree(at, GRAIN), HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemAddressFree(at, 2 * GRAIN), 0);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(handle), 0);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(handle), HOST_INVALID_VALUE);
}

UNIT_CASE(aliases_share_bytes)
{
    uint64_t a = reserve(GRAIN);
    uint64_t b = reserve(GRAIN);
    uint64_t handle = create(GRAIN);
    uint64_t again = 0;
    host_physical_props back;
    CHECK_EQ_INT(lw_cuda_cuMemMap(a, GRAIN, 0, handle, 0), 0);
    CHECK_EQ_INT(lw_cuda_cuMemMap(b, GRAIN, 0, handle, 0), 0);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(handle), 0);
    CHECK_EQ_INT(allow(a, GRAIN, 0, HOST_ACCESS_READ_WRITE), 0);
    CHECK_EQ_INT(allow(b, GRAIN, 0, HOST_ACCESS_READ_WRITE), 0);
    words(a)[5] = 55;
    CHECK_EQ_INT(words(b)[5], 55);
    CHECK_EQ_INT(lw_cuda_cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(b + 100)), 0);
    CHECK_EQ_INT(again, handle);
    CHECK_EQ_INT(lw_cuda_cuMemGetAllocationPropertiesFromHandle(&back, again), 0);
    CHECK(!memcmp(&back, &props, sizeof back));
    release(a, GRAIN);
    CHECK_EQ_INT(words(b)[5], 55);
    release(b, GRAIN);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(again), 0);
}

/* As PyTorch's expandable segments: one tensor over several mappings. */
UNIT_CASE(neighbours_are_one_range)
{
    host_context *c = host_get();
    uint64_t at = reserve(4 * GRAIN);
    for (int k = 0; k < 3; k++) {
        uint64_t handle = create(GRAIN);
        CHECK_EQ_INT(lw_cuda_cuMemMap(at + (size_t)k * GRAIN, GRAIN, 0, handle, 0), 0);
        CHECK_EQ_INT(lw_cuda_cuMemRelease(handle), 0);
    }
    CHECK_EQ_INT(allow(at, 3 * GRAIN, 0, HOST_ACCESS_READ_WRITE), 0);
    host_fill fill = {{at, 3 * GRAIN, 1}, 7, 1, 3 * GRAIN, 1, 1};
    CHECK_EQ_INT(host_fill_put(c, host_stream_resolve(c, NULL, false), &fill, true), 0);
    CHECK_EQ_INT(words(at + 3 * GRAIN - 4)[0], 0x07070707);
    fill.width++;
    CHECK(host_fill_put(c, host_stream_resolve(c, NULL, false), &fill, true) != 0);
    words(at + GRAIN - 8)[2] = 9; /* the first word of the second mapping */
    CHECK_EQ_INT(copy_words(at + GRAIN - 8, at, 4), 0);
    CHECK_EQ_INT(words(at)[2], 9);
    CHECK_EQ_INT(lw_cuda_cuMemUnmap(at, 3 * GRAIN), 0);
    CHECK_EQ_INT(lw_cuda_cuMemAddressFree(at, 4 * GRAIN), 0);
}

UNIT_CASE(files_share_memory)
{
    uint64_t a = reserve(GRAIN);
    uint64_t b = reserve(GRAIN);
    uint64_t handle = create(GRAIN);
    uint64_t imported = 0;
    int fd = -1;
    CHECK_EQ_INT(lw_cuda_cuMemExportToShareableHandle(&fd, handle, 1, 0), 0);
    CHECK_EQ_INT(lw_cuda_cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd, 1), 0);
    CHECK(imported != handle);
    close(fd);
    CHECK_EQ_INT(lw_cuda_cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)STDIN_FILENO, 1),
                 HOST_INVALID_VALUE);
    CHECK_EQ_INT(lw_cuda_cuMemMap(a, GRAIN, 0, handle, 0), 0);
    CHECK_EQ_INT(lw_cuda_cuMemMap(b, GRAIN, 0, imported, 0), 0);
    words(a)[1] = 11;
    CHECK_EQ_INT(words(b)[1], 11);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(handle), 0);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(imported), 0);
    release(a, GRAIN);
    release(b, GRAIN);
}

UNIT_CASE(what_is_not_allowed_faults)
{
    uint64_t at = reserve(2 * GRAIN);
    uint64_t handle = create(GRAIN);
    CHECK_EQ_INT(lw_cuda_cuMemMap(at, GRAIN, 0, handle, 0), 0);
    CHECK_EQ_INT(allow(at, GRAIN, 1, HOST_ACCESS_READ_WRITE), 0);
    CHECK_EQ_INT(copy_words(at, at, 1), HOST_ILLEGAL_ADDRESS); /* another device may, this one may not */
    CHECK_EQ_INT(host_reset(host_get()), 0);                   /* mappings outlive contexts */
    CHECK_EQ_INT(allow(at, GRAIN, 0, HOST_ACCESS_READ_WRITE), 0);
    CHECK_EQ_INT(copy_words(at + GRAIN - 16, at, 4), 0);
    CHECK_EQ_INT(copy_words(at + GRAIN - 16, at, 5), HOST_ILLEGAL_ADDRESS); /* reserved, not mapped */
    CHECK_EQ_INT(host_reset(host_get()), 0);
    CHECK_EQ_INT(lw_cuda_cuMemRelease(handle), 0);
    CHECK_EQ_INT(lw_cuda_cuMemUnmap(at, GRAIN), 0);
    CHECK_EQ_INT(lw_cuda_cuMemAddressFree(at, 2 * GRAIN), 0);
}

UNIT_MAIN()
