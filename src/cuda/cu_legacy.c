/* Launches as before CUDA 4.0: block shape, shared memory and parameters are set on the function, then it is launched.
 * PyCUDA still sets block shapes. What was set is kept per function until the process ends. */
#include <string.h>

#include "cuda/driver.h"

#define PARAM_ROOM 4096 /* bytes of parameters, as these calls always took */

struct cu_shape {
    struct cu_shape *next;
    const host_kernel *kernel;
    uint32_t block[3], shared, param_bytes;
    uint8_t params[PARAM_ROOM];
};

/* What is kept of a function, made at the first call; NULL if it is none. */
static cu_shape *shape_of(const host_kernel *kernel)
{
    if (cu_kernel(kernel)) return NULL;
    cu_state *s = cu_state_get();
    pthread_mutex_lock(&s->lock);
    cu_shape *shape = s->shapes;
    while (shape && shape->kernel != kernel) shape = shape->next;
    if (!shape) {
        shape = lw_alloc(sizeof *shape);
        shape->kernel = kernel;
        shape->block[0] = shape->block[1] = shape->block[2] = 1;
        shape->next = s->shapes;
        s->shapes = shape;
    }
    pthread_mutex_unlock(&s->lock);
    return shape;
}

CU(cuFuncSetBlockShape)(host_kernel *kernel, int x, int y, int z)
{
    CU_NEED;
    cu_shape *shape = shape_of(kernel);
    if (!shape) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    if (x < 1 || y < 1 || z < 1) return cu_end(HOST_INVALID_VALUE);
    shape->block[0] = (uint32_t)x;
    shape->block[1] = (uint32_t)y;
    shape->block[2] = (uint32_t)z;
    return cu_end(0);
}

CU(cuFuncSetSharedSize)(host_kernel *kernel, unsigned bytes)
{
    CU_NEED;
    cu_shape *shape = shape_of(kernel);
    if (!shape) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    shape->shared = bytes;
    return cu_end(0);
}

CU(cuParamSetSize)(host_kernel *kernel, unsigned bytes)
{
    CU_NEED;
    cu_shape *shape = shape_of(kernel);
    if (!shape) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    if (bytes > PARAM_ROOM) return cu_end(HOST_INVALID_VALUE);
    shape->param_bytes = bytes;
    return cu_end(0);
}

CU(cuParamSetv)(host_kernel *kernel, int offset, const void *data, unsigned bytes)
{
    CU_NEED;
    cu_shape *shape = shape_of(kernel);
    if (!shape) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    if (offset < 0 || !data || bytes > PARAM_ROOM || (unsigned)offset > PARAM_ROOM - bytes)
        return cu_end(HOST_INVALID_VALUE);
    memcpy(shape->params + offset, data, bytes);
    return cu_end(0);
}

CU(cuParamSeti)(host_kernel *kernel, int offset, unsigned value)
{
    return lw_cuda_cuParamSetv(kernel, offset, &value, sizeof value);
}

CU(cuParamSetf)(host_kernel *kernel, int offset, float value)
{
    return lw_cuda_cuParamSetv(kernel, offset, &value, sizeof value);
}

CU(cuLaunchGridAsync)(host_kernel *kernel, int width, int height, void *stream)
{
    CU_NEED;
    cu_shape *shape = shape_of(kernel);
    host_stream *s = face_stream(stream, false);
    if (!shape || !s) return cu_end(HOST_INVALID_RESOURCE_HANDLE);
    if (width < 1 || height < 1) return cu_end(HOST_INVALID_VALUE);
    uint32_t grid[3] = {(uint32_t)width, (uint32_t)height, 1};
    host_launch_config config = face_config(grid, shape->block, shape->shared, s);
    return cu_end(host_launch(kernel, &config, NULL, shape->params, shape->param_bytes));
}

CU(cuLaunchGrid)(host_kernel *kernel, int width, int height)
{
    return lw_cuda_cuLaunchGridAsync(kernel, width, height, NULL);
}

CU(cuLaunch)(host_kernel *kernel) { return lw_cuda_cuLaunchGridAsync(kernel, 1, 1, NULL); }
