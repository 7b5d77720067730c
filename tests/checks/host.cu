/* The host beside work that it has not waited for. build with: -g */
#include "cases.h"

#include <atomic>
#include <fcntl.h>
#include <string.h>
#include <thread>
#include <unistd.h>

constexpr int N = 1500; /* not whole pages */

__global__ void fill(int *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        p[i] = i; // found read_early, write_early, read_by_memcpy, write_after_first, read_other_stream, read_earlier_event, file_early_threads: racecheck error
}

__global__ void copy(const int *p, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = p[i]; // found source_early: racecheck error
}

__global__ void fill_half(int *p) { p[threadIdx.x] = 1; }

__global__ void signal(volatile int *data, volatile int *flag)
{
    data[threadIdx.x] = threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 1;
}

__global__ void signal_plain(int *data, volatile int *flag)
{
    data[threadIdx.x] = threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 1;
}

__global__ void wait_for_host(volatile int *go, int *out)
{
    while (!*go) {
    }
    *out = 1;
}

struct managed {
    int *p, *q;
    cudaStream_t s, t;
    managed()
    {
        cudaMallocManaged(&p, N * sizeof(int));
        cudaMallocManaged(&q, N * sizeof(int));
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    }
    ~managed()
    {
        cudaDeviceSynchronize();
        cudaStreamDestroy(s);
        cudaStreamDestroy(t);
        cudaFree(p);
        cudaFree(q);
    }
};

static volatile int seen;

CASE(read_early)
{
    managed m;
    fill<<<6, 256>>>(m.p);
    seen = m.p[700]; // found read_early: racecheck error
}
CASE(read_late) // silent
{
    managed m;
    fill<<<6, 256>>>(m.p);
    cudaDeviceSynchronize();
    seen = m.p[700];
}

CASE(write_early)
{
    managed m;
    fill<<<6, 256>>>(m.p);
    m.p[1499] = 3; // found write_early: racecheck error
}

CASE(read_by_memcpy)
{
    managed m;
    int mine[N];
    fill<<<6, 256>>>(m.p);
    memcpy(mine, m.p, sizeof mine); // found read_by_memcpy: racecheck error
    seen = mine[3];
}

CASE(write_after_first) // before the launch is right, behind it is not
{
    managed m;
    memset(m.p, 0, N * sizeof(int));
    fill<<<6, 256>>>(m.p);
    m.p[0] = 3; // found write_after_first: racecheck error
    fill<<<6, 256>>>(m.p);
    cudaDeviceSynchronize();
    seen = m.p[5];
}

CASE(read_other_stream)
{
    managed m;
    fill<<<6, 256, 0, m.s>>>(m.p);
    fill<<<6, 256, 0, m.t>>>(m.q);
    cudaStreamSynchronize(m.t);
    seen = m.q[3];
    seen = m.p[3]; // found read_other_stream: racecheck error
}

CASE(read_earlier_event)
{
    managed m;
    cudaEvent_t e;
    cudaEventCreate(&e);
    fill<<<6, 256, 0, m.s>>>(m.q);
    cudaEventRecord(e, m.s);
    fill<<<6, 256, 0, m.s>>>(m.p);
    cudaEventSynchronize(e);
    seen = m.q[3];
    seen = m.p[3]; // found read_earlier_event: racecheck error
    cudaEventDestroy(e);
}

CASE(source_early)
{
    managed m;
    copy<<<6, 256>>>(m.p, m.q);
    seen = m.p[3]; /* both read */
    m.p[3] = 1;    // found source_early: racecheck error
}

template <typename F> static void copied(bool out, F access)
{
    int *h, *d = zeros<int>(1024);
    cudaMallocHost(&h, 4096);
    memset(h, 0, 4096);
    if (out)
        cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost); // found copy_out_early: racecheck error
    else
        cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice); // found copy_in_early: racecheck error
    access(h);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFree(d);
}

CASE(copy_out_early)
{
    copied(true, [](int *h) {
        seen = h[7]; // found copy_out_early: racecheck error
    });
}
CASE(copy_out_late) // silent
{
    copied(true, [](int *h) {
        cudaStreamSynchronize(0);
        seen = h[7];
    });
}
CASE(copy_in_early)
{
    copied(false, [](int *h) {
        h[7] = 1; // found copy_in_early: racecheck error
    });
}
CASE(copy_in_read) { copied(false, [](int *h) { seen = h[7]; }); } // silent

CASE(one_page_shared) // silent: the host writes the other half
{
    managed m;
    fill_half<<<1, 256>>>(m.p);
    m.p[256] = 3;
    seen = m.p[1000];
}

/* While one part of a pinned buffer is copied, the next is read from a file; parts are no whole pages. */
CASE(double_buffer) // silent
{
    enum { PART = 1000, PARTS = 8 };
    char *h, *d = zeros<char>(PART * PARTS);
    int file = open("/dev/zero", O_RDONLY);
    cudaMallocHost(&h, PART * PARTS);
    for (int k = 0; k < PARTS; k++) {
        if (read(file, h + k * PART, PART) != PART)
            cudaMemcpy(NULL, d, 1, cudaMemcpyDefault);
        cudaMemcpyAsync(d + k * PART, h + k * PART, PART, cudaMemcpyHostToDevice);
    }
    cudaDeviceSynchronize();
    close(file);
    cudaFreeHost(h);
    cudaFree(d);
}

CASE(polled_flag) // silent: what comes before the flag is ordered by it
{
    managed m;
    volatile int *flag = m.q;
    *flag = 0;
    signal_plain<<<1, 256>>>(m.p, flag);
    while (!*flag) {
    }
    seen = m.p[3];
}
CASE(polled_volatile) // silent
{
    managed m;
    volatile int *flag = m.q;
    *flag = 0;
    signal<<<1, 256>>>(m.p, flag);
    while (!*flag) {
    }
    seen = m.p[3];
}

static std::atomic<int> reached;

CASE(host_function) // silent: it tells the host that the kernel has ended
{
    managed m;
    fill<<<6, 256, 0, m.s>>>(m.p);
    cudaLaunchHostFunc(m.s, [](void *) { reached = 1; }, NULL);
    while (!reached) {
    }
    seen = m.p[3];
}

CASE(query_loop) // silent
{
    managed m;
    fill<<<6, 256, 0, m.s>>>(m.p);
    while (cudaStreamQuery(m.s) == cudaErrorNotReady) {
    }
    seen = m.p[3];
}

CASE(default_stream) // silent: it is ordered with a stream that is not told otherwise
{
    managed m;
    cudaStream_t u;
    cudaStreamCreate(&u);
    fill<<<6, 256, 0, u>>>(m.p);
    cudaStreamSynchronize(0);
    seen = m.p[3];
    cudaStreamDestroy(u);
}

CASE(other_thread_waits) // silent
{
    managed m;
    fill<<<6, 256, 0, m.s>>>(m.p);
    std::thread([&] { cudaStreamSynchronize(m.s); }).join();
    seen = m.p[3];
}

CASE(kernel_waits_for_host) // silent
{
    managed m;
    volatile int *go = m.p;
    *go = 0;
    wait_for_host<<<1, 1>>>(go, m.q);
    *go = 1;
    cudaDeviceSynchronize();
    seen = m.q[0];
}

CASE(blocking_copy) // silent: it waits for what is before it in its stream
{
    managed m;
    int mine[4];
    int *d = zeros<int>(4);
    fill<<<6, 256>>>(m.p);
    cudaMemcpy(mine, d, sizeof mine, cudaMemcpyDeviceToHost);
    seen = m.p[3];
    cudaFree(d);
}

/* Of 64 words a kernel takes the even ones. */
__global__ void fill_even(int *p)
{
    if (threadIdx.x % 2 == 0)
        p[threadIdx.x] = 1; // found part_read_early, part_write_early: racecheck error
}

template <typename F> static void even(F host)
{
    int *p;
    cudaMallocManaged(&p, 64 * sizeof *p);
    fill_even<<<1, 64>>>(p);
    host(p);
    cudaDeviceSynchronize();
    cudaFree(p);
}

CASE(part_read_early)
{
    even([](int *p) { seen = p[6]; }); // found part_read_early: racecheck error
}
CASE(part_write_early)
{
    even([](int *p) { p[6] = 2; }); // found part_write_early: racecheck error
}
CASE(part_read_other) { even([](int *p) { seen = p[7]; }); } // silent: nobody writes these words
CASE(part_write_other) { even([](int *p) { p[7] = 2; }); } // silent

template <typename F> static void copied_part(F host)
{
    char *h, *d = zeros<char>(100);
    cudaMallocHost(&h, 300);
    memset(h, 0, 300);
    cudaMemcpyAsync(h + 100, d, 100, cudaMemcpyDeviceToHost); // found part_copy_early: racecheck error
    host(h);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFree(d);
}

CASE(part_copy_early)
{
    copied_part([](char *h) { seen = h[150]; }); // found part_copy_early: racecheck error
}
CASE(part_copy_beside) { copied_part([](char *h) { seen = h[99] + h[200]; }); } // silent

/* A word that the kernel looks at, and does not wait for. */
__global__ void until(volatile int *stop, int *out)
{
    int n = 0;
    while (!*stop && n < 100) n++;
    *out = n;
}

CASE(stop_word) // silent
{
    int *stop, *d = zeros<int>(1);
    cudaMallocHost(&stop, sizeof *stop);
    *stop = 0;
    until<<<1, 1>>>(stop, d);
    *(volatile int *)stop = 1;
    finish(d, 1);
    cudaFreeHost(stop);
}

/* ---- operations of two streams, with the lines of the host that asked for them ---- */
__global__ void touch(int *p) { p[threadIdx.x] += 1; } // found free_early, fill_other_stream: racecheck error

struct pair {
    cudaStream_t s, t;
    pair() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking); }
    ~pair() { cudaDeviceSynchronize(), cudaStreamDestroy(s), cudaStreamDestroy(t); }
};

CASE(free_early)
{
    pair x;
    int *p;
    cudaMallocAsync(&p, 256, x.s);
    cudaMemsetAsync(p, 0, 256, x.s); // found free_early: racecheck error
    touch<<<1, 64, 0, x.s>>>(p);
    cudaFreeAsync(p, x.t); // found free_early: racecheck error
}

CASE(free_behind) // silent: the other stream waits for the kernel
{
    pair x;
    int *p, *again;
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    for (int k = 0; k < 3; k++) {
        cudaMallocAsync(&p, 256, x.s);
        cudaMemsetAsync(p, 0, 256, x.s);
        touch<<<1, 64, 0, x.s>>>(p);
        cudaEventRecord(e, x.s);
        cudaStreamWaitEvent(x.t, e, 0);
        cudaFreeAsync(p, x.t);
        cudaMallocAsync(&again, 256, x.t);
        cudaMemsetAsync(again, 0, 256, x.t);
        cudaFreeAsync(again, x.t);
    }
    cudaEventDestroy(e);
}

CASE(fill_other_stream)
{
    pair x;
    int *p = zeros<int>(64);
    cudaDeviceSynchronize();
    cudaMemsetAsync(p, 1, 256, x.s); // found fill_other_stream: racecheck error
    touch<<<1, 64, 0, x.t>>>(p);
}

CASE(copy_other_stream)
{
    pair x;
    int *p = zeros<int>(64), *h;
    cudaMallocHost(&h, 256);
    cudaDeviceSynchronize();
    cudaMemsetAsync(p, 1, 256, x.s); // found copy_other_stream: racecheck error
    cudaMemcpyAsync(h, p, 256, cudaMemcpyDeviceToHost, x.t); // found copy_other_stream: racecheck error
}

/* ---- a file read into what the kernel writes, in a program with a thread of its own ---- */
template <class F> static void beside_a_thread(F body)
{
    std::atomic<bool> end{false};
    std::thread other([&] { while (!end) usleep(1000); });
    body();
    end = true;
    other.join();
}

static void fill_and_read(bool wait)
{
    int *m, f = open("/dev/zero", O_RDONLY);
    cudaMallocManaged(&m, 8192);
    fill<<<6, 256>>>(m); // all of the first page
    if (wait)
        cudaDeviceSynchronize();
    if (read(f, m, 4096) != 4096) // found file_early_threads: racecheck error
        puts("the call failed");
    cudaDeviceSynchronize();
    close(f);
    cudaFree(m);
}
CASE(file_early_threads) { beside_a_thread([] { fill_and_read(false); }); }
CASE(file_late_threads) { beside_a_thread([] { fill_and_read(true); }); } // silent
