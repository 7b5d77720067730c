/* T4: access patterns in shared memory whose cost the bank layout decides.
 * Every kernel is one warp's read pattern, repeated by all warps of a small grid. Run it with --device of another
 * generation: struct of two floats is 2-way on 16 banks, the same on 32 banks; of three floats it is free on all;
 * doubles and stride 6 tell the 4- and 8-byte banks apart; one word for all lanes is a broadcast, two words of
 * different banks a multicast. Argument: the bank width in bytes, 4 or 8 (cc 3.x alone honours 8). */
#include "example.h"

#define BLOCK 128
#define GRID 4
#define WORDS (BLOCK * 6)

struct pair {
    float x, y;
};

struct triple {
    float x, y, z;
};

/* Lane t reads word t * stride: gcd(stride, number of banks)-way. */
template <int stride> __global__ void strided(float *out) {
    __shared__ float s[WORDS];
    int t = threadIdx.x;

    for (int i = t; i < WORDS; i += BLOCK)
        s[i] = (float)i;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[t * stride];
}

__global__ void struct_of_two(float *out) {
    __shared__ struct pair s[BLOCK];
    volatile struct pair *v = s; /* volatile: member by member, as the tutorials count it */
    int t = threadIdx.x;

    v[t].x = (float)t;
    v[t].y = (float)(2 * t);
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = v[t].x + v[t].y;
}

__global__ void struct_of_three(float *out) {
    __shared__ struct triple s[BLOCK];
    volatile struct triple *v = s;
    int t = threadIdx.x;

    v[t].x = (float)t;
    v[t].y = (float)(2 * t);
    v[t].z = (float)(3 * t);
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = v[t].x + v[t].y + v[t].z;
}

__global__ void doubles(float *out) {
    __shared__ double s[BLOCK];
    int t = threadIdx.x;

    s[t] = 0.5 * t;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = (float)s[t ^ 1];
}

__global__ void broadcast(float *out) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;

    s[t] = (float)t;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[blockIdx.x];
}

__global__ void multicast(float *out) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;

    s[t] = (float)t;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[t % 4];
}

__global__ void bytes(float *out) {
    __shared__ unsigned char s[BLOCK];
    int t = threadIdx.x;

    s[t] = (unsigned char)t;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = (float)s[BLOCK - 1 - t];
}

static float expect_stride1(int b, int t) { (void)b; return (float)t; }
static float expect_stride2(int b, int t) { (void)b; return 2.0f * t; }
static float expect_stride3(int b, int t) { (void)b; return 3.0f * t; }
static float expect_stride4(int b, int t) { (void)b; return 4.0f * t; }
static float expect_stride6(int b, int t) { (void)b; return 6.0f * t; }
static float expect_two(int b, int t) { (void)b; return 3.0f * t; }
static float expect_three(int b, int t) { (void)b; return 6.0f * t; }
static float expect_doubles(int b, int t) { (void)b; return 0.5f * (t ^ 1); }
static float expect_broadcast(int b, int t) { (void)t; return (float)b; }
static float expect_multicast(int b, int t) { (void)b; return (float)(t % 4); }
static float expect_bytes(int b, int t) { (void)b; return (float)(BLOCK - 1 - t); }

static const struct {
    const char *name;
    void (*kernel)(float *);
    float (*expect)(int, int);
} patterns[] = {
    {"stride 1", strided<1>, expect_stride1},
    {"stride 2", strided<2>, expect_stride2},
    {"stride 3", strided<3>, expect_stride3},
    {"stride 4", strided<4>, expect_stride4},
    {"stride 6", strided<6>, expect_stride6},
    {"struct of two floats", struct_of_two, expect_two},
    {"struct of three floats", struct_of_three, expect_three},
    {"doubles", doubles, expect_doubles},
    {"broadcast", broadcast, expect_broadcast},
    {"multicast", multicast, expect_multicast},
    {"bytes", bytes, expect_bytes},
};

int main(int argc, char **argv) {
    float expected[GRID * BLOCK], got[GRID * BLOCK], *d_out;
    int pass = 1;

    if (arg_int(argc, argv, 1, 4) == 8)
        CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    CHECK(cudaMalloc((void **)&d_out, sizeof got));
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        for (int k = 0; k < GRID * BLOCK; k++)
            expected[k] = patterns[i].expect(k / BLOCK, k % BLOCK);
        patterns[i].kernel<<<GRID, BLOCK>>>(d_out);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        pass &= same_floats(patterns[i].name, expected, got, GRID * BLOCK, 0.0f);
    }
    CHECK(cudaFree(d_out));
    return finish(pass);
}
