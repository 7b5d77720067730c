// Heat diffusion on a plate, explicit Euler, double buffered, fixed borders.
#include <cstdio>
#include <cmath>
#include <utility>
#include <vector>

struct Params { int nx, ny; float dx2, dy2, dt, a; };

__global__ void evolve_kernel(float *__restrict__ next, const float *__restrict__ curr, const Params p) {
    int j = threadIdx.x + blockIdx.x * blockDim.x;
    int i = threadIdx.y + blockIdx.y * blockDim.y;
    if (i > 0 && j > 0 && i < p.nx - 1 && j < p.ny - 1) {
        int ind = i * p.ny + j;
        float uij = curr[ind], uim1j = curr[ind - p.ny], uip1j = curr[ind + p.ny];
        float uijm1 = curr[ind - 1], uijp1 = curr[ind + 1];
        next[ind] = uij + p.a * p.dt * ((uim1j - 2.0f * uij + uip1j) / p.dx2 + (uijm1 - 2.0f * uij + uijp1) / p.dy2);
    }
}

int main() {
    Params p = {70, 90, 0.01f * 0.01f, 0.01f * 0.01f, 0.f, 0.5f};
    p.dt = p.dx2 * p.dy2 / (2.0f * p.a * (p.dx2 + p.dy2));
    const int steps = 40, n = p.nx * p.ny;
    std::vector<float> u(n), v(n), got(n);
    for (int i = 0; i < p.nx; i++)
        for (int j = 0; j < p.ny; j++) {
            float d2 = (i - p.nx / 2) * (i - p.nx / 2) + (j - p.ny / 2) * (j - p.ny / 2);
            u[i * p.ny + j] = d2 < 15 * 15 ? 65.0f : 5.0f;
        }
    v = u;
    float *d_a, *d_b;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMemcpy(d_a, u.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, u.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16), grid(p.ny / 16 + 1, p.nx / 16 + 1);
    for (int s = 0; s < steps; s++) {
        evolve_kernel<<<grid, block>>>(d_b, d_a, p);
        std::swap(d_a, d_b);
        for (int i = 1; i < p.nx - 1; i++)
            for (int j = 1; j < p.ny - 1; j++) {
                int k = i * p.ny + j;
                v[k] = u[k] + p.a * p.dt * ((u[k - p.ny] - 2.0f * u[k] + u[k + p.ny]) / p.dx2 +
                                            (u[k - 1] - 2.0f * u[k] + u[k + 1]) / p.dy2);
            }
        std::swap(u, v);
    }
    cudaMemcpy(got.data(), d_a, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int k = 0; k < n; k++)
        if (fabsf(got[k] - u[k]) > 1e-2f && bad++ < 3) printf("%d: %f, expected %f\n", k, got[k], u[k]);
    cudaFree(d_a);
    cudaFree(d_b);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
