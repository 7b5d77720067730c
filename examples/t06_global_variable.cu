/* T6: a variable in global memory, declared with __device__ at file scope.
 * The host reaches it by its symbol, never by its address: cudaMemcpyToSymbol, cudaMemcpyFromSymbol,
 * cudaGetSymbolAddress. */
#include "example.h"

#define N 32

__device__ float dev_value = 1.5f; /* has its initial value before any copy */
__device__ int dev_table[N];

__global__ void change(void) {
    dev_table[threadIdx.x] += (int)threadIdx.x;
    if (threadIdx.x == 0)
        dev_value += 2.0f;
}

int main(void) {
    float value;
    int table[N], expected[N];
    void *address;
    size_t size;
    int pass = 1;

    CHECK(cudaMemcpyFromSymbol(&value, dev_value, sizeof value));
    pass &= value == 1.5f;

    value = 3.14f;
    for (int i = 0; i < N; i++) {
        table[i] = 100 * i;
        expected[i] = 101 * i;
    }
    CHECK(cudaMemcpyToSymbol(dev_value, &value, sizeof value));
    CHECK(cudaMemcpyToSymbol(dev_table, table, sizeof table));
    change<<<1, N>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&value, dev_value, sizeof value));
    CHECK(cudaMemcpyFromSymbol(table, dev_table, sizeof table));
    printf("the kernel changed the value to %f\n", value);
    pass &= value == 3.14f + 2.0f;
    pass &= same_ints("table", expected, table, N);

    /* The symbol's address is an ordinary device pointer. */
    CHECK(cudaGetSymbolAddress(&address, dev_table));
    CHECK(cudaGetSymbolSize(&size, dev_table));
    pass &= size == sizeof table;
    CHECK(cudaMemset(address, 0, size));
    change<<<1, N>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(table, (int *)address + 16, 16 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        expected[i] = 16 + i;
    pass &= same_ints("table by address", expected, table, 16);
    return finish(pass);
}
