// Three-dimensional grids and blocks: every thread's linear number, odd sizes, large x, volumes with guards.
#include <cstdio>
#include <vector>

__global__ void number(int *out, int *count) {
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int id = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    out[id] = id * 8 + (threadIdx.x + threadIdx.y * 2 + threadIdx.z * 4) % 8;
    atomicAdd(count, 1);
}

__global__ void volume(float *v, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) v[((size_t)z * ny + y) * nx + x] += x + 100 * y + 10000 * z;
}

__global__ void many_blocks(unsigned long long *sum) {
    unsigned long long b = blockIdx.x + (unsigned long long)blockIdx.y * gridDim.x;
    if (b % 1000 == 999) atomicAdd(sum, b);
}

int main() {
    const dim3 grids[] = {dim3(3, 2, 4), dim3(1, 7, 1), dim3(5), dim3(2, 1, 3)};
    const dim3 blocks[] = {dim3(4, 3, 5), dim3(33, 2, 1), dim3(1, 1, 64), dim3(8, 8, 8)};
    bool ok = true;
    int *d, *d_count, count;
    cudaMalloc(&d, 1 << 20);
    cudaMalloc(&d_count, sizeof(int));
    for (int k = 0; k < 4; k++) {
        dim3 g = grids[k], b = blocks[k];
        int n = g.x * g.y * g.z * b.x * b.y * b.z;
        std::vector<int> h(n);
        cudaMemset(d_count, 0, sizeof(int));
        number<<<g, b>>>(d, d_count);
        cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
        cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
        ok &= count == n;
        for (int i = 0; i < n; i++) {
            int t = i % (b.x * b.y * b.z), x = t % b.x, y = t / b.x % b.y, z = t / (b.x * b.y);
            ok &= h[i] == i * 8 + (x + y * 2 + z * 4) % 8;
        }
        if (!ok) printf("shape %d\n", k);
    }
    const int nx = 37, ny = 21, nz = 11;
    std::vector<float> v(nx * ny * nz, 0.5f);
    float *dv;
    cudaMalloc(&dv, v.size() * 4);
    cudaMemcpy(dv, v.data(), v.size() * 4, cudaMemcpyHostToDevice);
    dim3 b(8, 4, 4);
    volume<<<dim3((nx + 7) / 8, (ny + 3) / 4, (nz + 3) / 4), b>>>(dv, nx, ny, nz);
    cudaMemcpy(v.data(), dv, v.size() * 4, cudaMemcpyDeviceToHost);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) ok &= v[(z * ny + y) * nx + x] == 0.5f + x + 100 * y + 10000 * z;
    unsigned long long *ds, s, want = 0;
    cudaMalloc(&ds, 8);
    cudaMemset(ds, 0, 8);
    many_blocks<<<dim3(70000, 2), 1>>>(ds);
    cudaMemcpy(&s, ds, 8, cudaMemcpyDeviceToHost);
    for (unsigned long long i = 999; i < 140000; i += 1000) want += i;
    ok &= s == want && cudaGetLastError() == cudaSuccess;
    cudaFree(d); cudaFree(d_count); cudaFree(dv); cudaFree(ds);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
