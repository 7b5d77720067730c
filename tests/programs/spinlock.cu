// Locks: a mutex between blocks, a spin lock taken by every lane of a warp, a ticket lock, a lock per list in a hash
// table.
#include <cstdio>
#include <cstdlib>

struct Lock {
    int *mutex;
    Lock() {
        int state = 0;
        cudaMalloc((void **)&mutex, sizeof(int));
        cudaMemcpy(mutex, &state, sizeof(int), cudaMemcpyHostToDevice);
    }
    __device__ void lock() {
        while (atomicCAS(mutex, 0, 1) != 0) ;
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(mutex, 0);
    }
};

__global__ void between_blocks(Lock lock, volatile int *counter, const int *in, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 32; k; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) {
        lock.lock();
        *counter = *counter + s[0];
        lock.unlock();
    }
}

// Every lane takes the lock: the body stands inside the loop, so it is right with any scheduling.
__global__ void every_lane(int *mutex, volatile int *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(mutex, 0, 1) == 0) {
            __threadfence();
            *counter = *counter + 1;
            __threadfence();
            atomicExch(mutex, 0);
            done = true;
        }
    }
}

// The naive form, which needs independent thread scheduling (cc 7.0 and later).
__global__ void every_lane_naive(int *mutex, volatile int *counter) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
    __threadfence();
    *counter = *counter + 1;
    __threadfence();
    atomicExch(mutex, 0);
}

__global__ void ticket_lock(unsigned *next, volatile unsigned *serving, volatile int *counter, int *order) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1);
        while (*serving != mine) {}
        __threadfence();
        order[mine] = *counter;
        *counter = *counter + 2;
        __threadfence();
        *serving = mine + 1;
    }
}

#define HASH 16
struct Entry {
    unsigned key;
    Entry *next;
};
__global__ void add_to_table(const unsigned *keys, int n, Entry *pool, Entry **heads, int *locks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = keys[i] % HASH;
    for (int w = 0; w < 32; w++) { // one lane of a warp after the other
        if ((threadIdx.x & 31) == w) {
            pool[i].key = keys[i];
            while (atomicCAS(&locks[h], 0, 1) != 0) {}
            __threadfence();
            pool[i].next = *(Entry *volatile *)&heads[h];
            *(Entry *volatile *)&heads[h] = &pool[i];
            __threadfence();
            atomicExch(&locks[h], 0);
        }
    }
}

int main() {
    const int n = 640;
    int h[n], want = 0, *d_in, *d, got[64];
    for (int i = 0; i < n; i++) want += h[i] = rand() % 50;
    cudaMalloc(&d_in, sizeof h);
    cudaMalloc(&d, 64 * sizeof(int));
    cudaMemset(d, 0, 64 * sizeof(int));
    cudaMemcpy(d_in, h, sizeof h, cudaMemcpyHostToDevice);
    Lock lock;
    between_blocks<<<n / 64, 64>>>(lock, d, d_in, n);
    every_lane<<<4, 64>>>(d + 1, d + 2);
    every_lane_naive<<<2, 64>>>(d + 3, d + 4);
    ticket_lock<<<8, 32>>>((unsigned *)d + 5, (unsigned *)d + 6, d + 7, d + 8);
    cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    bool ok = got[0] == want && got[2] == 256 && got[4] == 128 && got[7] == 16;
    for (int i = 0; i < 8; i++) ok &= got[8 + i] == 2 * i;
    printf("%d %d %d %d\n", got[0], got[2], got[4], got[7]);

    Entry *pool, **heads, hp[n], *hh[HASH];
    int *locks;
    cudaMalloc(&pool, sizeof hp);
    cudaMalloc(&heads, sizeof hh);
    cudaMalloc(&locks, HASH * sizeof(int));
    cudaMemset(pool, 0, sizeof hp);
    cudaMemset(heads, 0, sizeof hh);
    cudaMemset(locks, 0, HASH * sizeof(int));
    add_to_table<<<n / 64, 64>>>((unsigned *)d_in, n, pool, heads, locks);
    cudaMemcpy(hp, pool, sizeof hp, cudaMemcpyDeviceToHost);
    cudaMemcpy(hh, heads, sizeof hh, cudaMemcpyDeviceToHost);
    int found = 0;
    for (int b = 0; b < HASH; b++)
        for (Entry *e = hh[b]; e && found <= n; e = hp[e - pool].next) {
            found++;
            ok &= hp[e - pool].key % HASH == (unsigned)b && hp[e - pool].key == (unsigned)h[e - pool];
        }
    ok &= found == n && cudaGetLastError() == cudaSuccess;
    cudaFree(lock.mutex); cudaFree(d_in); cudaFree(d); cudaFree(pool); cudaFree(heads); cudaFree(locks);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
