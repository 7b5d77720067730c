/* Asynchronous copies into shared memory and mbarriers. */
#include "cases.h"

__device__ unsigned shared_address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void copy_async(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from) : "memory"); // found own_nowait, other_nobar, group_early, reuse_nobar: racecheck error
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int N> __device__ void wait_group() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

template <int WAIT> __global__ void own(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    copy_async(&s[t], &in[t]);
    commit();
    if (WAIT)
        wait_group<0>();
    out[t] = s[t]; // found own_nowait: racecheck error // missing own_nowait: no wait for the copy
}

static void run_async(void (*kernel)(const int *, int *))
{
    int *in = zeros<int>(256), *d = zeros<int>(64);
    kernel<<<1, 64>>>(in, d);
    finish(d, 64);
    cudaFree(in);
}

CASE(own_nowait) { run_async(own<0>); }
CASE(own_wait) { run_async(own<1>); } // silent: a thread sees its own copies without a barrier

template <int BARRIER> __global__ void other(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    copy_async(&s[t], &in[t]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (BARRIER)
        __syncthreads();
    out[t] = s[63 - t]; // found other_nobar: racecheck error
}

CASE(other_nobar) { run_async(other<0>); }
CASE(other_bar) { run_async(other<1>); } // silent

template <int LEFT> __global__ void two_groups(const int *in, int *out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x;
    copy_async(&s[0][t], &in[t]);
    commit();
    copy_async(&s[1][t], &in[64 + t]);
    commit();
    wait_group<1>();
    out[t] = s[LEFT][t]; // found group_early: racecheck error
    wait_group<0>();
}

CASE(group_early) { run_async(two_groups<1>); }
CASE(group_first) { run_async(two_groups<0>); } // silent

template <int BARRIER> __global__ void pipeline(const int *in, int *out)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    copy_async(&s[0][t], &in[t]);
    commit();
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            copy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 64 + t]);
        commit();
        wait_group<1>();
        __syncthreads();
        sum += s[i % 2][63 - t]; // found reuse_nobar: racecheck error
        if (BARRIER)
            __syncthreads();
    }
    out[t] = sum;
}

CASE(reuse_nobar) { run_async(pipeline<0>); }
CASE(reuse_bar) { run_async(pipeline<1>); } // silent

__device__ void mbar_wait(unsigned bar, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory"); // found init_nobar: racecheck error, warning
}

template <int ELECT, int SYNC> __global__ void producers(int *out)
{
    __shared__ unsigned long long bar;
    __shared__ int s[32];
    unsigned b = shared_address(&bar);
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(ELECT ? 1 : 32) : "memory");
    __syncthreads();
    if (t < 32) {
        s[lane] = lane; // found elect_nosync: racecheck error
        if (SYNC)
            __syncwarp();
        if (!ELECT || lane == 0)
            asm volatile("{ .reg .b64 x; mbarrier.arrive.shared.b64 x, [%0]; }" ::"r"(b) : "memory");
    } else {
        mbar_wait(b, 0);
        out[lane] = s[31 - lane]; // found elect_nosync: racecheck error
    }
}

static void run_producers(void (*kernel)(int *)) { int *d = zeros<int>(32); kernel<<<1, 64>>>(d); finish(d, 32); }

CASE(elect_nosync) { run_producers(producers<1, 0>); }
CASE(elect_sync) { run_producers(producers<1, 1>); } // silent
CASE(all_arrive) { run_producers(producers<0, 0>); } // silent

template <int WAIT> __global__ void bulk(const int *in, int *out)
{
    __shared__ alignas(16) int s[64];
    __shared__ unsigned long long bar;
    unsigned b = shared_address(&bar);
    int t = threadIdx.x;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(b) : "memory");
        asm volatile("{ .reg .b64 x; mbarrier.arrive.expect_tx.shared.b64 x, [%0], 256; }" ::"r"(b) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(shared_address(s)), "l"(in), "r"(b) : "memory"); // found bulk_nowait: racecheck error
    }
    __syncthreads();
    if (WAIT)
        mbar_wait(b, 0);
    out[t] = s[t]; // found bulk_nowait: racecheck error
    if (!WAIT)
        mbar_wait(b, 0);
}

CASE(bulk_nowait) { run_async(bulk<0>); }
CASE(bulk_wait) { run_async(bulk<1>); } // silent

template <int BARRIER> __global__ void early(int *out)
{
    __shared__ unsigned long long bar;
    unsigned b = shared_address(&bar);
    int t = threadIdx.x;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(b) : "memory"); // found init_nobar: racecheck error, warning
    if (BARRIER)
        __syncthreads();
    asm volatile("{ .reg .b64 x; mbarrier.arrive.shared.b64 x, [%0]; }" ::"r"(b) : "memory"); // found init_nobar: racecheck error
    mbar_wait(b, 0);
    if (t < 32)
        out[t] = t;
}

CASE(init_nobar) { run_producers(early<0>); }
CASE(init_bar) { run_producers(early<1>); } // silent

/* Two stages: a thread copies ahead, all others take what has come, and tell when a stage is empty. */
template <int LATE> __global__ void stages(const int *in, int *out)
{
    __shared__ alignas(16) int s[2][64];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x, sum = 0;
    if (t == 0) {
        for (int k = 0; k < 2; k++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[k])) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared_address(&empty[k])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int i = 0; i < 5; i++) {
        int next = i % 2;
        if (i < 4 && t == 64) {
            if (i >= 2)
                mbar_wait(shared_address(&empty[next]), (i / 2 - 1) & 1);
            asm volatile("{ .reg .b64 x; mbarrier.arrive.expect_tx.shared.b64 x, [%0], 256; }" ::"r"(shared_address(&full[next])) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(shared_address(s[next])), "l"(in + 64 * i), "r"(shared_address(&full[next])) : "memory"); // found stages_early, stages_late: racecheck error
        }
        if (i > 0 && t < 64) {
            int stage = (i - 1) % 2;
            if (LATE == 1)
                sum += s[stage][63 - t]; // found stages_early: racecheck error
            mbar_wait(shared_address(&full[stage]), ((i - 1) / 2) & 1);
            if (LATE == 0)
                sum += s[stage][63 - t];
            asm volatile("{ .reg .b64 x; mbarrier.arrive.shared.b64 x, [%0]; }" ::"r"(shared_address(&empty[stage])) : "memory");
            if (LATE == 2)
                sum += s[stage][63 - t]; // found stages_late: racecheck error
        }
    }
    if (t < 64)
        out[t] = sum;
}

static void run_stages(void (*kernel)(const int *, int *))
{
    int *in = zeros<int>(256), *d = zeros<int>(64);
    kernel<<<1, 96>>>(in, d);
    finish(d, 64);
    cudaFree(in);
}

CASE(stages_clean) { run_stages(stages<0>); } // silent
CASE(stages_early) { run_stages(stages<1>); }
CASE(stages_late) { run_stages(stages<2>); }

/* The last thing a block does is to copy from its shared memory. */
template <int WAIT> __global__ void store_last(int *out)
{
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(shared_address(s)) : "memory"); // found store_last_nowait: racecheck warning
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (WAIT)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

static void run_store_last(void (*kernel)(int *)) { int *d = zeros<int>(64); kernel<<<1, 64>>>(d); finish(d, 64); }

CASE(store_last_nowait) { run_store_last(store_last<0>); }
CASE(store_last_wait) { run_store_last(store_last<1>); } // silent

/* A bulk copy reads what the threads wrote: they fence their writes for it, each its own, or the one that copies all of them. */
enum { NO_FENCE, EACH_FENCES, ONE_FENCES, FENCE_BEFORE };
template <int HOW> __global__ void store_fenced(int *out)
{
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    if (HOW == FENCE_BEFORE) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
    s[t] = t; // found store_nofence, store_fence_before: racecheck error
    if (HOW == EACH_FENCES)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        if (HOW == ONE_FENCES)
            asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(shared_address(s)) : "memory"); // found store_nofence, store_fence_before: racecheck error
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

CASE(store_nofence) { run_store_last(store_fenced<NO_FENCE>); }
CASE(store_fence_before) { run_store_last(store_fenced<FENCE_BEFORE>); }
CASE(store_fence_each) { run_store_last(store_fenced<EACH_FENCES>); } // silent
CASE(store_fence_one) { run_store_last(store_fenced<ONE_FENCES>); } // silent
