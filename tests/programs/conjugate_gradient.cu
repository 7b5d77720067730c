// Conjugate gradients on the 2-D Laplacian: many small kernels, dot products by atomics, scalars kept on the device.
#include <cmath>
#include <cstdio>
#include <vector>

#define W 24
#define H 20
#define N (W * H)

struct Scalars { double rr, pAp, rr_new; };

__global__ void apply(const double *p, double *Ap) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    int x = i % W, y = i / W;
    double v = 4 * p[i];
    if (x > 0) v -= p[i - 1];
    if (x < W - 1) v -= p[i + 1];
    if (y > 0) v -= p[i - W];
    if (y < H - 1) v -= p[i + W];
    Ap[i] = v;
}

__global__ void dot(const double *a, const double *b, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = i < N ? a[i] * b[i] : 0;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

__global__ void update_xr(double *x, double *r, const double *p, const double *Ap, const Scalars *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    double alpha = s->rr / s->pAp;
    x[i] += alpha * p[i];
    r[i] -= alpha * Ap[i];
}

__global__ void update_p(double *p, const double *r, const Scalars *s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) p[i] = r[i] + s->rr_new / s->rr * p[i];
}

__global__ void next(Scalars *s) {
    s->rr = s->rr_new;
    s->pAp = s->rr_new = 0;
}

int main() {
    std::vector<double> want(N), b(N), x(N);
    for (int i = 0; i < N; i++) want[i] = sin(i * 0.3) + (i % 7) * 0.1;
    for (int i = 0; i < N; i++) {
        int c = i % W, r = i / W;
        b[i] = 4 * want[i] - (c > 0 ? want[i - 1] : 0) - (c < W - 1 ? want[i + 1] : 0) - (r > 0 ? want[i - W] : 0) -
               (r < H - 1 ? want[i + W] : 0);
    }
    double *dx, *dr, *dp, *dAp;
    Scalars *ds, s;
    for (double **p : {&dx, &dr, &dp, &dAp}) cudaMalloc(p, N * sizeof(double));
    cudaMalloc(&ds, sizeof(Scalars));
    cudaMemset(ds, 0, sizeof(Scalars));
    cudaMemset(dx, 0, N * sizeof(double));
    cudaMemcpy(dr, b.data(), N * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dp, b.data(), N * sizeof(double), cudaMemcpyHostToDevice);
    const int B = 64, G = (N + B - 1) / B;
    dot<<<G, B>>>(dr, dr, &ds->rr);
    int it = 0;
    for (; it < 200; it++) {
        apply<<<G, B>>>(dp, dAp);
        dot<<<G, B>>>(dp, dAp, &ds->pAp);
        update_xr<<<G, B>>>(dx, dr, dp, dAp, ds);
        dot<<<G, B>>>(dr, dr, &ds->rr_new);
        update_p<<<G, B>>>(dp, dr, ds);
        next<<<1, 1>>>(ds);
        if (it % 10 == 9) {
            if (cudaMemcpy(&s, ds, sizeof s, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
            if (s.rr < 1e-20) break;
        }
    }
    cudaMemcpy(x.data(), dx, N * sizeof(double), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(x[i] - want[i]));
    printf("%d iterations, error %g\n", it + 1, worst);
    bool ok = worst < 1e-8 && it < 150 && cudaGetLastError() == cudaSuccess;
    for (double *p : {dx, dr, dp, dAp}) cudaFree(p);
    cudaFree(ds);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
