/* Modules, libraries, functions and kernels. A library is a module that is loaded at once; a kernel is its function. */

#include "cuda/cu_calls.h"

CU(cuModuleLoadDataEx)(host_module **out, const void *image, unsigned count, int *options, void **values)
{
    CU_NEED;
    cu_jit jit;
    host_part part = {NULL, image, 0};
    cu_jit_begin(&jit, count, options, values);
    host_error error = cu_load(&part, &jit, out);
    if (!error) host_module_of_context(*out);
    return cu_end(error);
}

CU(cuModuleLoadData)(host_module **out, const void *image)
{
    return lw_cuda_cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

CU(cuModuleLoadFatBinary)(host_module **out, const void *image)
{
    return lw_cuda_cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

CU(cuModuleLoad)(host_module **out, const char *path)
{
    CU_NEED;
    cu_jit jit;
    cu_jit_begin(&jit, 0, NULL, NULL);
    host_error error = cu_load_file(path, &jit, out);
    if (!error) host_module_of_context(*out);
    return cu_end(error);
}

CU(cuModuleUnload)(host_module *module)
{
    CU_NEED_INIT;
    host_error error = face_library_check(module);
    return cu_end(error ? error : host_module_unload(host_get(), module));
}

CU(cuModuleGetLoadingMode)(int *out)
{
    enum { EAGER = 1, LAZY = 2 };
    if (!out) return cu_end(HOST_INVALID_VALUE);
    *out = LAZY; /* kernels are decoded at their first use */
    return cu_end(0);
}

CU(cuModuleGetFunction)(host_kernel **out, host_module *module, const char *name)
{
    CU_NEED_INIT;
    host_error error = out && name ? face_library_check(module) : HOST_INVALID_VALUE;
    return cu_end(error ? error : host_module_kernel(module, name, out));
}

CU(cuModuleGetFunctionCount)(unsigned *out, host_module *module)
{
    CU_NEED_INIT;
    host_error error = out ? face_library_check(module) : HOST_INVALID_VALUE;
    if (!error) *out = (unsigned)host_module_kernel_count(module);
    return cu_end(error);
}

CU(cuModuleEnumerateFunctions)(host_kernel **out, unsigned count, host_module *module)
{
    CU_NEED_INIT;
    host_error error = out ? face_library_check(module) : HOST_INVALID_VALUE;
    return cu_end(error ? error : host_module_kernels(module, out, count));
}

CU(cuModuleGetGlobal_v2)(uint64_t *out, size_t *bytes, host_module *module, const char *name)
{
    uint64_t address = 0, size = 0;
    CU_NEED_INIT;
    host_error error = name && (out || bytes) ? face_library_check(module) : HOST_INVALID_VALUE;
    if (!error) error = host_module_on(module, host_device_current(host_get()), &module);
    if (!error) error = host_module_symbol(module, name, &address, &size);
    if (error) return cu_end(error);
    if (out) *out = address;
    if (bytes) *bytes = size;
    return cu_end(0);
}

/* ---- libraries ---- */
CU(cuLibraryLoadData)(host_module **out, const void *image, int *options, void **values, unsigned count,
                      int *library_options, void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count; /* where code may be kept: no effect */
    host_error error = cu_need_init();
    cu_jit jit;
    host_part part = {NULL, image, 0};
    cu_jit_begin(&jit, count, options, values);
    return cu_end(error ? error : cu_load(&part, &jit, out));
}

CU(cuLibraryLoadFromFile)(host_module **out, const char *path, int *options, void **values, unsigned count,
                          int *library_options, void **library_values, unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    host_error error = cu_need_init();
    cu_jit jit;
    cu_jit_begin(&jit, count, options, values);
    return cu_end(error ? error : cu_load_file(path, &jit, out));
}

CU(cuLibraryGetModule)(host_module **out, host_module *library)
{
    CU_NEED;
    host_error error = out ? face_library_check(library) : HOST_INVALID_VALUE;
    if (!error) error = host_module_on(library, host_device_current(host_get()), out);
    return cu_end(error);
}

CU(cuLibraryGetGlobal)(uint64_t *out, size_t *bytes, host_module *library, const char *name)
{
    return lw_cuda_cuModuleGetGlobal_v2(out, bytes, library, name);
}

CU(cuLibraryGetManaged)(uint64_t *out, size_t *bytes, host_module *library, const char *name)
{
    uint64_t address = 0, size = 0;
    mem_allocation a;
    host_error error = name ? face_library_check(library) : HOST_INVALID_VALUE;
    if (!error) error = host_module_symbol(library, name, &address, &size);
    if (!error && (!host_pointer_find(host_get(), address, &a) || a.kind != MEM_MANAGED)) error = HOST_SYMBOL_NOT_FOUND;
    if (error) return cu_end(error);
    if (out) *out = address;
    if (bytes) *bytes = size;
    return cu_end(0);
}

/* ---- functions and kernels ---- */
static host_error query(host_kernel *kernel, host_kernel_info *out)
{
    host_error error = cu_kernel(kernel);
    return error ? error : host_kernel_query(kernel, out);
}

CU(cuFuncGetAttribute)(int *out, int attribute, host_kernel *function)
{
    CU_NEED_INIT;
    host_error error = cu_kernel(function);
    return cu_end(error ? error : host_kernel_attribute_get(function, attribute, out));
}

CU(cuFuncGetModule)(host_module **out, host_kernel *function)
{
    host_kernel_info info;
    CU_NEED_INIT;
    host_error error = out ? query(function, &info) : HOST_INVALID_VALUE;
    if (!error) *out = info.module;
    return cu_end(error);
}

CU(cuFuncLoad)(host_kernel *function)
{
    host_kernel_info info;
    return cu_end(query(function, &info));
}

CU(cuFuncIsLoaded)(int *out, host_kernel *function)
{
    host_error error = out ? cu_kernel(function) : HOST_INVALID_VALUE;
    if (!error) *out = 1;
    return cu_end(error);
}

CU(cuKernelGetFunction)(host_kernel **out, host_kernel *kernel)
{
    CU_NEED;
    host_error error = out ? cu_kernel(kernel) : HOST_INVALID_VALUE;
    if (!error) error = host_kernel_on(kernel, host_device_current(host_get()), out);
    return cu_end(error);
}

CU(cuKernelGetLibrary)(host_module **out, host_kernel *kernel) { return lw_cuda_cuFuncGetModule(out, kernel); }

CU(cuKernelGetName)(const char **out, const void *kernel) { return lw_cuda_cuFuncGetName(out, kernel); }

CU(cuKernelGetParamInfo)(const void *kernel, size_t index, size_t *offset, size_t *bytes)
{
    CU_NEED; /* of the two, this one alone asks for a current context */
    return lw_cuda_cuFuncGetParamInfo(kernel, index, offset, bytes);
}

CU(cuKernelGetAttribute)(int *out, int attribute, host_kernel *kernel, int device)
{
    host_error error = cu_check_device(device);
    if (!error) error = cu_kernel(kernel);
    if (!error) error = host_kernel_on(kernel, (uint32_t)device, &kernel);
    return cu_end(error ? error : host_kernel_attribute_get(kernel, attribute, out));
}

CU(cuKernelSetAttribute)(int attribute, int value, host_kernel *kernel, int device)
{
    host_error error = cu_check_device(device);
    if (!error) error = cu_kernel(kernel);
    if (!error) error = host_kernel_on(kernel, (uint32_t)device, &kernel);
    return cu_end(error ? error : host_kernel_attribute_set(kernel, attribute, value));
}

CU(cuKernelSetCacheConfig)(host_kernel *kernel, int config, int device)
{
    host_error error = cu_check_device(device);
    if (!error) error = cu_kernel(kernel);
    if (!error) error = host_kernel_on(kernel, (uint32_t)device, &kernel);
    return cu_end(error ? error : host_kernel_cache_set(kernel, config));
}
