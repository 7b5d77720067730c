// nvcc: -rdc=true -lcudadevrt
// Kernels that launch kernels: a parent with a child per block, tail launch, quicksort by recursion of launches.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void child(int *data, int base) { data[base + threadIdx.x] += 10 * blockDim.x + threadIdx.x; }

__global__ void parent(int *data, int per) {
    if (threadIdx.x == 0) child<<<1, per>>>(data, blockIdx.x * per);
}

__global__ void tail(int *data, int n, int *sum) {
    int s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += data[i];
    atomicAdd(sum, s);
}

__global__ void first(int *data, int n, int *sum) {
    data[threadIdx.x] = threadIdx.x * 2;
    __syncthreads();
    if (threadIdx.x == 0) tail<<<1, 32, 0, cudaStreamTailLaunch>>>(data, n, sum); // after this grid
}

__global__ void quicksort(int *data, int left, int right, int depth) {
    if (depth >= 10 || right - left <= 16) {
        for (int i = left + 1; i <= right; i++) { // insertion sort
            int v = data[i], j = i - 1;
            for (; j >= left && data[j] > v; j--) data[j + 1] = data[j];
            data[j + 1] = v;
        }
        return;
    }
    int pivot = data[(left + right) / 2], l = left, r = right;
    while (l <= r) {
        while (data[l] < pivot) l++;
        while (data[r] > pivot) r--;
        if (l <= r) {
            int t = data[l];
            data[l++] = data[r];
            data[r--] = t;
        }
    }
    cudaStream_t s1, s2;
    if (left < r) {
        cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s1>>>(data, left, r, depth + 1);
        cudaStreamDestroy(s1);
    }
    if (l < right) {
        cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s2>>>(data, l, right, depth + 1);
        cudaStreamDestroy(s2);
    }
}

int main() {
    const int n = 512, per = 64;
    std::vector<int> h(n), got(n);
    int *d, *d_sum, sum = 0;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemset(d, 0, n * sizeof(int));
    cudaMemset(d_sum, 0, sizeof(int));
    parent<<<n / per, 32>>>(d, per);
    bool ok = cudaDeviceSynchronize() == cudaSuccess;
    cudaMemcpy(got.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) ok &= got[i] == 640 + i % per;
    if (!ok) printf("parent\n");
    first<<<1, 128>>>(d, 128, d_sum);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    ok &= sum == 128 * 127;
    for (auto &v : h) v = rand() % 1000;
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    quicksort<<<1, 1>>>(d, 0, n - 1, 0);
    ok &= cudaDeviceSynchronize() == cudaSuccess;
    cudaMemcpy(got.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::sort(h.begin(), h.end());
    ok &= got == h && cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    cudaFree(d_sum);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
