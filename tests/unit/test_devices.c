/* test_devices: several devices in one process: what is current per thread, handles and memory of each, peers. */
#include "unit.h"

#include "cuda/driver.h"
#include "cudart/cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES 3
__attribute__((constructor)) static void set_up(void) { setenv("LANEWISE_DEVICES", "3", 1); }

/* read: *out = *in; bump: *out = ++counter */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 counter = 10;\n"
    ".visible .entry read(.param .u64 in, .param .u64 out)\n"
    "{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
    "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1; ret;\n}\n"
    ".visible .entry bump(.param .u64 out)\n"
    "{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nld.param.u64 %rd1, [out];\n"
    "ld.global.u32 %r1, [counter]; add.u32 %r2, %r1, 1; st.global.u32 [counter], %r2; st.global.u32 [%rd1], %r2; "
    "ret;\n}\n";

int lw_cudart_cudaGetDevice(int *device);
int lw_cudart_cudaGetDeviceCount(int *count);
int lw_cudart_cudaSetDevice(int device);
int lw_cudart_cudaMalloc(void **out, size_t bytes);
int lw_cudart_cudaMemGetInfo(size_t *available, size_t *total);
int lw_cudart_cudaPointerGetAttributes(rt_pointer_attributes *out, const void *pointer);
int lw_cudart_cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int lw_cudart_cudaDeviceDisablePeerAccess(int peer);
int lw_cudart_cudaDeviceReset(void);
int lw_cuda_cuCtxGetCurrent(cu_context **out);
int lw_cuda_cuCtxGetDevice(int *out);
int lw_cuda_cuCtxCreate_v2(cu_context **out, unsigned flags, int device);
int lw_cuda_cuCtxDestroy_v2(cu_context *context);
int lw_cuda_cuCtxPopCurrent_v2(cu_context **out);

static void use(int device) { CHECK_EQ_INT(lw_cudart_cudaSetDevice(device), 0); }

static uint64_t allocate(int device)
{
    void *p = NULL;
    use(device);
    CHECK_EQ_INT(lw_cudart_cudaMalloc(&p, 256), 0);
    return (uint64_t)(uintptr_t)p;
}

static host_module *module(void)
{
    static host_module *m;
    host_part part = {"devices.ptx", text, strlen(text)};
    lw_error error = {0};
    if (!m) CHECK_EQ_INT(host_module_load(host_get(), &part, 1, &m, &error), 0);
    return m;
}

/* Launches on a device's stream (NULL: its default stream) and waits. */
static host_error launch(const char *name, int device, host_stream *s, void **params)
{
    host_context *c = host_get();
    host_kernel *k = NULL;
    CHECK_EQ_INT(host_module_kernel(module(), name, &k), 0);
    CHECK_EQ_INT(host_kernel_on(k, (uint32_t)device, &k), 0);
    host_launch_config config = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}};
    config.stream = s ? s : host_stream_resolve(c, NULL, false);
    host_error error = host_launch(k, &config, params, NULL, 0);
    return error ? error : host_synchronize(c);
}

static void *current_of_thread(void *out)
{
    lw_cudart_cudaGetDevice(out);
    return NULL;
}

UNIT_CASE(each_thread_has_a_current_device)
{
    int count = 0;
    int device = -1;
    int other = -1;
    pthread_t thread;
    CHECK_EQ_INT(lw_cudart_cudaGetDeviceCount(&count), 0);
    CHECK_EQ_INT(count, DEVICES);
    use(2);
    CHECK_EQ_INT(lw_cudart_cudaGetDevice(&device), 0);
    CHECK_EQ_INT(device, 2);
    pthread_create(&thread, NULL, current_of_thread, &other);
    pthread_join(thread, NULL);
    CHECK_EQ_INT(other, 0);
    CHECK_EQ_INT(lw_cudart_cudaSetDevice(DEVICES), HOST_INVALID_DEVICE);
    CHECK_EQ_INT(lw_cudart_cudaSetDevice(-1), HOST_INVALID_DEVICE);
}

UNIT_CASE(devices_differ_in_identity_alone)
{
    uint8_t uuid[DEVICES][16];
    int id[DEVICES];
    int sms[DEVICES];
    for (uint32_t d = 0; d < DEVICES; d++) {
        host_device_uuid(host_get(), d, uuid[d]);
        CHECK_EQ_INT(host_device_attribute(host_get(), d, HOST_DEVICE_PCI_DEVICE_ID, &id[d]), 0);
        CHECK_EQ_INT(host_device_attribute(host_get(), d, HOST_DEVICE_MULTIPROCESSOR_COUNT, &sms[d]), 0);
        CHECK_EQ_INT(sms[d], sms[0]);
        for (uint32_t e = 0; e < d; e++) CHECK(id[e] != id[d] && memcmp(uuid[e], uuid[d], 16) != 0);
    }
}

UNIT_CASE(memory_is_of_a_device)
{
    size_t before[2];
    size_t after[2];
    size_t total;
    rt_pointer_attributes a;
    for (int d = 0; d < 2; d++) {
        use(d);
        CHECK_EQ_INT(lw_cudart_cudaMemGetInfo(&before[d], &total), 0);
    }
    uint64_t p = allocate(1);
    CHECK_EQ_INT(lw_cudart_cudaPointerGetAttributes(&a, (void *)(uintptr_t)p), 0);
    CHECK_EQ_INT(a.device, 1);
    for (int d = 0; d < 2; d++) {
        use(d);
        CHECK_EQ_INT(lw_cudart_cudaMemGetInfo(&after[d], &total), 0);
    }
    CHECK_EQ_INT(before[0], after[0]);
    CHECK_EQ_INT(before[1] - after[1], 512);
    CHECK_EQ_INT(host_free(host_get(), p), 0);
}

UNIT_CASE(handles_belong_to_a_device)
{
    host_context *c = host_get();
    host_stream *s = NULL;
    host_event *e[2] = {NULL, NULL};
    uint64_t p = allocate(1);
    void *params[] = {&p};
    CHECK_EQ_INT(host_stream_create(c, 0, 0, &s), 0);
    CHECK_EQ_INT(host_event_create(c, 0, &e[1]), 0);
    CHECK_EQ_INT(host_stream_device(s), 1);
    use(0);
    CHECK_EQ_INT(host_event_create(c, 0, &e[0]), 0);
    CHECK_EQ_INT(launch("bump", 0, s, params), HOST_INVALID_RESOURCE_HANDLE);
    CHECK_EQ_INT(host_event_record(e[0], s, 0), HOST_INVALID_RESOURCE_HANDLE);
    CHECK_EQ_INT(host_event_record(e[1], s, 0), 0);
    CHECK_EQ_INT(host_stream_wait_event(host_stream_resolve(c, NULL, false), e[1], 0), 0); /* across devices */
    CHECK_EQ_INT(host_copy_flat(p, p, 4, HOST_COPY_DEFAULT).width, 4);
    CHECK_EQ_INT(launch("bump", 1, s, params), 0);
    CHECK(host_stream_resolve(c, NULL, false) != s);
    void *first = host_stream_resolve(c, NULL, false);
    use(1);
    CHECK(host_stream_resolve(c, NULL, false) != first);
    host_event_destroy(c, e[0]);
    host_event_destroy(c, e[1]);
    host_stream_destroy(c, s);
    host_free(c, p);
}

/* The host reads what a device address names. */
static uint32_t word(uint64_t address) { return *(uint32_t *)mem_storage(address); }

UNIT_CASE(globals_are_per_device)
{
    uint64_t out[2] = {allocate(0), allocate(1)};
    uint64_t address[2];
    for (int d = 0; d < 2; d++) {
        host_module *m;
        void *params[] = {&out[d]};
        CHECK_EQ_INT(host_module_on(module(), (uint32_t)d, &m), 0);
        CHECK_EQ_INT(host_module_symbol(m, "counter", &address[d], NULL), 0);
        use(d);
        uint32_t was = word(address[d]);
        CHECK_EQ_INT(launch("bump", d, NULL, params), 0);
        CHECK_EQ_INT(word(out[d]), was + 1);
    }
    CHECK(address[0] != address[1]);
    uint32_t second = word(address[1]);
    void *params[] = {&out[0]};
    use(0);
    CHECK_EQ_INT(launch("bump", 0, NULL, params), 0);
    CHECK_EQ_INT(word(address[1]), second);
    host_free(host_get(), out[0]);
    host_free(host_get(), out[1]);
}

UNIT_CASE(peers_are_reached_when_enabled)
{
    host_context *c = host_get();
    uint64_t in = allocate(1);
    uint64_t out = allocate(0);
    void *params[] = {&in, &out};
    *(uint32_t *)mem_storage(in) = 77;
    CHECK_EQ_INT(lw_cudart_cudaDeviceEnablePeerAccess(0, 0), HOST_PEER_ACCESS_UNSUPPORTED);
    CHECK_EQ_INT(lw_cudart_cudaDeviceDisablePeerAccess(1), HOST_PEER_ACCESS_NOT_ENABLED);
    CHECK_EQ_INT(lw_cudart_cudaDeviceEnablePeerAccess(1, 0), 0);
    CHECK_EQ_INT(lw_cudart_cudaDeviceEnablePeerAccess(1, 0), HOST_PEER_ACCESS_ALREADY_ENABLED);
    CHECK_EQ_INT(launch("read", 0, NULL, params), 0);
    CHECK_EQ_INT(word(out), 77);
    CHECK_EQ_INT(lw_cudart_cudaDeviceDisablePeerAccess(1), 0);
    CHECK_EQ_INT(launch("read", 0, NULL, params), HOST_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(host_reset(c), 0);
}

UNIT_CASE(pools_list_who_may_access)
{
    host_context *c = host_get();
    uint64_t in = 0;
    host_pool *pool = host_pool_default(c, 1, MEM_DEVICE);
    use(1);
    CHECK_EQ_INT(host_malloc_async(c, NULL, host_stream_resolve(c, NULL, false), 64, &in), 0);
    uint64_t out = allocate(0);
    void *params[] = {&in, &out};
    CHECK_EQ_INT(host_pool_access(c, pool, HOST_LOCATION_DEVICE, 0), HOST_ACCESS_NONE);
    CHECK_EQ_INT(host_pool_set_access(c, pool, 0, HOST_ACCESS_READ), HOST_NOT_SUPPORTED);
    CHECK_EQ_INT(host_pool_set_access(c, pool, 0, HOST_ACCESS_READ_WRITE), 0);
    CHECK_EQ_INT(launch("read", 0, NULL, params), 0);
    void *back[] = {&out, &in};
    CHECK_EQ_INT(launch("read", 0, NULL, back), 0);
    CHECK_EQ_INT(host_pool_set_access(c, pool, 0, HOST_ACCESS_NONE), 0);
    CHECK_EQ_INT(launch("read", 0, NULL, params), HOST_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(host_reset(c), 0);
}

UNIT_CASE(contexts_of_the_driver_follow)
{
    cu_context *created;
    cu_context *current;
    int device = -1;
    use(0);
    CHECK_EQ_INT(lw_cuda_cuCtxCreate_v2(&created, 0, 2), 0);
    CHECK_EQ_INT(lw_cudart_cudaGetDevice(&device), 0);
    CHECK_EQ_INT(device, 2);
    use(1); /* makes the primary context of device 1 current */
    CHECK_EQ_INT(lw_cuda_cuCtxGetDevice(&device), 0);
    CHECK_EQ_INT(device, 1);
    CHECK_EQ_INT(lw_cuda_cuCtxGetCurrent(&current), 0);
    CHECK(current == cu_primary(1) && current != created);
    CHECK_EQ_INT(lw_cuda_cuCtxPopCurrent_v2(&current), 0);
    CHECK_EQ_INT(lw_cuda_cuCtxDestroy_v2(created), 0);
}

UNIT_CASE(a_reset_leaves_other_devices_alone)
{
    host_context *c = host_get();
    mem_allocation a;
    uint64_t p[2] = {allocate(0), allocate(1)};
    host_stream *s = NULL;
    CHECK_EQ_INT(host_stream_create(c, 0, 0, &s), 0);
    use(0);
    CHECK_EQ_INT(lw_cudart_cudaDeviceReset(), 0);
    CHECK(!host_pointer_find(c, p[0], &a));
    CHECK(host_pointer_find(c, p[1], &a));
    CHECK(host_stream_resolve(c, s, false) == s);
    use(1);
    CHECK_EQ_INT(lw_cudart_cudaDeviceReset(), 0);
    CHECK(!host_stream_resolve(c, s, false));
}

UNIT_MAIN()
