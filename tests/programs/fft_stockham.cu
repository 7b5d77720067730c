// Radix-2 Stockham FFT in shared memory, one transform a block, forward and inverse, against a direct DFT.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <int N> __global__ void fft(float2 *data, float direction) {
    __shared__ float2 buffer[2][N];
    float2 *x = buffer[0], *y = buffer[1];
    data += blockIdx.x * N;
    const int t = threadIdx.x; // N / 2 threads
    x[t] = data[t];
    x[t + N / 2] = data[t + N / 2];
    __syncthreads();
    for (int s = 1; s < N; s *= 2) { // s: stride, m = N / (2 s) butterflies with distinct twiddles
        int m = N / 2 / s, p = t / s, q = t % s;
        float c, sn;
        sincospif(direction * (float)p / m, &sn, &c);
        float2 a = x[q + s * p], b = x[q + s * (p + m)];
        float2 d = make_float2(a.x - b.x, a.y - b.y);
        y[q + s * 2 * p] = make_float2(a.x + b.x, a.y + b.y);
        y[q + s * (2 * p + 1)] = make_float2(d.x * c - d.y * sn, d.x * sn + d.y * c);
        __syncthreads();
        float2 *tmp = x;
        x = y;
        y = tmp;
    }
    data[t] = x[t];
    data[t + N / 2] = x[t + N / 2];
}

int main() {
    constexpr int N = 256, batch = 5;
    std::vector<float2> in(N * batch), out(N * batch), back(N * batch);
    for (auto &v : in) v = make_float2((rand() % 200 - 100) / 50.0f, (rand() % 200 - 100) / 50.0f);
    float2 *d;
    cudaMalloc(&d, in.size() * sizeof(float2));
    cudaMemcpy(d, in.data(), in.size() * sizeof(float2), cudaMemcpyHostToDevice);
    fft<N><<<batch, N / 2>>>(d, -1.0f);
    cudaMemcpy(out.data(), d, in.size() * sizeof(float2), cudaMemcpyDeviceToHost);
    fft<N><<<batch, N / 2>>>(d, 1.0f);
    cudaMemcpy(back.data(), d, in.size() * sizeof(float2), cudaMemcpyDeviceToHost);
    cudaFree(d);
    double worst = 0, worst_back = 0;
    for (int b = 0; b < batch; b++)
        for (int k = 0; k < N; k++) {
            std::complex<double> s = 0;
            for (int j = 0; j < N; j++)
                s += std::complex<double>(in[b * N + j].x, in[b * N + j].y) * std::polar(1.0, -2 * M_PI * j * k / N);
            worst = fmax(worst, std::abs(s - std::complex<double>(out[b * N + k].x, out[b * N + k].y)));
            worst_back = fmax(worst_back,
                              hypot(back[b * N + k].x / N - in[b * N + k].x, back[b * N + k].y / N - in[b * N + k].y));
        }
    printf("errors %g and %g\n", worst, worst_back);
    bool ok = cudaGetLastError() == cudaSuccess && worst < 1e-3 && worst_back < 1e-5;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
