// Recursion in device code: Fibonacci, Ackermann, quicksort, towers of Hanoi, mutual recursion, N queens.
#include <cstdio>
#include <cstdlib>

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) { return n == 0 ? true : is_odd(n - 1); }
__device__ __noinline__ bool is_odd(int n) { return n == 0 ? false : is_even(n - 1); }

__device__ void quicksort(int *a, int lo, int hi) {
    if (lo >= hi) return;
    int pivot = a[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quicksort(a, lo, j);
    quicksort(a, i, hi);
}

__device__ int hanoi(int n, int from, int to, int via, int *moves) {
    if (n == 0) return 0;
    int count = hanoi(n - 1, from, via, to, moves);
    moves[from * 3 + to]++;
    return count + 1 + hanoi(n - 1, via, to, from, moves);
}

__device__ int queens(int n, unsigned cols, unsigned left, unsigned right, int row) {
    if (row == n) return 1;
    int count = 0;
    unsigned free = ~(cols | left | right) & ((1u << n) - 1);
    while (free) {
        unsigned bit = free & -free;
        free ^= bit;
        count += queens(n, cols | bit, (left | bit) << 1, (right | bit) >> 1, row + 1);
    }
    return count;
}

__global__ void run_fib(int *out) { out[threadIdx.x] = fib(threadIdx.x); }
__global__ void run_misc(int *out) {
    int t = threadIdx.x;
    if (t < 12) out[t] = (int)ackermann(2, t);
    else out[t] = is_even(t) * 10 + is_odd(t);
}
__global__ void run_sort(int *data, int per) { quicksort(data + threadIdx.x * per, 0, per - 1); }
__global__ void run_hanoi(int *count, int *moves) {
    int local[9] = {0};
    *count = hanoi(7, 0, 2, 1, local);
    for (int i = 0; i < 9; i++) moves[i] = local[i];
}
__global__ void run_queens(int n, int *count) { // a thread a first column
    int t = threadIdx.x;
    if (t < n) atomicAdd(count, queens(n, 1u << t, 1u << (t + 1), (1u << t) >> 1, 1));
}

int main() {
    int *d, h[640];
    bool ok = true;
    cudaMalloc(&d, sizeof h);
    size_t stack;
    cudaDeviceGetLimit(&stack, cudaLimitStackSize);
    ok &= cudaDeviceSetLimit(cudaLimitStackSize, 8192) == cudaSuccess;
    run_fib<<<1, 16>>>(d);
    cudaMemcpy(h, d, 16 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 2; i < 16; i++) ok &= h[i] == h[i - 1] + h[i - 2];
    ok &= h[0] == 0 && h[15] == 610;
    run_misc<<<1, 32>>>(d);
    cudaMemcpy(h, d, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) ok &= h[i] == (i < 12 ? 2 * i + 3 : i % 2 ? 1 : 10);
    for (int i = 0; i < 640; i++) h[i] = rand() % 100;
    int before[640];
    for (int i = 0; i < 640; i++) before[i] = h[i];
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    run_sort<<<1, 32>>>(d, 20);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32; t++) {
        long sum = 0;
        for (int i = 0; i < 20; i++) {
            sum += before[t * 20 + i] * before[t * 20 + i] - h[t * 20 + i] * h[t * 20 + i];
            ok &= i == 0 || h[t * 20 + i - 1] <= h[t * 20 + i];
        }
        ok &= sum == 0;
    }
    run_hanoi<<<1, 1>>>(d, d + 1);
    cudaMemcpy(h, d, 10 * sizeof(int), cudaMemcpyDeviceToHost);
    int moves = 0;
    for (int i = 1; i < 10; i++) moves += h[i];
    ok &= h[0] == 127 && moves == 127 && h[1 + 2] > 0;
    cudaMemset(d, 0, sizeof(int));
    run_queens<<<1, 32>>>(7, d);
    cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost);
    ok &= h[0] == 40 && cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
