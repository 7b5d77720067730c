// Black-Scholes option prices, polynomial cumulative normal and erfcf; fast and accurate intrinsics.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ inline float cndGPU(float d) {
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__launch_bounds__(128) __global__
    void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                         const float2 *__restrict d_StockPrice, const float2 *__restrict d_OptionStrike,
                         const float2 *__restrict d_OptionYears, float Riskfree, float Volatility, int optN2) {
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt >= optN2) return;
    float S[2] = {d_StockPrice[opt].x, d_StockPrice[opt].y};
    float X[2] = {d_OptionStrike[opt].x, d_OptionStrike[opt].y};
    float T[2] = {d_OptionYears[opt].x, d_OptionYears[opt].y};
    float call[2], put[2];
    for (int k = 0; k < 2; k++) {
        float sqrtT = __fdividef(1.0F, rsqrtf(T[k]));
        float d1 =
            __fdividef(__logf(S[k] / X[k]) + (Riskfree + 0.5f * Volatility * Volatility) * T[k], Volatility * sqrtT);
        float d2 = d1 - Volatility * sqrtT;
        float CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2);
        float expRT = __expf(-Riskfree * T[k]);
        call[k] = S[k] * CNDD1 - X[k] * expRT * CNDD2;
        put[k] = X[k] * expRT * (1.0f - CNDD2) - S[k] * (1.0f - CNDD1);
    }
    d_CallResult[opt] = make_float2(call[0], call[1]);
    d_PutResult[opt] = make_float2(put[0], put[1]);
}

__global__ void accurate(double *call, const float *S, const float *X, const float *T, double r, double v, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    double s = sqrt((double)T[i]), d1 = (log((double)S[i] / X[i]) + (r + 0.5 * v * v) * T[i]) / (v * s),
           d2 = d1 - v * s;
    call[i] = S[i] * normcdf(d1) - X[i] * exp(-r * T[i]) * normcdf(d2);
}

int main() {
    const int n = 8000;
    const float r = 0.02f, v = 0.30f;
    std::vector<float> S(n), X(n), T(n), call(n), put(n);
    std::vector<double> exact(n);
    auto rnd = [](float lo, float hi) { float t = (float)rand() / (float)RAND_MAX; return (1.0f - t) * lo + t * hi; };
    for (int i = 0; i < n; i++) {
        S[i] = rnd(5.0f, 30.0f);
        X[i] = rnd(1.0f, 100.0f);
        T[i] = rnd(0.25f, 10.0f);
    }
    float *dS, *dX, *dT, *dC, *dP;
    double *dE;
    for (float **p : {&dS, &dX, &dT, &dC, &dP}) cudaMalloc(p, n * sizeof(float));
    cudaMalloc(&dE, n * sizeof(double));
    cudaMemcpy(dS, S.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dX, X.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dT, T.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    BlackScholesGPU<<<(n / 2 + 127) / 128, 128>>>((float2 *)dC, (float2 *)dP, (float2 *)dS, (float2 *)dX, (float2 *)dT,
                                                  r, v, n / 2);
    accurate<<<(n + 127) / 128, 128>>>(dE, dS, dX, dT, r, v, n);
    cudaMemcpy(call.data(), dC, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(put.data(), dP, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(exact.data(), dE, n * sizeof(double), cudaMemcpyDeviceToHost);
    double worst = 0, worst_exact = 0, sum = 0, l1 = 0;
    for (int i = 0; i < n; i++) {
        double s = sqrt((double)T[i]),
               d1 = (log((double)S[i] / X[i]) + ((double)r + 0.5 * (double)v * v) * T[i]) / (v * s), d2 = d1 - v * s;
        double n1 = 0.5 * erfc(-d1 / sqrt(2.0)), n2 = 0.5 * erfc(-d2 / sqrt(2.0)), e = exp(-(double)r * T[i]);
        double c = S[i] * n1 - X[i] * e * n2, p = X[i] * e * (1 - n2) - S[i] * (1 - n1);
        worst = fmax(worst, fmax(fabs(c - call[i]), fabs(p - put[i])));
        worst_exact = fmax(worst_exact, fabs(c - exact[i]));
        l1 += fabs(c - call[i]);
        sum += fabs(c);
    }
    printf("largest errors %g and %g, L1 %g\n", worst, worst_exact, l1 / sum);
    bool ok = cudaGetLastError() == cudaSuccess && worst < 1e-3 && worst_exact < 1e-11 && l1 / sum < 1e-5;
    cudaFree(dS); cudaFree(dX); cudaFree(dT); cudaFree(dC); cudaFree(dP); cudaFree(dE);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
