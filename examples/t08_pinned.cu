/* T8: pageable against pinned host memory: the same copies both ways, timed with events.
 * Pinned memory is copied straight by the DMA engine; pageable memory goes through the driver's own pinned buffer.
 * Arguments: the size in KiB (1024 by default), the repetitions (5). Figures mean something on a GPU only. */
#include "example.h"

static float time_copies(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, int repeat) {
    cudaEvent_t start, stop;
    float ms, best = INFINITY;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < repeat; i++) {
        CHECK(cudaEventRecord(start));
        CHECK(cudaMemcpyAsync(to, from, bytes, kind));
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        best = fminf(best, ms);
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return best;
}

/* Up, cleared at home, down again. */
static int round_trip(const char *name, int *host, int *device, int n, int repeat) {
    size_t bytes = n * sizeof(int);
    float up, down;

    for (int i = 0; i < n; i++)
        host[i] = i * 7;
    up = time_copies(device, host, bytes, cudaMemcpyHostToDevice, repeat);
    memset(host, 0, bytes);
    down = time_copies(host, device, bytes, cudaMemcpyDeviceToHost, repeat);
    printf("%-9s to the device %8.3f ms %7.2f GB/s, back %8.3f ms %7.2f GB/s\n", name, up, bytes / (up * 1e6), down,
           bytes / (down * 1e6));
    for (int i = 0; i < n; i++) {
        if (host[i] != i * 7) {
            printf("%s: element %d is %d, expected %d\n", name, i, host[i], i * 7);
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv) {
    int n = arg_int(argc, argv, 1, 1024) * 256, repeat = arg_int(argc, argv, 2, 5), pass;
    size_t bytes = n * sizeof(int);
    int *pageable = (int *)malloc(bytes), *pinned, *device;

    CHECK(cudaMallocHost((void **)&pinned, bytes));
    CHECK(cudaMalloc((void **)&device, bytes));
    pass = round_trip("pageable", pageable, device, n, repeat);
    pass &= round_trip("pinned", pinned, device, n, repeat);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    free(pageable);
    return finish(pass);
}
