/* The runtime face as the bodies that it shares with the driver see it. */
#include "cudart/cudart.h"

_Static_assert(sizeof(rt_memcpy3d) <= sizeof(((face_node_params *)0)->u.memcpy.copy), "room in cudaGraphNodeParams");

const face rt_face = {
    .prefix = "cuda",
    .not_supported = RT_NOT_SUPPORTED,
    .updatable_node = "cudaLaunchAttributeDeviceUpdatableKernelNode",
    .bad_array = HOST_INVALID_VALUE,
    .kernel_params_bytes = FACE_KERNEL_PARAMS_V1,
    .check_device = rt_check_device,
    .kernel = rt_kernel,
    .copy = rt_copy_3d,
};
