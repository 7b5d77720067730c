/* What the parts of record_two_devices.cu share: kernels, how an answer is written, and the list of parts. */
#pragma once
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <cuda.h>
#include <cuda_runtime.h>

#define N 4096
#define ask(call) answer(#call, (int)(call), 1)  /* of the runtime */
#define tell(call) answer(#call, (int)(call), 0) /* of the driver */

static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    fflush(stdout);
}
static void answer(const char *call, int e, int runtime)
{
    say("  %s -> %d", call, e);
    int last = runtime ? (int)cudaGetLastError() : e;
    if (last != e) say(" [last %d]", last);
    say("\n");
}

__device__ int mark = 4;
__managed__ int everywhere = 6;
__global__ void add(int *p, int v) { atomicAdd_system(p + blockIdx.x * blockDim.x + threadIdx.x, v); }
__global__ void nothing(void) {}
__global__ void trap(void) { asm volatile("trap;"); }
__global__ void fetch(cudaTextureObject_t t, int *p) { *p = tex2D<int>(t, 1, 1); }
__global__ void much_shared(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    if (p) *p = s[threadIdx.x];
}
__global__ void many_mallocs(int *taken)
{
    for (*taken = 0; *taken < 1000; ++*taken)
        if (!malloc(1 << 20)) break;
}
static int *on[2], *back;
static cudaStream_t stream[2];
static cudaEvent_t event[2];

/* One array of N ints, one stream and one event on each device; device 0 is current afterwards. */
static void both(void)
{
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMalloc(&on[d], N * 4);
        cudaMemset(on[d], d + 1, N * 4);
        cudaStreamCreate(&stream[d]);
        cudaEventCreate(&event[d]);
        cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
    back = (int *)malloc(N * 4);
}
static int first(int *p)
{
    int v = -1;
    cudaError_t e = cudaMemcpy(&v, p, 4, cudaMemcpyDefault);
    return e ? -(int)e : v;
}
static void faults(const char *what, void (*work)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        alarm(15);
        say(" %s\n", what);
        both();
        work();
        say("  device 0 then:\n");
        ask(cudaDeviceSynchronize());
        ask(cudaPeekAtLastError());
        void *p = NULL;
        ask(cudaMalloc(&p, 4));
        cudaError_t e = cudaSetDevice(1);
        say("  device 1 then: (set %d)\n", (int)e);
        ask(cudaPeekAtLastError());
        ask(cudaDeviceSynchronize());
        ask(cudaMalloc(&p, 4));
        nothing<<<1, 1>>>();
        ask(cudaDeviceSynchronize());
        ask(cudaMemcpy(back, on[1], 4, cudaMemcpyDefault));
        ask(cudaMemcpy(on[1], on[0], 4, cudaMemcpyDefault));
        ask(cudaEventQuery(event[0]));
        ask(cudaStreamQuery(stream[0]));
        ask(cudaSetDevice(0));
        ask(cudaMemcpy(back, on[1], 4, cudaMemcpyDefault));
        say("  after a reset of device 0:\n");
        ask(cudaDeviceReset());
        ask(cudaMalloc(&p, 4));
        nothing<<<1, 1>>>();
        ask(cudaDeviceSynchronize());
        ask(cudaSetDevice(1));
        ask(cudaMemcpy(back, on[1], 4, cudaMemcpyDefault));
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) say("  ended by signal %d\n", WTERMSIG(status));
}
struct part {
    const char *name;
    void (*run)(void);
};
/* Runs the parts, each in a process of its own, or the one that is named. */
static int run_parts(const struct part *part, size_t n, const char *only)
{
    for (size_t i = 0; i < n; i++) {
        int status = 0;
        if (only && strcmp(only, part[i].name)) continue;
        say("%s\n", part[i].name);
        pid_t child = fork();
        if (!child) {
            alarm(90);
            part[i].run();
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) say("  ended by signal %d\n", WTERMSIG(status));
    }
    return 0;
}
