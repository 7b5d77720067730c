// Votes and shuffles: all, any, ballot, uni, activemask, every shuffle with widths, partial masks, block-wide counts.
#include <cstdio>
#include <cstring>

__global__ void votes(unsigned *out) {
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    unsigned *o = out + threadIdx.x * 16;
    bool p = lane >= w * 16; // all, half, none
    o[0] = __all_sync(~0u, p) != 0;
    o[1] = __any_sync(~0u, p) != 0;
    o[2] = __ballot_sync(~0u, p);
    o[3] = __activemask();
    int v = lane * 10 + w;
    o[4] = __shfl_sync(~0u, v, 5);
    o[5] = __shfl_sync(~0u, v, lane + 3, 8);
    o[6] = __shfl_up_sync(~0u, v, 4);
    o[7] = __shfl_down_sync(~0u, v, 4, 16);
    o[8] = __shfl_xor_sync(~0u, v, 7);
    unsigned m = 0;
    if (lane % 2) m = __ballot_sync(0xAAAAAAAA, lane > 10);
    o[9] = m;
    int counted = 0;
    if (lane < 20) counted = __popc(__ballot_sync(0x000FFFFF, lane % 3 == 0));
    o[10] = counted;
    double d = __shfl_xor_sync(~0u, (double)v, 1);
    o[11] = (unsigned)(d * 2);
    long long ll = __shfl_down_sync(~0u, (long long)v << 33, 1);
    o[12] = (unsigned)(ll >> 33);
    o[13] = __syncthreads_count(p);
    o[14] = (__syncthreads_and(lane >= 0) ? 2 : 0) + (__syncthreads_and(p) ? 1 : 0);
    o[15] = (__syncthreads_or(lane == 40) ? 2 : 0) + (__syncthreads_or(threadIdx.x == 70) ? 1 : 0);
}

int main() {
    const int T = 96;
    unsigned *d, h[T * 16];
    cudaMalloc(&d, sizeof h);
    votes<<<1, T>>>(d);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    int bad = 0;
    for (int t = 0; t < T; t++) {
        int lane = t & 31, w = t >> 5;
        auto val = [&](int l) { return (unsigned)(l * 10 + w); };
        unsigned ballots[3] = {~0u, 0xFFFF0000u, 0};
        unsigned want[16];
        want[0] = w == 0;
        want[1] = w < 2;
        want[2] = ballots[w];
        want[3] = ~0u;
        want[4] = val(5);
        want[5] = val(lane / 8 * 8 + (lane + 3) % 8);
        want[6] = lane < 4 ? val(lane) : val(lane - 4);
        want[7] = lane % 16 + 4 >= 16 ? val(lane) : val(lane + 4);
        want[8] = val(lane ^ 7);
        want[9] = lane % 2 ? 0xAAAAAAAAu & ~0x7FFu : 0;
        want[10] = lane < 20 ? 7 : 0;
        want[11] = val(lane ^ 1) * 2;
        want[12] = lane == 31 ? val(31) : val(lane + 1);
        want[13] = 48;
        want[14] = 2;
        want[15] = 1;
        for (int k = 0; k < 16; k++) {
            unsigned g = h[t * 16 + k];
            if (g != want[k] && bad++ < 5) printf("thread %d value %d: %x, expected %x\n", t, k, g, want[k]);
        }
    }
    cudaFree(d);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
