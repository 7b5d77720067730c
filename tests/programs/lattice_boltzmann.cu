// Lattice Boltzmann D2Q9 in a lid-driven cavity, structure of arrays, pull scheme, bounce-back walls.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define NX 32
#define NY 24
#define Q 9

__constant__ int c_ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, c_ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1},
                 c_opp[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float c_w[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

static const int ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1},
                 opp[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const float wt[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void step(const float *__restrict__ f, float *__restrict__ g, float omega, float lid) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= NX || y >= NY) return;
    float in[Q], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        int sx = x - c_ex[q], sy = y - c_ey[q];
        if (sx < 0 || sx >= NX || sy < 0 || sy >= NY) {
            in[q] = f[(c_opp[q] * NY + y) * NX + x];
            if (sy >= NY) in[q] += 6 * c_w[q] * lid * c_ex[q];
        } else
            in[q] = f[(q * NY + sy) * NX + sx];
        rho += in[q];
        ux += in[q] * c_ex[q];
        uy += in[q] * c_ey[q];
    }
    ux /= rho;
    uy /= rho;
    float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < Q; q++) {
        float cu = 3 * (c_ex[q] * ux + c_ey[q] * uy);
        g[(q * NY + y) * NX + x] = in[q] + omega * (c_w[q] * rho * (1 + cu + 0.5f * cu * cu - uu) - in[q]);
    }
}

int main() {
    const int steps = 30;
    const float omega = 1.2f, lid = 0.05f;
    std::vector<float> f(Q * NX * NY), g(f.size()), got(f.size());
    for (int q = 0; q < Q; q++)
        for (int i = 0; i < NX * NY; i++) f[q * NX * NY + i] = wt[q];
    float *a, *b;
    cudaMalloc(&a, f.size() * 4);
    cudaMalloc(&b, f.size() * 4);
    cudaMemcpy(a, f.data(), f.size() * 4, cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) {
        step<<<dim3((NX + 15) / 16, (NY + 7) / 8), dim3(16, 8)>>>(a, b, omega, lid);
        std::swap(a, b);
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                float in[Q], rho = 0, ux = 0, uy = 0;
                for (int q = 0; q < Q; q++) {
                    int sx = x - ex[q], sy = y - ey[q];
                    if (sx < 0 || sx >= NX || sy < 0 || sy >= NY) {
                        in[q] = f[(opp[q] * NY + y) * NX + x];
                        if (sy >= NY) in[q] += 6 * wt[q] * lid * ex[q];
                    } else
                        in[q] = f[(q * NY + sy) * NX + sx];
                    rho += in[q];
                    ux += in[q] * ex[q];
                    uy += in[q] * ey[q];
                }
                ux /= rho;
                uy /= rho;
                for (int q = 0; q < Q; q++) {
                    float cu = 3 * (ex[q] * ux + ey[q] * uy);
                    g[(q * NY + y) * NX + x] =
                        in[q] + omega * (wt[q] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy)) - in[q]);
                }
            }
        std::swap(f, g);
    }
    cudaMemcpy(got.data(), a, f.size() * 4, cudaMemcpyDeviceToHost);
    double worst = 0, mass = 0;
    for (size_t i = 0; i < f.size(); i++) {
        worst = fmax(worst, fabs(got[i] - f[i]));
        mass += got[i];
    }
    printf("largest difference %g, mass %f of %d\n", worst, mass, NX * NY);
    bool ok = worst < 1e-5 && fabs(mass - NX * NY) < 0.01 * NX * NY && cudaGetLastError() == cudaSuccess;
    cudaFree(a);
    cudaFree(b);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
