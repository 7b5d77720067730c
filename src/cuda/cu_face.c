/* The driver face as the bodies that it shares with the runtime see it. */
#include "cuda/driver.h"

_Static_assert(sizeof(cu_memcpy3d) <= sizeof(((face_node_params *)0)->u.memcpy.copy), "room in CUgraphNodeParams");

static host_error kernel_of(const void *function, host_kernel **out)
{
    host_error error = cu_kernel(function);
    if (!error) *out = (host_kernel *)function;
    return error;
}

const face cu_face = {
    .prefix = "cu",
    .not_supported = CU_NOT_SUPPORTED,
    .updatable_node = "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE",
    .bad_array = HOST_INVALID_RESOURCE_HANDLE,
    .kernel_params_bytes = FACE_KERNEL_PARAMS_V2,
    .check_device = cu_check_device,
    .kernel = kernel_of,
    .copy = cu_copy_3d,
};
