/* Virtual memory management: physical memory behind handles, reserved addresses, mappings and who may access them. */
#include "cuda/cu_calls.h"
#include "host/virtual.h"

_Static_assert(sizeof(host_physical_props) == 32 && offsetof(host_physical_props, location) == 8,
               "CUmemAllocationProp");

static host_physical *of_handle(uint64_t handle) { return (host_physical *)(uintptr_t)handle; }

CU(cuMemGetAllocationGranularity)(size_t *out, const host_physical_props *props, int option)
{
    enum { RECOMMENDED = 1 };
    CU_NEED_INIT;
    if (!out || !props || option < 0 || option > RECOMMENDED) return cu_end(HOST_INVALID_VALUE);
    host_error error = host_physical_check(host_get(), props);
    if (!error) *out = HOST_PHYSICAL_GRAIN;
    return cu_end(error);
}

CU(cuMemCreate)(uint64_t *out, size_t bytes, const host_physical_props *props, unsigned long long flags)
{
    host_physical *physical = NULL;
    CU_NEED_INIT;
    if (!out || !props || flags) return cu_end(HOST_INVALID_VALUE);
    host_error error = host_physical_create(host_get(), bytes, props, &physical);
    if (!error) *out = (uint64_t)(uintptr_t)physical;
    return cu_end(error);
}

CU(cuMemRelease)(uint64_t handle)
{
    CU_NEED_INIT;
    return cu_end(host_physical_release(host_get(), of_handle(handle)));
}

CU(cuMemGetAllocationPropertiesFromHandle)(host_physical_props *out, uint64_t handle)
{
    CU_NEED_INIT;
    if (!out || !host_physical_valid(host_get(), of_handle(handle))) return cu_end(HOST_INVALID_VALUE);
    *out = *host_physical_properties(of_handle(handle));
    return cu_end(0);
}

CU(cuMemRetainAllocationHandle)(uint64_t *out, void *address)
{
    host_physical *physical = NULL;
    CU_NEED_INIT;
    host_error error = out ? host_physical_at(host_get(), (uint64_t)(uintptr_t)address, &physical) : HOST_INVALID_VALUE;
    if (!error) *out = (uint64_t)(uintptr_t)physical;
    return cu_end(error);
}

enum { HANDLE_FD = 1 }; /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */

CU(cuMemExportToShareableHandle)(void *out, uint64_t handle, int type, unsigned long long flags)
{
    CU_NEED_INIT;
    if (!out || flags) return cu_end(HOST_INVALID_VALUE);
    if (type != HANDLE_FD) return cu_end(cu_unsupported("cuMemExportToShareableHandle of this handle type"));
    return cu_end(host_physical_export(host_get(), of_handle(handle), out));
}

CU(cuMemImportFromShareableHandle)(uint64_t *out, void *handle, int type)
{
    host_physical *physical = NULL;
    CU_NEED_INIT;
    if (!out) return cu_end(HOST_INVALID_VALUE);
    if (type != HANDLE_FD) return cu_end(cu_unsupported("cuMemImportFromShareableHandle of this handle type"));
    host_error error = host_physical_import(host_get(), (int)(intptr_t)handle, &physical);
    if (!error) *out = (uint64_t)(uintptr_t)physical;
    return cu_end(error);
}

CU(cuMemAddressReserve)(uint64_t *out, size_t bytes, size_t alignment, uint64_t wanted, unsigned long long flags)
{
    CU_NEED_INIT;
    if (!out || flags) return cu_end(HOST_INVALID_VALUE);
    return cu_end(host_virtual_reserve(host_get(), bytes, alignment, wanted, out));
}

CU(cuMemAddressFree)(uint64_t address, size_t bytes)
{
    CU_NEED_INIT;
    return cu_end(host_virtual_free(host_get(), address, bytes));
}

/* offset: "currently must be zero". */
CU(cuMemMap)(uint64_t address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags)
{
    CU_NEED_INIT;
    if (offset || flags) return cu_end(HOST_INVALID_VALUE);
    return cu_end(host_virtual_map(host_get(), address, bytes, of_handle(handle)));
}

CU(cuMemUnmap)(uint64_t address, size_t bytes)
{
    CU_NEED_INIT;
    return cu_end(host_virtual_unmap(host_get(), address, bytes));
}

CU(cuMemSetAccess)(uint64_t address, size_t bytes, const face_access_desc *list, size_t count)
{
    CU_NEED_INIT;
    host_error error = list && count ? 0 : HOST_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        error = host_virtual_set_access(host_get(), address, bytes, list[i].location, (int)list[i].flags);
    return cu_end(error);
}

CU(cuMemGetAccess)(unsigned long long *out, const host_location *location, uint64_t address)
{
    int access = 0;
    CU_NEED_INIT;
    if (!out || !location) return cu_end(HOST_INVALID_VALUE);
    host_error error = host_virtual_access(host_get(), address, *location, &access);
    if (!error) *out = (unsigned long long)access;
    return cu_end(error);
}

CU(cuIpcOpenMemHandle)(uint64_t *out, host_ipc_handle handle, unsigned flags)
{
    return lw_cuda_cuIpcOpenMemHandle_v2(out, handle, flags);
}
