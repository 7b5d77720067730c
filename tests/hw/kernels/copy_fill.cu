/* cp.async that fills with zeros: lanes that copy less than the whole, or nothing. `bytes` and `skip` come from memory,
 * so that the assembler cannot know them. Narrow constants at addresses that differ by lane. */
#include "hw.h"

__constant__ unsigned char bytes8[1024];
__constant__ unsigned short bytes16[1024];

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
template <int N> __device__ void copy_ca(void *to, const void *from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 ::"r"(shared_address(to)), "l"(from), "n"(N), "r"(bytes) : "memory");
}
__device__ void copy_cg(void *to, const void *from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 ::"r"(shared_address(to)), "l"(from), "r"(bytes) : "memory");
}
__device__ void wait(void) {
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
}
/* how: lane -> bytes copied; place: element of the source; slot: element of shared memory */
template <int N> __global__ void fill_ca(int *out, const char *in, const int *how, const int *place, const int *slot) {
    __shared__ __align__(16) char s[32 * 32 * N];
    int t = threadIdx.x;
    copy_ca<N>(s + slot[t] * N, in + (size_t)place[t] * N, how[t]);
    wait();
    out[TID] = ((int *)s)[t];
}
__global__ void fill_cg(int *out, const char *in, const int *how, const int *place, const int *slot) {
    __shared__ __align__(16) char s[32 * 32 * 16];
    int t = threadIdx.x;
    copy_cg(s + slot[t] * 16, in + (size_t)place[t] * 16, how[t]);
    wait();
    out[TID] = ((int *)s)[t];
}
__global__ void narrow8(int *out, const int *index) { out[TID] = bytes8[index[threadIdx.x]]; }
__global__ void narrow16(int *out, const int *index) { out[TID] = bytes16[index[threadIdx.x]]; }

static int *upload(const int *values) {
    int *p = device_words<int>(32 * 4, true);
    CHECK(cudaMemcpy(p, values, 32 * 4, cudaMemcpyHostToDevice));
    return p;
}
static unsigned seed = 7;
static int some(int n) { return (int)((seed = seed * 1664525u + 1013904223u) >> 8) % n; }

/* Which lanes copy how much of n bytes. */
static int bytes_of(int kind, int lane, int n) {
    switch (kind) {
    case 0: return n;
    case 1: return 0;
    case 2: return lane & 1 ? 0 : n;
    case 3: return lane < 16 ? n : 0;
    case 4: return lane < 5 ? 0 : n;
    case 5: return n / 2;
    case 6: return lane & 1 ? n / 2 : n;
    default: return some(2) ? n : 0;
    }
}
/* Where a lane's source or destination lies. */
static int place_of(int kind, int lane) {
    switch (kind) {
    case 0: return lane;
    case 1: return 2 * lane;
    case 2: return 32 * lane;
    default: return some(1024);
    }
}

template <int N> static void fill(int *out, const char *in, const int *how, const int *place, const int *slot, bool cg) {
    if (cg) LAUNCH(fill_cg, 1, 32, out, in, how, place, slot);
    else LAUNCH(fill_ca<N>, 1, 32, out, in, how, place, slot);
}

int main(void) {
    int *out = device_words<int>(1 << 12, true), h[32];
    const char *in = device_words<char>(1 << 16, false);
    for (int how = 0; how < 8; how++)
        for (int place = 0; place < 4; place++)
            for (int slot = 0; slot < 3; slot++) {
                int *d[3];
                for (int l = 0; l < 32; l++) h[l] = place_of(place, l);
                d[1] = upload(h);
                for (int l = 0; l < 32; l++) h[l] = place_of(slot, l);
                d[2] = upload(h);
                for (int width = 4; width <= 32; width *= 2) { /* 32: .cg */
                    int n = width == 32 ? 16 : width;
                    for (int l = 0; l < 32; l++) h[l] = bytes_of(how, l, n);
                    d[0] = upload(h);
                    if (width == 4) fill<4>(out, in, d[0], d[1], d[2], false);
                    else if (width == 8) fill<8>(out, in, d[0], d[1], d[2], false);
                    else fill<16>(out, in, d[0], d[1], d[2], width == 32);
                    CHECK(cudaFree(d[0]));
                }
                CHECK(cudaFree(d[1]));
                CHECK(cudaFree(d[2]));
            }
    for (int kind = 0; kind < 6; kind++) {
        for (int l = 0; l < 32; l++) h[l] = kind == 5 ? 9 : kind == 4 ? l / 8 : place_of(kind, l) % 1024;
        int *index = upload(h);
        LAUNCH(narrow8, 1, 32, out, index);
        LAUNCH(narrow16, 1, 32, out, index);
        CHECK(cudaFree(index));
    }
    puts("done");
    return 0;
}
