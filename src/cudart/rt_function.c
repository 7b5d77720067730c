/* Attributes of functions, and libraries. */
#include <stdlib.h>
#include <string.h>

#include "cudart/rt_calls.h"

RT(cudaFuncGetAttributes)(rt_func_attributes *out, const void *function)
{
    host_kernel *k;
    host_kernel_info info;
    if (!out) return rt_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    host_error error = rt_kernel(function, &k);
    if (!error) error = host_kernel_query(k, &info);
    if (error) return rt_end(error);
    out->shared_bytes = info.static_shared_bytes;
    out->const_bytes = info.constant_bytes;
    out->local_bytes = info.local_bytes;
    out->max_threads = info.max_threads_per_block;
    out->registers = info.registers;
    out->ptx_version = info.ptx_version;
    out->binary_version = info.binary_version;
    host_kernel_attribute_get(k, HOST_KERNEL_MAX_DYNAMIC_SHARED, &out->max_dynamic_shared);
    host_kernel_attribute_get(k, HOST_KERNEL_SHARED_CARVEOUT, &out->carveout);
    out->cluster_must_be_set = info.cluster_must_be_set;
    for (int i = 0; i < 3; i++) host_kernel_attribute_get(k, HOST_KERNEL_CLUSTER_WIDTH + i, &out->required_cluster[i]);
    host_kernel_attribute_get(k, HOST_KERNEL_NONPORTABLE_CLUSTER, &out->nonportable_cluster);
    host_kernel_attribute_get(k, HOST_KERNEL_CLUSTER_POLICY, &out->cluster_policy);
    return rt_end(0);
}

RT(cudaKernelSetAttributeForDevice)(void *kernel, int attribute, int value, int device)
{
    host_kernel *k;
    host_error error = rt_check_device(device);
    if (!error) error = rt_kernel(kernel, &k);
    if (!error) error = host_kernel_on(k, (uint32_t)device, &k);
    return rt_end(error ? error : host_kernel_attribute_set(k, attribute, value));
}

/* ---- libraries: modules loaded by hand ---- */
static host_error load(const host_part *part, void **out)
{
    lw_error text = {0};
    host_error error = host_module_load(host_get(), part, 1, (host_module **)out, &text);
    if (error && text.status) host_note(host_get(), "%s", text.message);
    return error;
}

/* What follows the first two parameters are options of the JIT compiler and of the library: without effect. */
RT(cudaLibraryLoadData)(void **out, const void *code)
{
    host_part part = {NULL, code, 0};
    return rt_end(out && code ? load(&part, out) : HOST_INVALID_VALUE);
}

RT(cudaLibraryLoadFromFile)(void **out, const char *path)
{
    if (!out || !path) return rt_end(HOST_INVALID_VALUE);
    host_part part = {path, NULL, 0};
    char *data;
    if (lw_file_read(path, &data, &part.bytes, NULL)) return rt_end(HOST_FILE_NOT_FOUND);
    part.data = data;
    host_error error = load(&part, out);
    free(data);
    return rt_end(error);
}

RT(cudaLibraryGetGlobal)(void **out, size_t *bytes, void *library, const char *name)
{
    uint64_t address = 0, size = 0;
    host_module *module = library;
    host_error error = face_library_check(library);
    if (!error) error = host_module_on(module, host_device_current(host_get()), &module);
    if (!error) error = host_module_symbol(module, name, &address, &size);
    if (!error && out) *out = (void *)(uintptr_t)address;
    if (!error && bytes) *bytes = size;
    return rt_end(error);
}

RT(cudaLibraryGetManaged)(void **out, size_t *bytes, void *library, const char *name)
{
    return lw_cudart_cudaLibraryGetGlobal(out, bytes, library, name);
}
