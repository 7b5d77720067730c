// Every atomic: integer, 64-bit, float, double, half2, bfloat162; global and shared; block and system scope.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long ull;

struct Box {
    int add, sub, exch, mn, mx, cas, sand, sor, sxor;
    unsigned inc, dec, umin, umax, uadd;
    float fadd, fexch;
    int pad0;
    double dadd;
    ull ladd, lmin, lmax, land, lor, lxor, lcas, lexch;
    long long slmin, slmax;
    __half2 h2;
    __half h, hpad;
    __nv_bfloat162 b2;
};

__device__ void all(Box *b, int i) {
    atomicAdd(&b->add, i);
    atomicSub(&b->sub, i);
    atomicExch(&b->exch, 77);
    atomicMin(&b->mn, 500 - i);
    atomicMax(&b->mx, i - 600);
    atomicCAS(&b->cas, 3, 4);
    atomicAnd(&b->sand, ~(1 << (i % 7)));
    atomicOr(&b->sor, 1 << (i % 9));
    atomicXor(&b->sxor, i);
    atomicInc(&b->inc, 9);
    atomicDec(&b->dec, 12);
    atomicMin(&b->umin, 0x80000000u + i);
    atomicMax(&b->umax, 0x80000000u + i);
    atomicAdd(&b->uadd, 0xFFFFFFFFu);
    atomicAdd(&b->fadd, 0.5f);
    atomicExch(&b->fexch, 2.5f);
    atomicAdd(&b->dadd, 0.25);
    atomicAdd(&b->ladd, (ull)i << 30);
    atomicMin(&b->lmin, (1ull << 40) - i);
    atomicMax(&b->lmax, (1ull << 40) + i);
    atomicAnd(&b->land, ~(1ull << (i % 50)));
    atomicOr(&b->lor, 1ull << (i % 60));
    atomicXor(&b->lxor, (ull)i << 20);
    atomicCAS(&b->lcas, 1ull << 50, 9ull);
    atomicExch(&b->lexch, 123456789012345ull);
    atomicMin(&b->slmin, -((long long)i << 33));
    atomicMax(&b->slmax, -5000000000ll + i);
    atomicAdd(&b->h2, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(&b->h, __float2half(0.5f));
    atomicAdd(&b->b2, __floats2bfloat162_rn(1.0f, 0.5f));
}

__global__ void global_kernel(Box *b) { all(b, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void shared_kernel(Box *b) {
    __shared__ Box s;
    if (threadIdx.x == 0) s = *b;
    __syncthreads();
    all(&s, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) *b = s;
}

__global__ void scopes(int *p, float *f, ull *l) {
    atomicAdd_block(&p[blockIdx.x], 2);
    atomicAdd_system(&p[10], 3);
    atomicMax_system(&p[11], (int)(threadIdx.x + blockIdx.x));
    atomicCAS_block(&p[12 + blockIdx.x], 0, 5);
    atomicAdd_system(f, 1.5f);
    atomicOr_system(l, 1ull << threadIdx.x);
}

// The returned old values of an add are a permutation.
__global__ void tickets(int *counter, int *seen) { atomicAdd(&seen[atomicAdd(counter, 1)], 1); }
__global__ void inc_returns(unsigned *counter, unsigned *hist) { atomicAdd(&hist[atomicInc(counter, 4)], 1u); }

static bool check(const Box &g, int n, const char *where) {
    Box w = {};
    w.mn = 1000; w.mx = -1000; w.cas = 3; w.sand = -1; w.umin = ~0u; w.dec = 5; w.lmin = ~0ull; w.land = ~0ull;
    w.lcas = 1ull << 50; w.slmin = 5; w.slmax = -(1ll << 60);
    float h0 = 0, h1 = 0, h = 0, b0 = 0, b1 = 0;
    for (int i = 0; i < n; i++) {
        w.add += i; w.sub -= i; w.exch = 77;
        w.mn = w.mn < 500 - i ? w.mn : 500 - i;
        w.mx = w.mx > i - 600 ? w.mx : i - 600;
        w.cas = 4;
        w.sand &= ~(1 << (i % 7));
        w.sor |= 1 << (i % 9);
        w.sxor ^= i;
        w.inc = w.inc >= 9 ? 0 : w.inc + 1;
        w.dec = w.dec == 0 || w.dec > 12 ? 12 : w.dec - 1;
        w.umin = w.umin < 0x80000000u + i ? w.umin : 0x80000000u + i;
        w.umax = w.umax > 0x80000000u + i ? w.umax : 0x80000000u + i;
        w.uadd--;
        w.fadd += 0.5f; w.fexch = 2.5f; w.dadd += 0.25;
        w.ladd += (ull)i << 30;
        w.lmin = w.lmin < (1ull << 40) - i ? w.lmin : (1ull << 40) - i;
        w.lmax = w.lmax > (1ull << 40) + i ? w.lmax : (1ull << 40) + i;
        w.land &= ~(1ull << (i % 50)); w.lor |= 1ull << (i % 60); w.lxor ^= (ull)i << 20;
        w.lcas = 9; w.lexch = 123456789012345ull;
        long long a = -((long long)i * (1ll << 33)), c = -5000000000ll + i;
        w.slmin = a < w.slmin ? a : w.slmin;
        w.slmax = c > w.slmax ? c : w.slmax;
        h0 += 1; h1 += 2; h += 0.5f; b0 += 1; b1 += 0.5f;
    }
    int bad = 0;
#define SAME(field) if (g.field != w.field) { printf("%s: %s differs\n", where, #field); bad++; }
    SAME(add)
    SAME(sub) SAME(exch) SAME(mn) SAME(mx) SAME(cas) SAME(sand) SAME(sor) SAME(sxor) SAME(inc) SAME(dec) SAME(umin)
        SAME(umax) SAME(uadd) SAME(fadd) SAME(fexch) SAME(dadd) SAME(ladd) SAME(lmin) SAME(lmax) SAME(land) SAME(lor)
            SAME(lxor) SAME(lcas) SAME(lexch) SAME(slmin)
                SAME(slmax) if (__low2float(g.h2) != h0 || __high2float(g.h2) != h1 || __half2float(g.h) != h)
    {
        printf("%s: half differs\n", where);
        bad++;
    }
    if (__low2float(g.b2) != b0 || __high2float(g.b2) != b1) { printf("%s: bfloat16 differs\n", where); bad++; }
    return bad == 0;
}

int main() {
    Box init, got, *d;
    memset(&init, 0, sizeof init);
    init.mn = 1000; init.mx = -1000; init.cas = 3; init.sand = -1; init.umin = ~0u; init.dec = 5; init.lmin = ~0ull;
    init.land = ~0ull; init.lcas = 1ull << 50; init.slmin = 5; init.slmax = -(1ll << 60);
    cudaMalloc(&d, sizeof(Box));
    bool ok = true;
    cudaMemcpy(d, &init, sizeof init, cudaMemcpyHostToDevice);
    global_kernel<<<4, 50>>>(d); // at most 256 adds of 1: exact in bfloat16
    cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost);
    ok &= check(got, 200, "global");
    cudaMemcpy(d, &init, sizeof init, cudaMemcpyHostToDevice);
    shared_kernel<<<1, 100>>>(d);
    cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost);
    ok &= check(got, 100, "shared");

    int *p, h[400];
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    scopes<<<4, 64>>>(p, (float *)(p + 20), (ull *)(p + 22));
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; b++) ok &= h[b] == 128 && h[12 + b] == 5;
    ok &= h[10] == 3 * 256 && h[11] == 66 && *(float *)(h + 20) == 384.0f && *(ull *)(h + 22) == ~0ull;
    cudaMemset(p, 0, sizeof h);
    tickets<<<3, 100>>>(p, p + 50);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    ok &= h[0] == 300;
    for (int i = 0; i < 300; i++) ok &= h[50 + i] == 1;
    cudaMemset(p, 0, sizeof h);
    inc_returns<<<2, 50>>>((unsigned *)p, (unsigned *)p + 1);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 5; i++) ok &= h[1 + i] == 20;
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    cudaFree(p);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
