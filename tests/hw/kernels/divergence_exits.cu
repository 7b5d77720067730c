/* Ways out of loops, functions and kernels, likely and unlikely: where the lanes of a warp meet again. Every kernel loads or
 * stores behind the place where they should. */
#include "hw.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Lanes leave the kernel out of the loop, at different times. */
__global__ void return_in_loop(int *out, const int *in, int n) {
    for (int k = 0; k < n; k++) {
        int v = in[k * 256 + TID];
        if ((v >> 9 & 7) == 0) return;
        out[k * 256 + TID] = v;
    }
}
/* Out of two loops at once. */
__global__ void leave_two_loops(int *out, const int *in, int n) {
    int found = -1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            if ((in[(i * 4 + k) * 256 + TID] >> 11 & 15) == 3) {
                found = i * 4 + k;
                goto done;
            }
        }
done:
    out[TID] = found + in[TID];
}
/* Two ways out of one loop, with work of their own. */
__global__ void two_exits(int *out, const int *in) {
    int i = TID, v = in[i], steps = 0;
    for (;;) {
        v = v * 1664525 + 1013904223;
        if ((v >> 13 & 7) == 1) {
            out[i + 256] = steps;
            break;
        }
        if (++steps > 6 + (i & 3)) {
            out[i + 512] = v;
            break;
        }
    }
    out[i] = in[i + 256] + steps;
}
/* An unlikely way inside the last loop of a kernel. */
__global__ void unlikely_in_last_loop(int *out, const int *in, int n) {
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        int v = in[blockIdx.x * n + k];
        if (UNLIKELY((v >> 8 & 15) == 5)) v = in[v >> 16 & 1023] / (v & 127 | 1);
        out[blockIdx.x * n + k] = v;
    }
}
/* The same, after lanes have left at the top. */
__global__ void guard_then_loop(int *out, const int *in, int lanes, int n) {
    if ((int)(threadIdx.x & 31) >= lanes) return;
    int sum = 0;
    for (int k = 0; k < n; k++) {
        int v = in[k * 256 + TID];
        if (UNLIKELY(v % 11 == 0)) v /= 7;
        sum += v;
        out[k * 256 + TID] = sum;
    }
}
/* Ways that fall through into each other, in a loop. */
__global__ void switch_in_loop(int *out, const int *in, int n) {
    int acc = 0;
    for (int k = 0; k < n; k++) {
        int v = in[k * 256 + TID];
        switch (v >> 10 & 3) {
        case 0: acc += in[(v & 255) + 256];
        case 1: acc ^= v; break;
        case 2: continue;
        default: acc -= 3;
        }
        out[k * 256 + TID] = acc;
    }
    out[TID] = acc;
}
static __device__ __noinline__ int early(const int *in, int v) {
    if ((v & 3) == 0) return in[v & 255];
    int w = in[(v & 255) + 256];
    if ((w >> 5 & 1) == 0) return w + 1;
    return in[(w & 255) + 512] - v;
}
/* Returns of a function at three places, and of half the lanes' calls. */
__global__ void returns_of_calls(int *out, const int *in) {
    int v = in[TID], r = v;
    if (v >> 12 & 1) r = early(in, v >> 3);
    out[TID] = r + in[TID + 256];
}
/* Two loops of different lengths, one after the other; the second one ends the kernel. */
__global__ void two_loops(int *out, const int *in, int n) {
    int trips = in[TID] >> 7 & 7, sum = 0;
    for (int k = 0; k < trips; k++) sum += in[k * 256 + TID];
    for (int k = threadIdx.x; k < n; k += blockDim.x) out[blockIdx.x * n + k] = sum ^ in[k];
}
/* && with an unlikely part, before a barrier and a last loop. */
__global__ void unlikely_before_barrier(int *out, const int *in, int n, int limit) {
    __shared__ int count[128];
    count[threadIdx.x] = in[TID];
    if (threadIdx.x < limit && UNLIKELY(in[TID + 256] / limit > 1000000)) count[threadIdx.x] = in[TID + 512] % limit;
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x) out[blockIdx.x * n + k] = count[(k * 5) & 127];
}

int main(void) {
    int *in = device_words<int>(1 << 18, false), *out = device_words<int>(1 << 18, true);
    LAUNCH(return_in_loop, 2, 128, out, in, 12);
    LAUNCH(leave_two_loops, 2, 128, out, in, 5);
    LAUNCH(two_exits, 2, 128, out, in);
    LAUNCH(unlikely_in_last_loop, 2, 128, out, in, 700);
    LAUNCH(guard_then_loop, 2, 128, out, in, 20, 9);
    LAUNCH(switch_in_loop, 2, 128, out, in, 6);
    LAUNCH(returns_of_calls, 2, 128, out, in);
    LAUNCH(two_loops, 2, 128, out, in, 600);
    LAUNCH(unlikely_before_barrier, 2, 128, out, in, 500, 77);
    puts("done");
    return 0;
}
