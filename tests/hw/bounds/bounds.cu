/* Where accesses begin to fault on a card.
 *
 *   bounds [seconds]              all probes, as CSV on standard output; no probe is started after so many seconds
 *   bounds probe KIND SIZE DIRECTION OP START      one probe: one row; what follows an error of a launch needs a new process
 *   bounds spacing KIND SIZE      addresses of 64 allocations in a row
 *   bounds copies KIND SIZE       the longest cudaMemcpy and cudaMemset that succeed
 *
 * A probe walks over addresses with one thread and writes to pinned memory where it is before each access and after it, so
 * that the place of the fault is known although the error is not precise. Each access is complete before the next begins.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

typedef long long i64;

struct segment {
    i64 from, to, step; /* offsets in bytes, `to` is not part of it; a negative step goes down */
};
struct walk_plan {
    segment part[8];
    int parts;
};

enum { OP_READ, OP_WRITE, OP_ATOMIC };
enum { SPACE_GENERIC, SPACE_SHARED, SPACE_LOCAL, SPACE_CONSTANT };

__device__ int variable_4[1];
__device__ int variable_400[100];
__device__ int variable_4096[1024];
__constant__ int constant_256[64];

static __device__ __forceinline__ unsigned touch(int space, int op, unsigned long long at)
{
    unsigned value = 0, narrow = (unsigned)at;
    if (space == SPACE_GENERIC) {
        if (op == OP_READ) asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
        else if (op == OP_WRITE) asm volatile("st.volatile.u32 [%0], %1;" ::"l"(at), "r"(0u) : "memory");
        else asm volatile("atom.or.b32 %0, [%1], 0;" : "=r"(value) : "l"(at) : "memory");
    } else if (space == SPACE_SHARED) {
        if (op == OP_READ) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(narrow) : "memory");
        else if (op == OP_WRITE) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(narrow), "r"(0u) : "memory");
        else asm volatile("atom.shared.or.b32 %0, [%1], 0;" : "=r"(value) : "r"(narrow) : "memory");
    } else if (space == SPACE_LOCAL) {
        if (op == OP_READ) asm volatile("ld.local.u32 %0, [%1];" : "=r"(value) : "r"(narrow) : "memory");
        else asm volatile("st.local.u32 [%0], %1;" ::"r"(narrow), "r"(0u) : "memory");
    } else {
        asm volatile("ld.const.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    }
    return value;
}

/* log: [0] accesses begun, [1] accesses done, [2] offset of the access begun last, [3] of the one done last, [4] values that are not 0. */
static __device__ void walk(volatile i64 *log, int space, int op, unsigned long long base, const walk_plan &plan)
{
    i64 begun = 0, full = 0;
    for (int p = 0; p < plan.parts; p++) {
        segment s = plan.part[p];
        for (i64 at = s.from; s.step > 0 ? at < s.to : at > s.to; at += s.step) {
            log[2] = at;
            log[0] = ++begun;
            __threadfence_system();
            full += touch(space, op, base + at) != 0;
            __threadfence_system();
            log[4] = full;
            log[3] = at;
            log[1] = begun;
        }
    }
}

__global__ void walk_generic(volatile i64 *log, int op, unsigned long long base, walk_plan plan)
{
    walk(log, SPACE_GENERIC, op, base, plan);
}

/* The block's own shared memory is `Static` bytes, or dynamic if that is 0. The addresses are those of the shared window. */
template <int Static> __global__ void walk_shared(volatile i64 *log, int op, int before, walk_plan plan)
{
    unsigned first;
    if constexpr (Static > 0) {
        __shared__ int fixed[Static / 4];
        fixed[threadIdx.x] = 1;
        first = (unsigned)__cvta_generic_to_shared(fixed);
    } else {
        extern __shared__ int dynamic[];
        first = (unsigned)__cvta_generic_to_shared(dynamic);
    }
    __syncthreads();
    log[5] = first;
    walk(log, SPACE_SHARED, op, before ? 0 : first, plan);
}

__global__ void walk_shared_generic(volatile i64 *log, int op, walk_plan plan)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = 1;
    log[5] = (i64)__cvta_generic_to_shared((void *)dynamic);
    walk(log, SPACE_GENERIC, op, (unsigned long long)(void *)dynamic, plan);
}

template <int Words> __global__ void walk_local(volatile i64 *log, int op, int generic, walk_plan plan)
{
    volatile int array[Words];
    for (int k = 0; k < Words; k++) array[k] = 0;
    unsigned long long first = (unsigned long long)(void *)array;
    unsigned local;
    asm("{ .reg .u64 t; cvta.to.local.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(local) : "l"(first));
    log[5] = local;
    walk(log, generic ? SPACE_GENERIC : SPACE_LOCAL, op, generic ? first : local, plan);
}

__global__ void walk_constant(volatile i64 *log, walk_plan plan)
{
    unsigned long long first;
    asm("{ .reg .u64 t; cvta.to.const.u64 %0, %1; }"
        : "=l"(first)
        : "l"((unsigned long long)(const void *)constant_256));
    log[5] = (i64)first;
    walk(log, SPACE_CONSTANT, OP_READ, first, plan);
}

__global__ void walk_heap(volatile i64 *log, int op, int freed, i64 size, walk_plan plan)
{
    char *block = (char *)malloc(size);
    if (freed) free(block);
    log[5] = (i64)block & ((2 << 20) - 1);
    walk(log, SPACE_GENERIC, op, (unsigned long long)block, plan);
}

static const char *error_name(cudaError_t status)
{
    return status == cudaSuccess ? "success" : cudaGetErrorName(status);
}

/* The walk forward from `size`: every word of a page, then the start of each 4 KiB, then of each 64 KiB. Aligned by address. */
static walk_plan plan_forward(unsigned long long base, i64 size, i64 start)
{
    walk_plan plan = {};
    i64 first = start >= 0 ? start : (size + 3) / 4 * 4;
    i64 page = (i64)((base + first + 4096 + 4095) / 4096 * 4096 - base);
    i64 near = (i64)((base + first + (5 << 19) + 65535) / 65536 * 65536 - base);
    if (start >= 0) {
        plan.part[plan.parts++] = {start - 4, start + 4, 4};
        return plan;
    }
    plan.part[plan.parts++] = {first, page, 4};
    plan.part[plan.parts++] = {page, near, 4096};
    plan.part[plan.parts++] = {near, near + (66 << 20), 65536};
    return plan;
}

static walk_plan plan_backward(unsigned long long base, i64 start)
{
    walk_plan plan = {};
    i64 page = (i64)((base - 4096) / 4096 * 4096 - base); /* <= -4096 or, at the start of a page, -4096 */
    i64 near = (i64)((base - (5 << 19)) / 65536 * 65536 - base);
    if (start < 0 && start != -1) {
        plan.part[plan.parts++] = {start + 4, start - 4, -4};
        return plan;
    }
    plan.part[plan.parts++] = {-4, page, -4};
    plan.part[plan.parts++] = {page + 4092, near, -4096}; /* the last word of each page */
    plan.part[plan.parts++] = {near - 4, near - (66 << 20), -65536};
    return plan;
}

struct place {
    unsigned long long base;
    const char *note;
};

static place allocate(const char *kind, i64 size)
{
    void *p = nullptr, *q = nullptr;
    place out = {0, ""};
    cudaError_t status = cudaSuccess;
    if (!strcmp(kind, "malloc") || !strcmp(kind, "malloc_warm")) {
        status = cudaMalloc(&p, size);
    } else if (!strcmp(kind, "malloc_second")) { /* behind another of the same size */
        status = cudaMalloc(&q, size);
        status = cudaMalloc(&p, size);
    } else if (!strcmp(kind, "freed")) {
        status = cudaMalloc(&p, size);
        cudaFree(p);
    } else if (!strcmp(kind, "freed_beside")) { /* its neighbour lives on */
        status = cudaMalloc(&p, size);
        cudaMalloc(&q, size);
        cudaFree(p);
    } else if (!strcmp(kind, "async")) {
        status = cudaMallocAsync(&p, size, 0);
        cudaStreamSynchronize(0);
    } else if (!strcmp(kind, "async_freed")) {
        status = cudaMallocAsync(&p, size, 0);
        cudaFreeAsync(p, 0);
        cudaStreamSynchronize(0);
    } else if (!strcmp(kind, "pitch")) { /* rows of `size` bytes, 3 of them */
        size_t pitch = 0;
        status = cudaMallocPitch(&p, &pitch, size, 3);
    } else if (!strcmp(kind, "managed")) {
        status = cudaMallocManaged(&p, size);
        memset(p, 0, size);
    } else if (!strcmp(kind, "managed_freed")) {
        status = cudaMallocManaged(&p, size);
        cudaFree(p);
    } else if (!strcmp(kind, "pinned")) {
        status = cudaMallocHost(&p, size);
    } else if (!strcmp(kind, "pinned_freed")) {
        status = cudaMallocHost(&p, size);
        cudaFreeHost(p);
    } else if (!strcmp(kind, "registered")) {
        char *block = (char *)aligned_alloc(4096, 64 << 20);
        memset(block, 0, 64 << 20);
        p = block + (8 << 20);
        status = cudaHostRegister(p, size, cudaHostRegisterMapped);
    } else if (!strcmp(kind, "pageable")) {
        p = aligned_alloc(4096, 64 << 20);
        memset(p, 0, 64 << 20);
    } else if (!strcmp(kind, "host_stack")) {
        static char space[64];
        p = space;
    } else if (!strcmp(kind, "variable")) {
        if (size == 4) status = cudaGetSymbolAddress(&p, variable_4);
        else if (size == 400) status = cudaGetSymbolAddress(&p, variable_400);
        else status = cudaGetSymbolAddress(&p, variable_4096);
    } else if (!strcmp(kind, "constant_pointer")) { /* the address that the host gets, used as a global one */
        status = cudaGetSymbolAddress(&p, constant_256);
    } else if (!strcmp(kind, "null")) {
        p = nullptr;
    } else if (!strcmp(kind, "address")) {
        p = (void *)size;
    }
    out.base = (unsigned long long)p;
    out.note = error_name(status);
    return out;
}

static i64 *pinned_log(void)
{
    i64 *log = nullptr;
    if (cudaHostAlloc((void **)&log, 4096, cudaHostAllocMapped) != cudaSuccess) {
        printf("no log\n");
        exit(1);
    }
    memset(log, 0, 4096);
    return log;
}

static void launch_shared(i64 *log, int op, i64 fixed, i64 dynamic, int before, int generic, const walk_plan &plan)
{
    if (generic) {
        cudaFuncSetAttribute(walk_shared_generic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
        walk_shared_generic<<<1, 1, dynamic>>>(log, op, plan);
    } else if (fixed == 0) {
        cudaFuncSetAttribute(walk_shared<0>, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
        walk_shared<0><<<1, 1, dynamic>>>(log, op, before, plan);
    } else if (fixed == 28) {
        walk_shared<28><<<1, 1, dynamic>>>(log, op, before, plan);
    } else if (fixed == 1000) {
        walk_shared<1000><<<1, 1, dynamic>>>(log, op, before, plan);
    } else {
        walk_shared<49152><<<1, 1, dynamic>>>(log, op, before, plan);
    }
}

static int probe(const char *kind, i64 size, const char *direction, const char *op_name, i64 start)
{
    int op = !strcmp(op_name, "read") ? OP_READ : !strcmp(op_name, "write") ? OP_WRITE : OP_ATOMIC;
    int down = !strcmp(direction, "before");
    walk_plan plan = {};
    place at = {0, "success"};
    i64 *log = nullptr;
    bool warm = strstr(kind, "warm") || strstr(kind, "freed");
    if (!warm && (!strncmp(kind, "malloc", 6) || !strncmp(kind, "async", 5) || !strcmp(kind, "pitch"))) {
        at = allocate(kind, size); /* before the log, which is an allocation as well */
        log = pinned_log();
    } else {
        log = pinned_log();
        if (warm) { /* the kernel is loaded first: its code and stack would take the freed place */
            walk_generic<<<1, 1>>>(log, op, 0, plan);
            cudaDeviceSynchronize();
        }
        at = allocate(kind, size);
    }
    if (!strncmp(kind, "shared", 6)) {
        int fixed = !strcmp(kind, "shared_static"), generic = !strcmp(kind, "shared_generic");
        plan.parts = 1;
        plan.part[0] = {0, 300 << 10, 4};
        if (down)
            plan.part[0] = {op == OP_READ ? 0 : start, 1024 + 16,
                            4}; /* from address 0 of the window up to the block's own */
        else if (start >= 0) plan.part[0] = {start - 4, start + 4, 4};
        if (!strcmp(direction, "far")) plan.part[0] = {0, 32 << 20, 4096};
        launch_shared(log, op, fixed ? size : 0, fixed ? 0 : size, down, generic, plan);
    } else if (!strncmp(kind, "local", 5)) {
        int generic = !strcmp(kind, "local_generic");
        plan.parts = 1;
        plan.part[0] = down ? segment{-4, -(1 << 20), -4} : segment{0, 1 << 20, 4};
        if (!strcmp(direction, "far")) plan.part[0] = {0, 32 << 20, 4096};
        if (start >= 0) plan.part[0] = {start - 4, start + 4, 4};
        if (size == 32) walk_local<8><<<1, 1>>>(log, op, generic, plan);
        else walk_local<1024><<<1, 1>>>(log, op, generic, plan);
    } else if (!strcmp(kind, "constant")) {
        plan.parts = 2;
        plan.part[0] = down ? segment{-4, -4096, -4} : segment{256, 8192, 4};
        plan.part[1] = down ? segment{-4096, -(1 << 20), -256} : segment{8192, 1 << 20, 256};
        walk_constant<<<1, 1>>>(log, plan);
    } else if (!strncmp(kind, "heap", 4)) {
        plan.parts = 2;
        plan.part[0] = down ? segment{-4, -8192, -4} : segment{size, size + 8192, 4};
        plan.part[1] = down ? segment{-8192, -(32 << 20), -4096} : segment{size + 8192, 32 << 20, 4096};
        walk_heap<<<1, 1>>>(log, op, !strcmp(kind, "heap_freed"), size, plan);
    } else {
        if (!strncmp(kind, "freed", 5) || strstr(kind, "_freed")) {
            plan.parts = 1;
            plan.part[0] = {0, size, size > (1 << 20) ? 65536 : 512};
        } else {
            plan = down ? plan_backward(at.base, start) : plan_forward(at.base, size, start);
        }
        walk_generic<<<1, 1>>>(log, op, at.base, plan);
    }
    cudaError_t launch = cudaGetLastError();
    cudaError_t status = cudaDeviceSynchronize();
    bool faulted = log[0] != log[1];
    printf("%s,%lld,%s,%s,%s,%lld,%lld,", kind, size, direction, op_name, error_name(launch ? launch : status), log[0],
           log[1]);
    if (faulted) printf("%lld", log[2]);
    printf(",%lld,%lld,%lld,%llu,%s\n", log[1] ? log[3] : 0, log[4], log[5], at.base & ((2 << 20) - 1), at.note);
    return 0;
}

static int spacing(const char *kind, i64 size)
{
    const int count = size > (16 << 20) ? 8 : 64;
    unsigned long long base[64];
    for (int k = 0; k < count; k++) {
        place at = allocate(!strcmp(kind, "malloc") ? "malloc" : kind, size);
        base[k] = at.base;
    }
    /* Runs of equal distances: first distance x how often. */
    printf("%s,%lld,spacing,,,%d,,,,,,%llu,", kind, size, count, base[0] & ((2 << 20) - 1));
    for (int k = 1; k < count;) {
        i64 delta = (i64)(base[k] - base[k - 1]);
        int run = 1;
        while (k + run < count && (i64)(base[k + run] - base[k + run - 1]) == delta) run++;
        printf("%s%lldx%d", k > 1 ? " " : "", delta, run);
        k += run;
    }
    printf("\n");
    return 0;
}

/* The longest copy and fill from the start of an allocation that the runtime accepts, up to 8 MiB past the end. */
static int copies(const char *kind, i64 size)
{
    static const char *names[4] = {"copy_to_device", "copy_to_host", "copy_on_device", "memset"};
    char *host = (char *)calloc(1, (64 << 20) + (16 << 20)), *other = nullptr;
    place at = allocate(kind, size);
    cudaMalloc((void **)&other, (64 << 20) + (16 << 20));
    for (int what = 0; what < 4; what++) {
        i64 good = 0, bad = -1;
        cudaError_t error = cudaSuccess;
        for (int step = 0; step < 200; step++) {
            i64 past = step < 64 ? step : step < 128 ? (i64)(step - 63) * 64 : (i64)(step - 127) << 17;
            i64 bytes = size + past;
            void *p = (void *)at.base;
            cudaError_t status = what == 0   ? cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice)
                                 : what == 1 ? cudaMemcpy(host, p, bytes, cudaMemcpyDeviceToHost)
                                 : what == 2 ? cudaMemcpy(other, p, bytes, cudaMemcpyDeviceToDevice)
                                             : cudaMemset(p, 0, bytes);
            if (status == cudaSuccess) status = cudaDeviceSynchronize();
            if (status == cudaSuccess) {
                good = past;
            } else {
                bad = past;
                error = status;
                cudaGetLastError();
                break;
            }
        }
        printf("%s,%lld,%s,,%s,,,", kind, size, names[what], error_name(error));
        if (bad >= 0) printf("%lld", bad);
        printf(",%lld,,,%llu,%s\n", good, at.base & ((2 << 20) - 1), at.note);
    }
    return 0;
}

/* ---- all probes ---- */
static std::vector<std::string> jobs, rows;

static void add(const char *kind, i64 size, const char *direction, const char *op, i64 start = -1)
{
    char line[256];
    snprintf(line, sizeof line, "probe %s %lld %s %s %lld", kind, size, direction, op, start);
    jobs.push_back(line);
}

static std::string run_one(const char *self, const std::string &job)
{
    std::string out;
    char text[1024];
    std::string command = std::string("timeout 20 ") + self + " " + job + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    while (pipe && fgets(text, sizeof text, pipe)) out += text;
    int status = pipe ? pclose(pipe) : -1;
    if (status || out.empty()) out += "# " + job + ": exit " + std::to_string(status >> 8) + "\n";
    return out;
}

static void run_jobs(const char *self, time_t stop)
{
    std::mutex lock;
    size_t next = 0;
    std::vector<std::thread> workers;
    rows.assign(jobs.size(), "");
    for (int w = 0; w < 8; w++)
        workers.emplace_back([&] {
            for (;;) {
                size_t mine;
                {
                    std::lock_guard<std::mutex> hold(lock);
                    mine = next++;
                }
                if (mine >= jobs.size()) return;
                rows[mine] = time(nullptr) < stop ? run_one(self, jobs[mine]) : "# no time: " + jobs[mine] + "\n";
            }
        });
    for (auto &w : workers) w.join();
    for (auto &r : rows) fputs(r.c_str(), stdout);
    fflush(stdout);
}

/* Writes and atomics where reads began to fault: the last good word and the first bad one. */
static std::vector<std::string> follow_ups(void)
{
    std::vector<std::string> more;
    for (size_t k = 0; k < jobs.size(); k++) {
        char kind[64], direction[32], op[32], error[64], line[256];
        i64 size, begun, done, fault;
        if (sscanf(rows[k].c_str(), "%63[^,],%lld,%31[^,],%31[^,],%63[^,],%lld,%lld,%lld", kind, &size, direction, op,
                   error, &begun, &done, &fault) != 8)
            continue;
        if (strcmp(op, "read") || !strcmp(direction, "far") || !strcmp(kind, "constant") || !strncmp(kind, "heap", 4) ||
            done == 0)
            continue;
        if (!strcmp(direction, "before") && (!strncmp(kind, "shared", 6) || !strncmp(kind, "local", 5))) continue;
        for (const char *other : {"write", "atomic"}) {
            if (!strcmp(kind, "local") && !strcmp(other, "atomic")) continue;
            snprintf(line, sizeof line, "probe %s %lld %s %s %lld", kind, size, direction, other, fault);
            more.push_back(line);
        }
    }
    return more;
}

static void list_all(void)
{
    static const i64 sizes[] = {1,       4,       100,     400,     511,     512,      513,     1000,    4096,
                                4097,    65536,   65537,   1 << 19, 1048575, 1048576,  1048577, 2097151, 2097152,
                                2097153, 3 << 20, 4194304, 4194305, 8388608, 10000000, 1 << 24, 1 << 25, 1 << 26};
    for (i64 n : sizes) add("malloc", n, "after", "read");
    for (i64 n : sizes) add("malloc", n, "before", "read");
    for (i64 n : sizes) add("malloc_warm", n, "after", "read"); /* a kernel ran before the allocation */
    for (i64 n : {i64(4), i64(400), i64(4096), i64(1048576), i64(2097152)}) {
        add("malloc", n, "after", "write");
        add("malloc", n, "after", "atomic");
        add("malloc_warm", n, "after", "write");
        add("malloc_warm", n, "before", "read");
    }
    for (i64 n : sizes) jobs.push_back("spacing malloc " + std::to_string(n));
    for (i64 n : {i64(1), i64(4), i64(400), i64(4096), i64(65536), i64(1048576), i64(1048577), i64(2097152),
                  i64(2097153), i64(1 << 26)}) {
        add("malloc_second", n, "after", "read");
        add("freed", n, "inside", "read");
        add("freed", n, "inside", "write");
        add("freed_beside", n, "inside", "read");
        add("freed_beside", n, "inside", "write");
        jobs.push_back("copies malloc " + std::to_string(n));
        jobs.push_back("copies freed_beside " + std::to_string(n));
    }
    for (i64 n : {i64(1), i64(512), i64(400), i64(65536), i64(1 << 21), i64(1 << 26)}) {
        add("async", n, "after", "read");
        add("async", n, "before", "read");
        add("async_freed", n, "inside", "read");
        add("async_freed", n, "inside", "write");
        jobs.push_back("spacing async " + std::to_string(n));
        jobs.push_back("copies async " + std::to_string(n));
    }
    for (i64 n : {i64(4), i64(400), i64(4096), i64(65536), i64(2097152), i64(2097156)})
        for (const char *kind : {"managed", "pinned", "registered"}) {
            add(kind, n, "after", "read");
            add(kind, n, "before", "read");
            if (strcmp(kind, "registered")) jobs.push_back(std::string("spacing ") + kind + " " + std::to_string(n));
            jobs.push_back(std::string("copies ") + kind + " " + std::to_string(n));
        }
    for (i64 n : {i64(400), i64(2097152)})
        for (const char *kind : {"managed_freed", "pinned_freed"}) add(kind, n, "inside", "read");
    add("pitch", 100, "after", "read");
    add("pageable", 400, "after", "read", 8);
    add("host_stack", 64, "after", "read", 8);
    add("null", 0, "after", "read", 4);
    add("null", 0, "after", "write", 4);
    add("null", 0, "after", "atomic", 4);
    add("null", 0, "after", "read", 4100);
    for (i64 a :
         {i64(1) << 32, i64(1) << 40, i64(1) << 46, (i64(1) << 47) - 65536, i64(1) << 48, i64(1) << 52, i64(1) << 62})
        add("address", a, "after", "read", 8);
    for (i64 n : {i64(4), i64(400), i64(4096)}) {
        add("variable", n, "after", "read");
        add("variable", n, "before", "read");
        jobs.push_back("copies variable " + std::to_string(n));
    }
    add("constant_pointer", 256, "after", "read");
    add("constant", 256, "after", "read");
    add("constant", 256, "before", "read");
    for (i64 n : {i64(28), i64(1000), i64(49152)}) {
        add("shared_static", n, "after", "read");
        add("shared_static", n, "before", "read");
        add("shared_static", n, "after", "write");
    }
    add("shared_dynamic", 0, "after", "read");
    for (i64 n :
         {i64(4), i64(100), i64(124), i64(128), i64(1000), i64(1020), i64(1024), i64(1028), i64(4096), i64(8188),
          i64(8192), i64(10000), i64(49152), i64(65536), i64(100000), i64(166000), i64(200000), i64(232448)}) {
        add("shared_dynamic", n, "after", "read");
        add("shared_generic", n, "after", "read");
    }
    add("shared_dynamic", 1000, "before", "write", 0);
    add("shared_dynamic", 1000, "before", "read");
    add("shared_dynamic", 1000, "far", "read");
    add("shared_generic", 1000, "far", "read");
    for (i64 n : {i64(32), i64(4096)})
        for (const char *kind : {"local", "local_generic"}) {
            add(kind, n, "after", "read");
            add(kind, n, "before", "read");
            add(kind, n, "before", "write");
            add(kind, n, "far", "read");
            add(kind, n, "after", "write");
        }
    for (i64 n : {i64(16), i64(400), i64(4096), i64(100000)}) {
        add("heap", n, "after", "read");
        add("heap", n, "before", "read");
        add("heap_freed", n, "after", "read");
    }
}

int main(int argc, char **argv)
{
    if (argc >= 7 && !strcmp(argv[1], "probe")) return probe(argv[2], atoll(argv[3]), argv[4], argv[5], atoll(argv[6]));
    if (argc >= 4 && !strcmp(argv[1], "spacing")) return spacing(argv[2], atoll(argv[3]));
    if (argc >= 4 && !strcmp(argv[1], "copies")) return copies(argv[2], atoll(argv[3]));
    time_t stop = time(nullptr) + (argc > 1 ? atoi(argv[1]) : 150);
    printf("kind,size,direction,op,error,begun,done,fault_at,last_good,not_zero,space_base,base_in_2mib,note\n");
    list_all();
    run_jobs(argv[0], stop);
    jobs = follow_ups();
    run_jobs(argv[0], stop);
    return 0;
}
