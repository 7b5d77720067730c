/* What the host reads or asks before it has waited: small parts of pages, functions, times. build with: -g */
#include "cases.h"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

__global__ void set_some(int *p, int first, int step, int value)
{
    p[first + threadIdx.x * step] = value + threadIdx.x; // found part_of_page, registered_read, before_function, from_the_beginning: racecheck error
}

__global__ void set_all(int *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = 5; // found to_file: racecheck error
}

/* ---------------------------------------------------------------- small parts of pages */
template <bool WAIT> static void read_part()
{
    int *p;
    cudaMallocManaged(&p, 1 << 16);
    set_some<<<1, 4>>>(p, 2000, 1, 5);
    if (WAIT)
        cudaDeviceSynchronize();
    int sum = p[1500]; // the same page: nobody writes there
    sum += p[2001];    // found part_of_page: racecheck error
    printf("%d\n", sum);
    cudaFree(p);
}

CASE(part_of_page) { read_part<false>(); }
CASE(part_of_page_clean) { read_part<true>(); } // silent

/* The program fills and writes out the rest of the page while the kernel may run, also by calls of the system. */
CASE(rest_of_page) // silent
{
    char *p;
    cudaMallocManaged(&p, 1 << 16);
    int zero = open("/dev/zero", O_RDONLY), sink = open("/dev/null", O_WRONLY), bad = 0;
    for (int round = 0; round < 3; round++) {
        set_some<<<1, 4>>>(reinterpret_cast<int *>(p), 0, 1, round);
        bad += read(zero, p + 1024, 512) != 512; // the same page as what the kernel writes
        p[1030] = 3;
        bad += write(sink, p + 1024, 512) != 512;
        for (int i = 0; i < 100; i++)
            p[2048 + i] = char(i);
        cudaDeviceSynchronize();
        bad += reinterpret_cast<int *>(p)[3] != round + 3 || p[1030] != 3 || p[2148 - 1] != 99;
    }
    if (bad) exit(1);
    close(zero);
    close(sink);
    cudaFree(p);
}

/* The same with a second thread, which makes calls of its own. */
CASE(rest_of_page_threads) // silent
{
    char *p;
    cudaMallocManaged(&p, 1 << 16);
    std::atomic<bool> end{false};
    int bad = 0;
    std::thread other([&] {
        int zero = open("/dev/zero", O_RDONLY);
        while (!end)
            if (read(zero, p + 1024, 512) != 512)
                bad++;
        close(zero);
    });
    for (int round = 0; round < 20; round++) {
        set_some<<<1, 4>>>(reinterpret_cast<int *>(p), 0, 1, round);
        p[2048] = char(round);
        cudaDeviceSynchronize();
    }
    end = true;
    other.join();
    if (bad) exit(1);
    cudaFree(p);
}

/* The host goes through memory of which the kernel left the beginning alone. */
CASE(from_the_beginning)
{
    int *p, sum = 0;
    cudaMallocManaged(&p, 1 << 14);
    set_some<<<1, 370>>>(p, 300, 10, 1);
    for (int i = 0; i < 4096; i++)
        sum += p[i]; // found from_the_beginning: racecheck error
    cudaDeviceSynchronize();
    printf("%d\n", sum);
    cudaFree(p);
}

/* Of the page the kernel writes all but 400 bytes, which the program hands to calls of the system meanwhile. */
static int gap_round(char *p, int zero, int sink)
{
    set_some<<<1, 924>>>(reinterpret_cast<int *>(p), 100, 1, 1);
    int bad = read(zero, p, 400) != 400; // the same page as what the kernel writes
    p[7] = 1;
    printf("%d\n", p[8]);
    fflush(stdout);
    bad += write(sink, p, 400) != 400;
    cudaDeviceSynchronize();
    return bad + (p[7] != 1) + (write(sink, p, 4096) != 4096);
}

CASE(gap_of_page) // silent
{
    char *p;
    cudaMallocManaged(&p, 4096);
    int zero = open("/dev/zero", O_RDONLY), sink = open("/dev/null", O_WRONLY), bad = 0;
    for (int round = 0; round < 3; round++)
        bad += gap_round(p, zero, sink);
    cudaFree(p);
    if (bad) exit(1);
}

CASE(gap_of_page_threads) // silent
{
    char *p;
    cudaMallocManaged(&p, 4096);
    std::atomic<bool> end{false};
    std::thread other([&] {
        while (!end)
            std::this_thread::yield();
    });
    int zero = open("/dev/zero", O_RDONLY), sink = open("/dev/null", O_WRONLY), bad = 0;
    for (int round = 0; round < 3; round++)
        bad += gap_round(p, zero, sink);
    end = true;
    other.join();
    cudaFree(p);
    if (bad) exit(1);
}

/* All of the memory is written, and what it holds goes to a file. */
template <bool WAIT> static void write_file()
{
    char *p;
    cudaMallocManaged(&p, 1 << 14);
    int sink = open("/dev/null", O_WRONLY);
    set_all<<<4, 1024>>>(reinterpret_cast<int *>(p));
    if (WAIT)
        cudaDeviceSynchronize();
    printf("to the file\n");
    fflush(stdout); // calls of the system that have nothing to do with it
    bool bad = write(sink, p, 1 << 14) != 1 << 14; // found to_file: racecheck error
    cudaDeviceSynchronize();
    cudaFree(p);
    if (bad) exit(1);
}

CASE(to_file) { write_file<false>(); }
CASE(to_file_clean) { write_file<true>(); } // silent

/* ---------------------------------------------------------------- registered memory */
template <bool WAIT> static void read_registered()
{
    int *memory = static_cast<int *>(mmap(NULL, 1 << 14, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), *p;
    cudaHostRegister(memory, 1 << 14, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&p, memory, 0);
    set_some<<<1, 1024>>>(p, 1024, 1, 7);
    if (WAIT)
        cudaDeviceSynchronize();
    printf("%d\n", memory[1029]); // found registered_read: racecheck error
    cudaHostUnregister(memory);
    memory[6] = 1;
    munmap(memory, 1 << 14);
}

CASE(registered_read) { read_registered<false>(); }
CASE(registered_clean) { read_registered<true>(); } // silent

/* ---------------------------------------------------------------- functions of the host */
static std::atomic<int> called;
static void note_call(void *) { called = 1; }

template <bool WAIT> static void run_function()
{
    int *p;
    cudaMallocHost(&p, 4096);
    called = 0;
    set_some<<<1, 1024>>>(p, 0, 1, 1);
    cudaLaunchHostFunc(0, note_call, NULL);
    while (WAIT && !called)
        std::this_thread::yield();
    printf("%d\n", p[9]); // found before_function: racecheck error
    cudaDeviceSynchronize();
    cudaFreeHost(p);
}

CASE(before_function) { run_function<false>(); }
CASE(behind_function) { run_function<true>(); } // silent

/* ---------------------------------------------------------------- times */
template <int WAIT> static void ask_time()
{
    int *p = zeros<int>(64);
    cudaEvent_t from, to;
    float ms = 0;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from);
    set_some<<<1, 64>>>(p, 0, 1, 1);
    cudaEventRecord(to);
    if (WAIT == 1)
        cudaEventSynchronize(to);
    while (WAIT == 2 && cudaEventQuery(to) != cudaSuccess)
        ;
    if (WAIT == 3)
        cudaFree(zeros<int>(1));
    cudaEventElapsedTime(&ms, from, to);
    finish(p, 64);
}

CASE(time_waited) { ask_time<1>(); }  // silent
CASE(time_polled) { ask_time<2>(); }  // silent
CASE(time_by_free) { ask_time<3>(); } // silent
