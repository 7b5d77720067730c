// What warp functions give where lanes do not take part, and what masks without the own lane do. Prints kind, error and runs of
// equal values as first=value. An error stays for all kinds behind it.
#include <cstdio>
__device__ int keep(int v)
{
    asm volatile("" : "+r"(v));
    return v;
}
// kind: what the lanes outside do
__global__ void lanes(int kind, int n, unsigned m, int *o)
{
    int t = threadIdx.x, v = keep(t + 100), r = -1;
    switch (kind) {
    case 0:
        if (t < n) r = __shfl_sync(~0u, v, 20);
        break; // others go on behind
    case 1:
        if (t >= n) return;
        r = __shfl_sync(~0u, v, 20);
        break; // others have exited
    case 2:
        if (t < n) r = __shfl_down_sync(~0u, v, 8);
        break;
    case 3:
        if (t < n) r = __shfl_xor_sync(~0u, v, 16);
        break;
    case 4:
        if (t >= 12) r = __shfl_up_sync(~0u, v, 4);
        break;
    case 5:
        asm volatile("{.reg .pred p; setp.lt.s32 p, %1, %2; @p shfl.sync.idx.b32 %0, %3, 20, 31, -1;}"
                     : "+r"(r)
                     : "r"(t), "r"(n), "r"(v));
        break;
    case 6:
        if (t < n) r = __shfl_sync(m, v, 20);
        break;                                                   // mask names the lanes that call
    case 7: r = __ballot_sync((1u << t) - 1, t % 3 == 0); break; // own lane never in its mask
    case 8: r = __ballot_sync(t < 16 ? 0xffffu : 0xffff0000u, t % 3 == 0); break;
    case 9: r = __any_sync((1u << t) - 1, t == 31); break;
    case 10: r = __all_sync((1u << t) - 1, t != 0); break;
    case 11:
        if (t < n) r = __ballot_sync(~0u, 1);
        break;
    case 12: r = __ballot_sync(m, t & 1); break; // all call, the mask names some
    case 13: r = __match_any_sync(m, t & 3); break;
    case 14: r = __reduce_add_sync(t < 16 ? 0xffffu : 0xffff0000u, t); break;
    case 15: r = __shfl_sync(m, v, 20); break; // all call, the mask names some
    case 16:
        if (t & 1) r = __shfl_xor_sync(0xaaaaaaaau, v, 1);
        break;
    case 17: r = __shfl_sync(~0u, v, 20); break;      // a block of n threads
    case 18: r = __shfl_down_sync(~0u, v, 16); break; // a block of n threads
    case 19:
        if (t < n) r = __shfl_sync(__activemask(), v, 20);
        break;
    case 20:
        if (t < n) {
            r = __shfl_sync(0xffffu, v, 20);
        } else {
            r = __shfl_sync(0xffff0000u, v, 4);
        }
        break; // both sides of a branch
    case 21: r = __ballot_sync(0, t & 1); break;
    case 22:
        if (t < n) r = __activemask();
        break;
    }
    o[t] = r;
}
int main()
{
    int *o, h[32];
    cudaMalloc(&o, 128);
    const int order[] = {0, 1, 2, 3, 4, 5, 6, 8, 11, 16, 17, 18, 19, 20, 22, 14, 7, 21, 9, 10, 12, 15, 13};
    for (int k : order) {
        cudaMemset(o, 0xff, 128);
        lanes<<<1, k == 17 || k == 18 ? 20 : 32>>>(k, 16, 0x0000ffffu, o);
        cudaError_t e = cudaDeviceSynchronize();
        cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost);
        printf("%d %d:", k, (int)e);
        for (int i = 0; i < 32; i++)
            if (i == 0 || h[i] != h[i - 1]) printf(" %d=%x", i, h[i]);
        printf("\n");
        fflush(stdout);
    }
}
