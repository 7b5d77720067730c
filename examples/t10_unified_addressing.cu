/* T10: one address space. Pinned host memory is used in a kernel by its host pointer (unified virtual addressing),
 * the copy direction is found from the pointers (cudaMemcpyDefault), and managed memory is used from both sides.
 * Argument: the number of elements, 4096 by default. */
#include "example.h"

__global__ void scale(float *x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] *= factor;
}

static int is_type(const char *name, const void *p, enum cudaMemoryType type) {
    struct cudaPointerAttributes attributes;

    CHECK(cudaPointerGetAttributes(&attributes, p));
    if (attributes.type != type) {
        printf("%s: memory type %d, expected %d\n", name, (int)attributes.type, (int)type);
        return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 4096), grid = (n + 255) / 256, pass = 1;
    size_t bytes = n * sizeof(float);
    float *pinned, *device, *managed;
    float *expected = (float *)malloc(bytes), *back = (float *)malloc(bytes);

    CHECK(cudaMallocHost((void **)&pinned, bytes));
    CHECK(cudaMalloc((void **)&device, bytes));
    CHECK(cudaMallocManaged((void **)&managed, bytes, cudaMemAttachGlobal));
    pass &= is_type("pinned", pinned, cudaMemoryTypeHost);
    pass &= is_type("device", device, cudaMemoryTypeDevice);
    pass &= is_type("managed", managed, cudaMemoryTypeManaged);
    for (int i = 0; i < n; i++) {
        pinned[i] = managed[i] = (float)i;
        expected[i] = 3.0f * i;
    }

    scale<<<grid, 256>>>(pinned, 3.0f, n); /* no cudaHostGetDevicePointer needed */
    CHECK_LAUNCH();
    pass &= same_floats("host pointer in the kernel", expected, pinned, n, 0.0f);

    CHECK(cudaMemcpy(device, managed, bytes, cudaMemcpyDefault));
    scale<<<grid, 256>>>(device, 3.0f, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, device, bytes, cudaMemcpyDefault));
    pass &= same_floats("default copy direction", expected, back, n, 0.0f);

    scale<<<grid, 256>>>(managed, 3.0f, n);
    CHECK_LAUNCH(); /* before the host may look */
    pass &= same_floats("managed", expected, managed, n, 0.0f);

    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
    CHECK(cudaFree(managed));
    free(expected);
    free(back);
    return finish(pass);
}
