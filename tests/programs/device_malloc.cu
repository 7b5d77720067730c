// malloc and free, new and delete in kernels: per-thread lists, per-block buffers, memory kept across launches.
#include <cstdio>
#include <cstdlib>

struct Node {
    int value;
    Node *next;
};

__global__ void lists(int *sums, int *failures) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    Node *head = NULL;
    for (int i = 0; i < t % 8 + 1; i++) {
        Node *n = (Node *)malloc(sizeof(Node));
        if (!n) {
            atomicAdd(failures, 1);
            break;
        }
        n->value = t + i;
        n->next = head;
        head = n;
    }
    int sum = 0;
    while (head) {
        Node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    sums[t] = sum;
}

__global__ void per_block(int *out) {
    __shared__ int *data;
    if (threadIdx.x == 0) data = (int *)malloc(blockDim.x * 4 * sizeof(int));
    __syncthreads();
    if (data == NULL) return;
    for (int i = 0; i < 4; i++) data[i * blockDim.x + threadIdx.x] = threadIdx.x * i;
    __syncthreads();
    int other = blockDim.x - 1 - threadIdx.x, sum = 0;
    for (int i = 0; i < 4; i++) sum += data[i * blockDim.x + other];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) free(data);
}

#define BLOCKS 4
__device__ int *kept[BLOCKS];
__global__ void alloc_kept() {
    if (threadIdx.x == 0) {
        kept[blockIdx.x] = new int[blockDim.x];
        memset(kept[blockIdx.x], 0, blockDim.x * sizeof(int));
    }
}
__global__ void use_kept() {
    if (kept[blockIdx.x]) kept[blockIdx.x][threadIdx.x] += threadIdx.x + blockIdx.x;
}
__global__ void free_kept(int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = kept[blockIdx.x][threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) delete[] kept[blockIdx.x];
}

__global__ void too_much(int *got_null) { *got_null = malloc((size_t)1 << 40) == NULL; }

int main() {
    const int n = 256;
    int h[n], *d, failures;
    bool ok = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20) == cudaSuccess;
    cudaMalloc(&d, (n + 1) * sizeof(int));
    cudaMemset(d, 0, (n + 1) * sizeof(int));
    lists<<<4, 64>>>(d, d + n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(&failures, d + n, sizeof(int), cudaMemcpyDeviceToHost);
    ok &= failures == 0;
    for (int t = 0; t < n; t++) {
        int k = t % 8 + 1;
        ok &= h[t] == k * t + k * (k - 1) / 2;
    }
    per_block<<<4, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < n; t++) ok &= h[t] == (63 - t % 64) * 6;
    alloc_kept<<<BLOCKS, 64>>>();
    for (int i = 0; i < 3; i++) use_kept<<<BLOCKS, 64>>>();
    free_kept<<<BLOCKS, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < n; t++) ok &= h[t] == 3 * (t % 64 + t / 64);
    too_much<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost);
    ok &= h[0] == 1 && cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
