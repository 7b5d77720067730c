// Complex numbers: thrust::complex, cuDoubleComplex, cuda::std::complex: arithmetic and functions against std::complex.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cuComplex.h>
#include <cuda/std/complex>
#include <thrust/complex.h>
#include <vector>

#define OPS 10

__global__ void with_thrust(const thrust::complex<double> *a, const thrust::complex<double> *b,
                            thrust::complex<double> *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    thrust::complex<double> x = a[i], y = b[i], *o = out + i * OPS;
    o[0] = x + y * 2.0;
    o[1] = x * y;
    o[2] = x / y;
    o[3] = thrust::exp(x * 0.1);
    o[4] = thrust::sqrt(x);
    o[5] = thrust::complex<double>(thrust::abs(x), thrust::arg(x));
    o[6] = thrust::conj(x) - y;
    o[7] = thrust::sin(x * 0.2);
    o[8] = thrust::log(x);
    o[9] = thrust::polar(1.5, y.real());
}

__global__ void with_cucomplex(const cuDoubleComplex *a, const cuDoubleComplex *b, cuDoubleComplex *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i * 4] = cuCmul(a[i], b[i]);
    out[i * 4 + 1] = cuCdiv(a[i], b[i]);
    out[i * 4 + 2] = make_cuDoubleComplex(cuCabs(a[i]), cuCimag(cuConj(b[i])));
    out[i * 4 + 3] = cuCfma(a[i], b[i], cuCsub(a[i], b[i]));
}

__global__ void with_std(const cuda::std::complex<float> *a, cuda::std::complex<float> *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::std::complex<float> z = a[i], s = 0;
    for (int k = 0; k < 5; k++) s = s * z + cuda::std::complex<float>(k, 1);
    out[i] = s / cuda::std::norm(z);
}

int main() {
    typedef std::complex<double> C;
    const int n = 500;
    std::vector<C> a(n), b(n), out(n * OPS), out4(n * 4);
    std::vector<std::complex<float>> f(n), fo(n);
    for (int i = 0; i < n; i++) {
        a[i] = C(rand() % 200 / 20.0 - 4.95, rand() % 200 / 20.0 - 5.05);
        b[i] = C(rand() % 200 / 20.0 - 5.03, rand() % 200 / 20.0 - 4.97);
        f[i] = std::complex<float>((float)a[i].real() + 6, (float)a[i].imag());
    }
    C *da, *db, *dout;
    cudaMalloc(&da, n * sizeof(C));
    cudaMalloc(&db, n * sizeof(C));
    cudaMalloc(&dout, n * OPS * sizeof(C));
    cudaMemcpy(da, a.data(), n * sizeof(C), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(C), cudaMemcpyHostToDevice);
    with_thrust<<<(n + 63) / 64, 64>>>((thrust::complex<double> *)da, (thrust::complex<double> *)db,
                                       (thrust::complex<double> *)dout, n);
    cudaMemcpy(out.data(), dout, n * OPS * sizeof(C), cudaMemcpyDeviceToHost);
    int bad = 0;
    auto near = [](C x, C y, double eps) { return std::abs(x - y) <= eps * (1 + std::abs(y)); };
    for (int i = 0; i < n; i++) {
        C x = a[i], y = b[i];
        C want[OPS] = {x + y * 2.0,
                       x * y,
                       x / y,
                       std::exp(x * 0.1),
                       std::sqrt(x),
                       C(std::abs(x), std::arg(x)),
                       std::conj(x) - y,
                       std::sin(x * 0.2),
                       std::log(x),
                       std::polar(1.5, y.real())};
        for (int k = 0; k < OPS; k++)
            if (!near(out[i * OPS + k], want[k], 1e-13) && bad++ < 5)
                printf("operation %d of (%g, %g)\n", k, x.real(), x.imag());
    }
    with_cucomplex<<<(n + 63) / 64, 64>>>((cuDoubleComplex *)da, (cuDoubleComplex *)db, (cuDoubleComplex *)dout, n);
    cudaMemcpy(out4.data(), dout, n * 4 * sizeof(C), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        C x = a[i], y = b[i], want[4] = {x * y, x / y, C(std::abs(x), -y.imag()), x * y + (x - y)};
        for (int k = 0; k < 4; k++) bad += !near(out4[i * 4 + k], want[k], 1e-13);
    }
    cudaMemcpy(da, f.data(), n * sizeof(f[0]), cudaMemcpyHostToDevice);
    with_std<<<(n + 63) / 64, 64>>>((cuda::std::complex<float> *)da, (cuda::std::complex<float> *)dout, n);
    cudaMemcpy(fo.data(), dout, n * sizeof(f[0]), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        C z(f[i]), s = 0;
        for (int k = 0; k < 5; k++) s = s * z + C(k, 1);
        bad += !near(C(fo[i]), s / std::norm(z), 1e-5);
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(da); cudaFree(db); cudaFree(dout);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
