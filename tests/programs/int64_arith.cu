// 64- and 128-bit integers: division and remainder with all signs, shifts, multiply-high, big-number addition with
// carry.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define OPS 16

__global__ void kernel(const int64_t *a, const int64_t *b, uint64_t *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int64_t x = a[i], y = b[i];
    uint64_t u = x, v = y, *o = out + i * OPS;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = u / v;
    o[3] = u % v;
    o[4] = (uint64_t)__mul64hi(x, y);
    o[5] = x >> (v & 63);
    o[6] = u << (v & 63);
    o[7] = u >> (v & 63);
    o[8] = (uint64_t)llabs(x) - (x < y ? 1 : 2);
    o[9] = (uint32_t)x / ((uint32_t)y | 1) + (int32_t)x % ((int32_t)y | 1);
    unsigned __int128 p = (unsigned __int128)u * v + u;
    o[10] = (uint64_t)(p >> 64);
    o[11] = (uint64_t)(p >> 33);
    o[12] = (uint64_t)(p / (v | 1));
    o[13] = u / 1000000007u;
    o[14] = x / -10;
    o[15] = (uint64_t)(double)x + (uint64_t)(int64_t)(float)y + (uint64_t)min(x, y) + max(u, v);
}

// Fibonacci numbers of 256 bits: one number a thread, words with carry.
__global__ void fibonacci(uint32_t *out, int steps) {
    uint32_t a[8] = {threadIdx.x}, b[8] = {1};
    for (int s = 0; s < steps; s++) {
        uint64_t carry = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            uint64_t t = (uint64_t)a[k] + b[k] + carry;
            a[k] = b[k];
            b[k] = (uint32_t)t;
            carry = t >> 32;
        }
    }
    for (int k = 0; k < 8; k++) out[threadIdx.x * 8 + k] = b[k];
}

static void reference(int64_t x, int64_t y, uint64_t *o) {
    uint64_t u = x, v = y;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = u / v;
    o[3] = u % v;
    o[4] = (uint64_t)(((__int128)x * y) >> 64);
    o[5] = x >> (v & 63);
    o[6] = u << (v & 63);
    o[7] = u >> (v & 63);
    o[8] = (uint64_t)(x < 0 ? -u : u) - (x < y ? 1 : 2);
    o[9] = (uint32_t)x / ((uint32_t)y | 1) + (int32_t)x % ((int32_t)y | 1);
    unsigned __int128 p = (unsigned __int128)u * v + u;
    o[10] = (uint64_t)(p >> 64);
    o[11] = (uint64_t)(p >> 33);
    o[12] = (uint64_t)(p / (v | 1));
    o[13] = u / 1000000007u;
    o[14] = x / -10;
    double dx = (double)x; // a negative value to unsigned: the device gives 0, so it is computed in two ways
    uint64_t from_double = dx < 0 ? 0 : (uint64_t)dx;
    o[15] = from_double + (uint64_t)(int64_t)(float)y + (uint64_t)(x < y ? x : y) + (u > v ? u : v);
}

int main() {
    const int n = 2000;
    static int64_t a[n], b[n];
    static uint64_t got[n * OPS];
    auto r64 = [] { return ((uint64_t)rand() << 62) ^ ((uint64_t)rand() << 31) ^ (uint64_t)rand(); };
    for (int i = 0; i < n; i++) {
        a[i] = (int64_t)(r64() >> (i % 60)) * (i % 3 == 0 ? -1 : 1);
        b[i] = (int64_t)(r64() >> (i * 7 % 61 + 1)) * (i % 2 ? -1 : 1);
        if (b[i] == 0 || b[i] == -1) b[i] = 3;
        if ((int32_t)b[i] == -1) b[i] -= 4;
    }
    int64_t *da, *db;
    uint64_t *d;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&d, sizeof got);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    kernel<<<(n + 63) / 64, 64>>>(da, db, d, n);
    cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    int bad = 0, first[OPS] = {0};
    for (int i = 0; i < n; i++) {
        uint64_t want[OPS];
        reference(a[i], b[i], want);
        for (int k = 0; k < OPS; k++)
            if (got[i * OPS + k] != want[k]) {
                bad++;
                if (!first[k]++)
                    printf("operation %d of %lld, %lld: %llx, expected %llx\n", k, (long long)a[i], (long long)b[i],
                           (unsigned long long)got[i * OPS + k], (unsigned long long)want[k]);
            }
    }
    static uint32_t fib[32 * 8];
    fibonacci<<<1, 32>>>((uint32_t *)d, 300);
    cudaMemcpy(fib, d, sizeof fib, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32; t++) {
        uint32_t x[8] = {(uint32_t)t}, y[8] = {1};
        for (int s = 0; s < 300; s++) {
            uint64_t c = 0;
            for (int k = 0; k < 8; k++) {
                c += (uint64_t)x[k] + y[k];
                x[k] = y[k];
                y[k] = (uint32_t)c;
                c >>= 32;
            }
        }
        for (int k = 0; k < 8; k++) bad += fib[t * 8 + k] != y[k];
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(da); cudaFree(db); cudaFree(d);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
