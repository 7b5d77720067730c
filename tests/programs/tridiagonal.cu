// Tridiagonal systems: Thomas algorithm per thread (interleaved), cyclic reduction and parallel cyclic reduction per
// block.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void thomas(const float *a, const float *b, const float *c, float *d, float *cp, int n, int systems) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    cp[s] = c[s] / b[s];
    d[s] = d[s] / b[s];
    for (int i = 1; i < n; i++) {
        int k = i * systems + s;
        float m = 1.0f / (b[k] - a[k] * cp[k - systems]);
        cp[k] = c[k] * m;
        d[k] = (d[k] - a[k] * d[k - systems]) * m;
    }
    for (int i = n - 2; i >= 0; i--) d[i * systems + s] -= cp[i * systems + s] * d[(i + 1) * systems + s];
}

__global__ void pcr(const float *ga, const float *gb, const float *gc, float *gd, int n, int systems) {
    extern __shared__ float sh[];
    float *a = sh, *b = sh + n, *c = sh + 2 * n, *d = sh + 3 * n;
    int i = threadIdx.x, k = i * systems + blockIdx.x;
    a[i] = ga[k];
    b[i] = gb[k];
    c[i] = gc[k];
    d[i] = gd[k];
    __syncthreads();
    for (int s = 1; s < n; s *= 2) {
        int l = i - s, r = i + s;
        float k1 = l >= 0 ? a[i] / b[l] : 0, k2 = r < n ? c[i] / b[r] : 0;
        float na = l >= 0 ? -a[l] * k1 : 0, nc = r < n ? -c[r] * k2 : 0;
        float nb = b[i] - (l >= 0 ? c[l] * k1 : 0) - (r < n ? a[r] * k2 : 0);
        float nd = d[i] - (l >= 0 ? d[l] * k1 : 0) - (r < n ? d[r] * k2 : 0);
        __syncthreads();
        a[i] = na;
        b[i] = nb;
        c[i] = nc;
        d[i] = nd;
        __syncthreads();
    }
    gd[k] = d[i] / b[i];
}

int main() {
    const int n = 128, systems = 24;
    std::vector<float> a(n * systems), b(a.size()), c(a.size()), d(a.size()), want(a.size()), got(a.size());
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (int)i < systems ? 0 : (rand() % 200 - 100) / 100.0f;
        c[i] = (int)i >= (n - 1) * systems ? 0 : (rand() % 200 - 100) / 100.0f;
        b[i] = 2.5f + (rand() % 100) / 100.0f;
        want[i] = (rand() % 400 - 200) / 100.0f;
    }
    for (size_t i = 0; i < a.size(); i++) {
        double s = (double)b[i] * want[i];
        if ((int)i >= systems) s += (double)a[i] * want[i - systems];
        if ((int)i < (n - 1) * systems) s += (double)c[i] * want[i + systems];
        d[i] = (float)s;
    }
    float *da, *db, *dc, *dd, *dt;
    for (float **p : {&da, &db, &dc, &dd, &dt}) cudaMalloc(p, a.size() * 4);
    cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), a.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), a.size() * 4, cudaMemcpyHostToDevice);
    int bad = 0;
    for (int which = 0; which < 2; which++) {
        cudaMemcpy(dd, d.data(), a.size() * 4, cudaMemcpyHostToDevice);
        if (which == 0) thomas<<<1, 32>>>(da, db, dc, dd, dt, n, systems);
        else pcr<<<systems, n, 4 * n * sizeof(float)>>>(da, db, dc, dd, n, systems);
        cudaMemcpy(got.data(), dd, a.size() * 4, cudaMemcpyDeviceToHost);
        double worst = 0;
        for (size_t i = 0; i < a.size(); i++) worst = fmax(worst, fabs(got[i] - want[i]));
        printf("method %d: error %g\n", which, worst);
        bad += !(worst < 1e-4);
    }
    bad += cudaGetLastError() != cudaSuccess;
    for (float *p : {da, db, dc, dd, dt}) cudaFree(p);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
