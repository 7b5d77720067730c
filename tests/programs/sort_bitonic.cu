// Bitonic sort: steps inside a tile in shared memory, larger steps in global memory; keys with values.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SHARED_SIZE 512

__device__ inline void Comparator(unsigned &keyA, unsigned &valA, unsigned &keyB, unsigned &valB, unsigned dir) {
    if ((keyA > keyB) == dir) {
        unsigned t = keyA; keyA = keyB; keyB = t;
        t = valA; valA = valB; valB = t;
    }
}

__global__ void bitonicSortShared(unsigned *keys, unsigned *vals) {
    __shared__ unsigned s_key[SHARED_SIZE], s_val[SHARED_SIZE];
    keys += blockIdx.x * SHARED_SIZE + threadIdx.x;
    vals += blockIdx.x * SHARED_SIZE + threadIdx.x;
    s_key[threadIdx.x] = keys[0];
    s_val[threadIdx.x] = vals[0];
    s_key[threadIdx.x + SHARED_SIZE / 2] = keys[SHARED_SIZE / 2];
    s_val[threadIdx.x + SHARED_SIZE / 2] = vals[SHARED_SIZE / 2];
    for (unsigned size = 2; size < SHARED_SIZE; size <<= 1) {
        unsigned ddd = (threadIdx.x & (size / 2)) != 0;
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    unsigned ddd = blockIdx.x & 1;
    for (unsigned stride = SHARED_SIZE / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
    }
    __syncthreads();
    keys[0] = s_key[threadIdx.x];
    vals[0] = s_val[threadIdx.x];
    keys[SHARED_SIZE / 2] = s_key[threadIdx.x + SHARED_SIZE / 2];
    vals[SHARED_SIZE / 2] = s_val[threadIdx.x + SHARED_SIZE / 2];
}

__global__ void bitonicMergeGlobal(unsigned *keys, unsigned *vals, unsigned arrayLength, unsigned size, unsigned stride,
                                   unsigned dir) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned comparatorI = i & (arrayLength / 2 - 1);
    unsigned ddd = dir ^ ((comparatorI & (size / 2)) != 0);
    unsigned pos = 2 * i - (i & (stride - 1));
    unsigned keyA = keys[pos], valA = vals[pos], keyB = keys[pos + stride], valB = vals[pos + stride];
    Comparator(keyA, valA, keyB, valB, ddd);
    keys[pos] = keyA;
    vals[pos] = valA;
    keys[pos + stride] = keyB;
    vals[pos + stride] = valB;
}

int main() {
    const unsigned n = 4096;
    std::vector<unsigned> keys(n), vals(n), outk(n), outv(n);
    for (unsigned i = 0; i < n; i++) {
        keys[i] = (unsigned)rand() % 100000;
        vals[i] = i;
    }
    unsigned *d_keys, *d_vals;
    cudaMalloc(&d_keys, n * sizeof(unsigned));
    cudaMalloc(&d_vals, n * sizeof(unsigned));
    cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemcpy(d_vals, vals.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    bitonicSortShared<<<n / SHARED_SIZE, SHARED_SIZE / 2>>>(d_keys, d_vals);
    for (unsigned size = 2 * SHARED_SIZE; size <= n; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1)
            bitonicMergeGlobal<<<n / 512, 256>>>(d_keys, d_vals, n, size, stride, 1);
    cudaMemcpy(outk.data(), d_keys, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    cudaMemcpy(outv.data(), d_vals, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    std::vector<unsigned> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> seen(n, 0);
    for (unsigned i = 0; i < n && ok; i++) {
        if (outk[i] != sorted[i] || outv[i] >= n || seen[outv[i]] || keys[outv[i]] != outk[i]) {
            printf("at %u: key %u (expected %u) value %u\n", i, outk[i], sorted[i], outv[i]);
            ok = false;
        } else
            seen[outv[i]] = 1;
    }
    cudaFree(d_keys);
    cudaFree(d_vals);
    printf(ok ? "PASS\n" : "FAIL\n");
    return !ok;
}
