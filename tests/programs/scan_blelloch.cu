// Work-efficient exclusive scan (Blelloch): up-sweep and down-sweep, with and without padding against bank conflicts.
#include <cstdio>
#include <cstdlib>

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

__global__ void prescan(float *g_odata, float *g_idata, int n) {
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int offset = 1;
    float *in = g_idata + blockIdx.x * n, *out = g_odata + blockIdx.x * n;

    temp[2 * thid] = in[2 * thid];
    temp[2 * thid + 1] = in[2 * thid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    out[2 * thid] = temp[2 * thid];
    out[2 * thid + 1] = temp[2 * thid + 1];
}

__global__ void prescan_padded(float *g_odata, float *g_idata, int n) {
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int offset = 1;
    float *in = g_idata + blockIdx.x * n, *out = g_odata + blockIdx.x * n;
    int ai = thid, bi = thid + n / 2;
    int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);

    temp[ai + bankOffsetA] = in[ai];
    temp[bi + bankOffsetB] = in[bi];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1;
            int b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1;
            int b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            float t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    out[ai] = temp[ai + bankOffsetA];
    out[bi] = temp[bi + bankOffsetB];
}

int main() {
    const int n = 512, segments = 24, total = n * segments;
    float *in = new float[total], *out = new float[total];
    for (int i = 0; i < total; i++) in[i] = float(rand() % 16);
    float *d_in, *d_out;
    cudaMalloc(&d_in, total * sizeof(float));
    cudaMalloc(&d_out, total * sizeof(float));
    cudaMemcpy(d_in, in, total * sizeof(float), cudaMemcpyHostToDevice);
    int errors = 0;
    for (int padded = 0; padded < 2; padded++) {
        cudaMemset(d_out, 0, total * sizeof(float));
        if (padded)
            prescan_padded<<<segments, n / 2, (n + n / NUM_BANKS) * sizeof(float)>>>(d_out, d_in, n);
        else
            prescan<<<segments, n / 2, n * sizeof(float)>>>(d_out, d_in, n);
        if (cudaMemcpy(out, d_out, total * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
        for (int s = 0; s < segments; s++) {
            float sum = 0;
            for (int i = 0; i < n; i++) {
                if (out[s * n + i] != sum && errors++ < 5)
                    printf("padded %d segment %d: out[%d] = %f, expected %f\n", padded, s, i, out[s * n + i], sum);
                sum += in[s * n + i];
            }
        }
    }
    cudaFree(d_in);
    cudaFree(d_out);
    delete[] in;
    delete[] out;
    printf("%s\n", errors ? "FAIL" : "PASS");
    return errors != 0;
}
