/* Kernels and libraries, which are modules that are loaded at once. */
#include "face/face.h"

host_error face_kernel_set_attribute(const face *self, const void *function, int attribute, int value)
{
    host_kernel *kernel;
    host_error error = self->kernel(function, &kernel);
    return error ? error : host_kernel_attribute_set(kernel, attribute, value);
}

host_error face_kernel_set_cache(const face *self, const void *function, int config)
{
    host_kernel *kernel;
    host_error error = self->kernel(function, &kernel);
    return error ? error : host_kernel_cache_set(kernel, config);
}

host_error face_kernel_set_banks(const face *self, const void *function, int config)
{
    host_kernel *kernel;
    host_error error = self->kernel(function, &kernel);
    return error ? error : host_kernel_bank_set(kernel, config);
}

host_error face_kernel_name(const face *self, const void *function, const char **out)
{
    host_kernel *kernel;
    host_kernel_info info;
    host_error error = out ? self->kernel(function, &kernel) : HOST_INVALID_VALUE;
    if (!error) error = host_kernel_query(kernel, &info);
    if (!error) *out = info.name;
    return error;
}

host_error face_kernel_param(const face *self, const void *function, size_t index, size_t *out_offset,
                             size_t *out_bytes)
{
    host_kernel *kernel;
    host_error error = out_offset ? self->kernel(function, &kernel) : HOST_INVALID_VALUE;
    return error ? error : host_kernel_param(kernel, index, out_offset, out_bytes);
}

host_error face_occupancy_shared(const face *self, const void *function, int blocks, int block_threads, size_t *out)
{
    host_kernel *kernel;
    uint64_t bytes = 0;
    host_error error = out ? self->kernel(function, &kernel) : HOST_INVALID_VALUE;
    if (!error) error = host_occupancy_available_shared(kernel, blocks, block_threads, &bytes);
    if (!error) *out = bytes;
    return error;
}

/* ---- libraries ---- */
host_error face_library_check(const host_module *library)
{
    return host_module_valid(host_get(), library) ? 0 : HOST_INVALID_RESOURCE_HANDLE;
}

host_error face_library_unload(host_module *library)
{
    host_error error = face_library_check(library);
    return error ? error : host_module_unload(host_get(), library);
}

host_error face_library_kernel(host_module *library, const char *name, host_kernel **out)
{
    host_error error = out && name ? face_library_check(library) : HOST_INVALID_VALUE;
    return error ? error : host_module_kernel(library, name, out);
}

host_error face_library_kernel_count(host_module *library, unsigned *out)
{
    host_error error = out ? face_library_check(library) : HOST_INVALID_VALUE;
    if (!error) *out = (unsigned)host_module_kernel_count(library);
    return error;
}

host_error face_library_kernels(host_module *library, host_kernel **out, unsigned count)
{
    host_error error = out ? face_library_check(library) : HOST_INVALID_VALUE;
    return error ? error : host_module_kernels(library, out, count);
}
