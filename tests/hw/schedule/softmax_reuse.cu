/* Softmax of a row by four warps: the maximum and then the sum go through the same shared array, and the second use follows
 * the reads of the first without a barrier. */
#include "schedule.h"

__global__ void softmax(const float *in, float *out, int n)
{
    __shared__ float part[4];
    const float *x = in + blockIdx.x * n;
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    float top = -1e30f, sum = 0;
    for (int k = t; k < n; k += 128) top = fmaxf(top, x[k]);
    for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
    if (lane == 0) part[warp] = top;
    __syncthreads();
    for (int k = 0; k < 4; k++) top = fmaxf(top, part[k]);
    for (int k = t; k < n; k += 128) sum += expf(x[k] - top);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    sum = part[0] + part[1] + part[2] + part[3];
    for (int k = t; k < n; k += 128) out[blockIdx.x * n + k] = expf(x[k] - top) / sum;
}

static std::string answer(void)
{
    const int n = 512, rows = 32;
    std::vector<float> values(n * rows);
    for (int k = 0; k < n * rows; k++) values[k] = (k * 7919 % 1000) * 0.01f - 300 * (k % n < 32);
    static float *in = device_array(values), *out = device_array(std::vector<float>(n * rows));
    softmax<<<rows, 128>>>(in, out, n);
    std::vector<float> got = host_copy(out, n * rows);
    int right = 0;
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += got[row * n + k];
        right += sum > 0.999 && sum < 1.001;
    }
    return text("%d of 32 rows add up to 1", right);
}
