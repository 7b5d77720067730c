/* Reductions and scans of one block each, step by step as they are taught; and with warp shuffles. */
#include "hw.h"

#define BLOCK 256

__global__ void reduce_interleaved(int *out, const int *in) {
    __shared__ int s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = in[TID];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_strided(int *out, const int *in) {
    __shared__ int s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = in[TID];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned i = 2 * d * t;
        if (i < blockDim.x) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_sequential(int *out, const int *in) {
    __shared__ int s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = in[TID];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_volatile(int *out, const int *in) {
    __shared__ int s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = in[TID] + in[TID + 512];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 32; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        volatile int *v = s;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
template <int N> __global__ void reduce_unrolled(int *out, const int *in) {
    __shared__ int s[N];
    unsigned t = threadIdx.x;
    s[t] = in[TID];
    __syncthreads();
#pragma unroll
    for (int d = N / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_shuffle(float *out, const float *in) {
    __shared__ float s[32];
    float v = in[TID];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.0f;
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
}
__global__ void reduce_warp_atomic(int *out, const int *in) {
    int v = in[TID];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
__global__ void reduce_redux(int *out, const int *in) {
    int v = __reduce_add_sync(0xffffffffu, in[TID]);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
__global__ void scan_hillis_steele(int *out, const int *in) {
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x, from = 0, to = 1;
    s[t] = in[TID];
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        s[to * BLOCK + t] = t >= d ? s[from * BLOCK + t] + s[from * BLOCK + t - d] : s[from * BLOCK + t];
        __syncthreads();
        from ^= 1, to ^= 1;
    }
    out[TID] = s[from * BLOCK + t];
}
__global__ void scan_blelloch(int *out, const int *in) {
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x, d, offset = 1;
    s[2 * t] = in[blockIdx.x * 2 * BLOCK + 2 * t];
    s[2 * t + 1] = in[blockIdx.x * 2 * BLOCK + 2 * t + 1];
    for (d = BLOCK; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) s[2 * BLOCK - 1] = 0;
    for (d = 1; d < 2 * BLOCK; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[blockIdx.x * 2 * BLOCK + 2 * t] = s[2 * t];
    out[blockIdx.x * 2 * BLOCK + 2 * t + 1] = s[2 * t + 1];
}
#define PAD(i) ((i) + ((i) >> 5))
__global__ void scan_blelloch_padded(int *out, const int *in) {
    __shared__ int s[2 * BLOCK + BLOCK / 16 + 1];
    int t = threadIdx.x, d, offset = 1;
    s[PAD(t)] = in[blockIdx.x * 2 * BLOCK + t];
    s[PAD(t + BLOCK)] = in[blockIdx.x * 2 * BLOCK + t + BLOCK];
    for (d = BLOCK; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[PAD(offset * (2 * t + 2) - 1)] += s[PAD(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0) s[PAD(2 * BLOCK - 1)] = 0;
    for (d = 1; d < 2 * BLOCK; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1), v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[blockIdx.x * 2 * BLOCK + t] = s[PAD(t)];
    out[blockIdx.x * 2 * BLOCK + t + BLOCK] = s[PAD(t + BLOCK)];
}
__global__ void scan_warp(int *out, const int *in) {
    __shared__ int sums[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, v = in[TID];
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int w = lane < (int)blockDim.x / 32 ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(0xffffffffu, w, d);
            if (lane >= d) w += u;
        }
        sums[lane] = w;
    }
    __syncthreads();
    out[TID] = v + (warp ? sums[warp - 1] : 0);
}
__global__ void bitonic(int *out, const int *in) {
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = in[TID];
    __syncthreads();
    for (int k = 2; k <= BLOCK; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int p = t ^ j;
            if (p > t) {
                int a = s[t], b = s[p];
                if ((a > b) == ((t & k) == 0)) s[t] = b, s[p] = a;
            }
            __syncthreads();
        }
    out[TID] = s[t];
}

int main(void) {
    int *in = device_words<int>(1 << 14, false), *out = device_words<int>(1 << 14, true);
    LAUNCH(reduce_interleaved, 2, BLOCK, out, in);
    LAUNCH(reduce_strided, 2, BLOCK, out, in);
    LAUNCH(reduce_sequential, 2, BLOCK, out, in);
    LAUNCH(reduce_volatile, 2, BLOCK, out, in);
    LAUNCH(reduce_unrolled<BLOCK>, 2, BLOCK, out, in);
    LAUNCH(reduce_unrolled<128>, 2, 128, out, in);
    LAUNCH(reduce_shuffle, 2, BLOCK, (float *)out, device_reals<float>(1024));
    LAUNCH(reduce_warp_atomic, 2, BLOCK, out, in);
    LAUNCH(reduce_redux, 2, BLOCK, out, in);
    LAUNCH(scan_hillis_steele, 2, BLOCK, out, in);
    LAUNCH(scan_blelloch, 2, BLOCK, out, in);
    LAUNCH(scan_blelloch_padded, 2, BLOCK, out, in);
    LAUNCH(scan_warp, 2, BLOCK, out, in);
    LAUNCH(bitonic, 2, BLOCK, out, in);
    puts("done");
    return 0;
}
