/* The headers in plain C: the runtime and driver API without the language. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuComplex.h>
#include <nvToolsExt.h>

int main(void)
{
    struct cudaDeviceProp p;
    dim3 d = {1, 2, 3};
    float4 v = make_float4(1, 2, 3, 4);
    cuDoubleComplex z = cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4));
    nvtxRangePushA("x");
    return sizeof p != 1008 || d.z != 3 || v.w != 4 || z.x != -5 || z.y != 10;
}
