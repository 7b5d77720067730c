// Divergent code: nested branches, early return, loops of different lengths per lane, break, continue, goto, ternaries.
#include <cstdio>
#include <cstdlib>

__host__ __device__ int collatz(unsigned n) {
    int steps = 0;
    while (n != 1) {
        if (n & 1) n = 3 * n + 1;
        else n >>= 1;
        steps++;
    }
    return steps;
}

__host__ __device__ int nested(int i) {
    int r = 0;
    if (i % 2) {
        if (i % 3) {
            if (i % 5) r = 1;
            else r = 2;
        } else if (i % 7 == 0)
            r = 3;
        else
            return 40 + i % 4;
        r *= 10;
    } else {
        for (int k = 0; k < i % 6; k++) {
            if (k == 4) break;
            if (k == i % 3) continue;
            r += k + 1;
        }
    }
    return r;
}

__host__ __device__ int prime_factors(int n, int *largest) {
    int count = 0;
    *largest = 1;
    for (int p = 2; p * p <= n; p++) {
        while (n % p == 0) {
            n /= p;
            count++;
            *largest = p;
        }
    }
    if (n > 1) {
        count++;
        *largest = n;
    }
    return count;
}

__host__ __device__ int search(const int *a, int n, int key) { // binary search with an early way out
    int lo = 0, hi = n - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] == key) return mid;
        if (a[mid] < key) lo = mid + 1;
        else hi = mid - 1;
    }
    return -lo - 1;
}

__host__ __device__ int machine(int x) { // two loops out of order, by goto
    int n = 0;
again:
    if (x > 100) goto big;
    x += 7;
    n++;
    if (n > 50) goto done;
    if (x % 3 == 0) goto again;
big:
    x -= 31;
    n += 2;
    if (x > 0) goto again;
done:
    return n * 1000 + (x & 255);
}

__host__ __device__ unsigned gcd(unsigned a, unsigned b) {
    while (b) {
        unsigned t = a % b;
        a = b;
        b = t;
    }
    return a;
}

#define OPS 7
__host__ __device__ void all(int i, const int *sorted, int n, int *o) {
    o[0] = collatz(i + 1);
    o[1] = nested(i);
    o[2] = prime_factors(i + 2, &o[3]);
    o[4] = search(sorted, n, i);
    o[5] = machine(i);
    o[6] = gcd(i * 36 + 12, i + 90) * (i > 50 ? i < 70 ? 2 : 3 : i == 13 || (i & 3) == 3 ? 5 : 7);
}

__global__ void kernel(const int *sorted, int n, int *out, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    all(i, sorted, n, out + i * OPS);
}

// Lanes leave at different times; the others still take part in the ballots of the rest.
__global__ void leaving(unsigned *out) {
    int lane = threadIdx.x;
    for (int round = 0;; round++) {
        if (lane % 8 == round) return;
        unsigned active = __activemask();
        out[round * 32 + lane] = __popc(__ballot_sync(active, lane & 1));
        if (round == 7) break;
    }
}

int main() {
    const int m = 1000, n = 120;
    static int sorted[n], got[m * OPS], want[OPS];
    for (int i = 0; i < n; i++) sorted[i] = i * 7 + i % 3;
    int *ds, *d;
    cudaMalloc(&ds, sizeof sorted);
    cudaMalloc(&d, sizeof got);
    cudaMemcpy(ds, sorted, sizeof sorted, cudaMemcpyHostToDevice);
    kernel<<<(m + 127) / 128, 128>>>(ds, n, d, m);
    cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++) {
        all(i, sorted, n, want);
        for (int k = 0; k < OPS; k++)
            if (got[i * OPS + k] != want[k] && bad++ < 5)
                printf("%d of %d: %d, expected %d\n", k, i, got[i * OPS + k], want[k]);
    }
    unsigned *du = (unsigned *)d, h[8 * 32];
    cudaMemset(d, 0, sizeof h);
    leaving<<<1, 32>>>(du);
    cudaMemcpy(h, du, sizeof h, cudaMemcpyDeviceToHost);
    for (int round = 0; round < 7; round++) {
        int odd = 0; // odd lanes still there
        for (int l = 0; l < 32; l++) odd += (l & 1) && l % 8 > round;
        for (int l = 0; l < 32; l++) bad += h[round * 32 + l] != (unsigned)(l % 8 > round ? odd : 0);
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(ds);
    cudaFree(d);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
