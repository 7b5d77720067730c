/* The runtime face as the bodies that it shares with the driver see it. */
#include "cudart/cudart.h"

const face rt_face = {
    .prefix = "cuda",
    .not_supported = RT_NOT_SUPPORTED,
    .updatable_node = "cudaLaunchAttributeDeviceUpdatableKernelNode",
    .kernel_params_bytes = FACE_KERNEL_PARAMS_V1,
    .check_device = rt_check_device,
    .kernel = rt_kernel,
    .copy = rt_copy3d,
};
