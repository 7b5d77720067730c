// __device__, __constant__ and __managed__ variables: arrays, structs, initial values, offsets, addresses, streams.
#include <cstdio>
#include <cstring>

struct Config {
    float scale;
    int shift[4];
    char name[8];
};

__device__ int d_array[8] = {1, 2, 3, 4};
__device__ double d_scalar = 2.5;
__device__ Config d_config = {1.5f, {1, 2, 3, 4}, "device"};
__constant__ Config c_config = {0.5f, {10, 20, 30, 40}, "const"};
__constant__ unsigned char c_bytes[5] = {9, 8, 7, 6, 5};
__managed__ int m_counter = 7;
__managed__ float m_table[16];
__device__ int *d_pointer;
__device__ const char d_text[] = "a device string";
static __device__ int d_static = 3;
namespace ns { __device__ short d_small = -5; }

__global__ void use(double *out) {
    int t = threadIdx.x;
    if (t == 0) {
        out[0] = d_array[0] + d_array[3] + d_array[7];
        out[1] = d_scalar;
        out[2] = d_config.scale * d_config.shift[2] + d_config.name[0];
        out[3] = c_config.scale * c_config.shift[3] + c_config.name[1];
        out[4] = c_bytes[0] * 10000 + c_bytes[4];
        out[5] = ns::d_small + d_static;
        int len = 0;
        while (d_text[len]) len++;
        out[6] = len;
        m_counter += 5;
        d_static++;
    }
    m_table[t] = t * 0.5f;
}

__global__ void through_pointer(int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) d_pointer[i] += 100;
}

int main() {
    double *d_out, out[7];
    bool ok = true;
    cudaMalloc(&d_out, sizeof out);
    use<<<1, 16>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    const double want[7] = {5, 2.5, 4.5 + 'd', 20 + 'o', 90005, -2, 15};
    for (int i = 0; i < 7; i++)
        if (out[i] != want[i]) {
            printf("out[%d] = %f, expected %f\n", i, out[i], want[i]);
            ok = false;
        }
    cudaDeviceSynchronize();
    ok &= m_counter == 12 && m_table[15] == 7.5f && m_table[0] == 0.0f;

    // by parts and in a stream
    int two[2] = {70, 80};
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMemcpyToSymbolAsync(d_array, two, sizeof two, 6 * sizeof(int), cudaMemcpyHostToDevice, s);
    Config c = {2.0f, {0, 0, 0, 8}, "xyz"};
    cudaMemcpyToSymbolAsync(c_config, &c, sizeof c, 0, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s);
    m_counter = 1;
    use<<<1, 16>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    ok &= out[0] == 1 + 4 + 80 && out[3] == 16 + 'y' && out[5] == -1 && m_counter == 6;
    int back[3];
    cudaMemcpyFromSymbol(back, d_array, sizeof back, 5 * sizeof(int));
    ok &= back[0] == 0 && back[1] == 70 && back[2] == 80;

    // addresses and sizes
    int *where, *buffer, h[40];
    size_t size;
    ok &= cudaGetSymbolAddress((void **)&where, d_array) == cudaSuccess;
    ok &= cudaGetSymbolSize(&size, d_config) == cudaSuccess && size == sizeof(Config);
    cudaMemcpyToSymbol(d_pointer, &where, sizeof where);
    through_pointer<<<1, 32>>>(8);
    cudaMemcpy(h, where, 8 * sizeof(int), cudaMemcpyDeviceToHost);
    ok &= h[0] == 101 && h[6] == 170 && h[7] == 180;
    cudaMalloc(&buffer, 40 * sizeof(int));
    cudaMemset(buffer, 0, 40 * sizeof(int));
    cudaMemcpyToSymbol(d_pointer, &buffer, sizeof buffer);
    through_pointer<<<1, 32>>>(40);
    cudaMemcpy(h, buffer, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 40; i++) ok &= h[i] == 100;
    // too much for the symbol
    char big[200] = {0};
    ok &= cudaMemcpyToSymbol(c_bytes, big, sizeof big) != cudaSuccess;
    cudaGetLastError();
    cudaStreamDestroy(s);
    cudaFree(d_out);
    cudaFree(buffer);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
