/* What the counting rules leave open, asked of a GPU: one warp (or one cluster) per launch, one memory instruction per
 * launch, counters read by Nsight Compute. Run by tools/record_open.sh; results are kept in tests/hw/h200-open.csv.
 *
 * usage: open_points EXPERIMENT     runs its cases and prints a line per launch, in launch order:
 *                                   CASE,experiment,op,name,source offsets,destination offsets
 *
 * Offsets are bytes from a base aligned to 2 MiB, -1 an inactive lane. The kernels execute no other instruction of the
 * measured kind: offsets come as kernel parameters (or, where constants are measured, from global memory). */
#include "../kernels/hw.h"
#include <cuda.h>

#define DRIVER(call)                                                                                                \
    do {                                                                                                            \
        CUresult error_ = (call);                                                                                   \
        if (error_ != CUDA_SUCCESS) {                                                                               \
            fprintf(stderr, "%s:%d: error %d\n", __FILE__, __LINE__, (int)error_);                                  \
            exit(1);                                                                                                \
        }                                                                                                           \
    } while (0)

typedef struct lanes {
    long long at[32];
} lanes;

enum { CPA4, CPA8, CPA16, CPG16, LOAD32, RED32, ATOM32, ATOM64, RED64, CAS32, CAS64, EXCH32, REDF32, ATOMMIN32, DSM_LD, DSM_ST, DSM_ATOM };
static const char *const op_names[] = {"cpa4",  "cpa8",  "cpa16",  "cpg16",  "ldg32",    "red32", "atom32", "atom64", "red64",
                                       "cas32", "cas64", "exch32", "redf32", "atommin32", "dld32", "dst32",  "datom"};

template <int OP> __global__ void async_copy(lanes source, lanes to, char *base) {
    extern __shared__ __align__(128) char tile[];
    const long long from = source.at[threadIdx.x];
    const unsigned target = (unsigned)__cvta_generic_to_shared(tile) + (unsigned)to.at[threadIdx.x];
    if (from < 0) return;
    if (OP == CPA4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(base + from));
    if (OP == CPA8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(target), "l"(base + from));
    if (OP == CPA16) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(base + from));
    if (OP == CPG16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(base + from));
    asm volatile("cp.async.wait_all;");
}

/* Results of loads are compared with a value they never have: an unused load would be removed. */
__device__ static void use(char *base, unsigned value) {
    if (value == 0xdecade5u) *(volatile unsigned *)base = value;
}

template <int OP> __global__ void global_access(lanes source, char *base) {
    const long long from = source.at[threadIdx.x];
    if (from < 0) return;
    char *p = base + from;
    unsigned v = 0, one = threadIdx.x;
    unsigned long long w = 0, two = threadIdx.x;
    float f = (float)threadIdx.x;
    if (OP == LOAD32) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
    if (OP == RED32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(one));
    if (OP == ATOM32) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(p), "r"(one));
    if (OP == ATOM64) asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(w) : "l"(p), "l"(two));
    if (OP == RED64) asm volatile("red.global.add.u64 [%0], %1;" ::"l"(p), "l"(two));
    if (OP == CAS32) asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(v) : "l"(p), "r"(one), "r"(7));
    if (OP == CAS64) asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(w) : "l"(p), "l"(two), "l"(7ull));
    if (OP == EXCH32) asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(v) : "l"(p), "r"(one));
    if (OP == REDF32) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(f));
    if (OP == ATOMMIN32) asm volatile("atom.global.min.u32 %0, [%1], %2;" : "=r"(v) : "l"(p), "r"(one));
    use(base, v + (unsigned)w + (unsigned)(w >> 32));
}

__constant__ unsigned long long table[8192];
template <int BITS> __global__ void constant_load(const long long *offsets, char *base) {
    const long long from = offsets[threadIdx.x];
    if (from < 0) return;
    const unsigned long long p = (unsigned long long)__cvta_generic_to_constant(table) + from;
    unsigned v = 0, a = 0, b = 0, c = 0;
    unsigned short h = 0;
    if (BITS == 8) asm volatile("ld.const.u8 %0, [%1];" : "=r"(v) : "l"(p));
    if (BITS == 16) asm volatile("ld.const.u16 %0, [%1];" : "=h"(h) : "l"(p));
    if (BITS == 32) asm volatile("ld.const.u32 %0, [%1];" : "=r"(v) : "l"(p));
    if (BITS == 64) asm volatile("ld.const.v2.u32 {%0,%1}, [%2];" : "=r"(v), "=r"(a) : "l"(p));
    if (BITS == 128) asm volatile("ld.const.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v), "=r"(a), "=r"(b), "=r"(c) : "l"(p));
    use(base, v + a + b + c + h);
}

template <int OP> __global__ void __cluster_dims__(2) cluster_access(lanes source, int other, char *base) {
    extern __shared__ __align__(128) char tile[];
    unsigned rank, own = (unsigned)__cvta_generic_to_shared(tile), target, v = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    const long long from = source.at[threadIdx.x];
    if (rank == 0 && from >= 0) {
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(target) : "r"(own), "r"(other));
        target += (unsigned)from;
        if (OP == DSM_LD) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(target));
        if (OP == DSM_ST) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(target), "r"(rank));
        if (OP == DSM_ATOM) asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(target), "r"(threadIdx.x));
        use(base, v);
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void one_sector_per_line(const unsigned *data, size_t stride_words, size_t count, unsigned *out) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < count; k += step) sum += data[k * stride_words];
    if (sum == 12345u) *out = sum;
}

/* Conflict-free shared traffic, with or without global loads between: what arbitration alone adds. */
template <bool FILL> __global__ void arbitration(const unsigned *data, unsigned *out, int rounds) {
    __shared__ unsigned tile[1024];
    unsigned sum = 0;
    for (int k = 0; k < rounds; k++) {
        ((volatile unsigned *)tile)[threadIdx.x] = sum + k;
        sum += ((volatile unsigned *)tile)[threadIdx.x];
        if (FILL) sum += __ldcg(data + ((size_t)(blockIdx.x * rounds + k) * blockDim.x + threadIdx.x));
    }
    if (sum == 12345u) *out = sum;
}

/* Volatile accesses stay in order, so that all the words are alive at once. */
template <int REGISTERS> __global__ void occupancy_tuple(unsigned *out) {
    extern __shared__ unsigned words[];
    if (out) return;
    unsigned alive[REGISTERS - 8];
#pragma unroll
    for (int k = 0; k < REGISTERS - 8; k++) alive[k] = ((volatile unsigned *)words)[k * 32 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < REGISTERS - 8; k++) ((volatile unsigned *)words)[k * 33 + threadIdx.x] = alive[k];
}

static const char *experiment, *wanted;

static void print_lanes(const lanes *l) {
    printf(",");
    for (int i = 0; i < 32; i++) printf(i ? " %lld" : "%lld", l->at[i]);
}
static void print_case(const char *op, const char *name, const lanes *source, const lanes *to) {
    printf("CASE,%s,%s,%s", experiment, op, name);
    if (source) print_lanes(source);
    else printf(",");
    if (to) print_lanes(to);
    else printf(",");
    printf("\n");
}
static bool chosen(const char *name) {
    experiment = name;
    return strcmp(name, wanted) == 0;
}

static unsigned random_state = 2463534242u;
static unsigned random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    return random_state ^= random_state << 5;
}
static lanes strided(long long stride, long long start) {
    lanes l;
    for (int i = 0; i < 32; i++) l.at[i] = start + i * stride;
    return l;
}
static lanes scattered(long long size, unsigned slots) {
    lanes l;
    for (int i = 0; i < 32; i++) l.at[i] = (long long)(random_word() % slots) * size;
    return l;
}
static lanes swizzled(long long size, int xor_mask) {
    lanes l;
    for (int i = 0; i < 32; i++) l.at[i] = (long long)(i ^ xor_mask) * size;
    return l;
}

static char *memory;
template <int OP> static void copy_case(const char *name, lanes source, lanes to) {
    CHECK(cudaFuncSetAttribute(async_copy<OP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    print_case(op_names[OP], name, &source, &to);
    async_copy<OP><<<1, 32, 65536>>>(source, to, memory);
    CHECK(cudaDeviceSynchronize());
}
template <int OP> static void copy_cases(long long size) {
    static const int strides[] = {0, 2, 3, 4, 8, 16, 32, 33, 64};
    const lanes dense = strided(size, 0);
    char name[64];
    copy_case<OP>("dense", dense, dense);
    for (int mask = 1; mask < 32; mask *= 2) {
        snprintf(name, sizeof name, "source_xor%d", mask);
        copy_case<OP>(name, swizzled(size, mask), dense);
    }
    copy_case<OP>("source_xor31", swizzled(size, 31), dense);
    copy_case<OP>("source_shift1", strided(size, size), dense);
    copy_case<OP>("source_shift7", strided(size, 7 * size), dense);
    for (unsigned k = 0; k < sizeof strides / sizeof strides[0]; k++) {
        snprintf(name, sizeof name, "source_stride%d", strides[k]);
        copy_case<OP>(name, strided(size * strides[k], 0), dense);
        snprintf(name, sizeof name, "to_stride%d", strides[k]);
        copy_case<OP>(name, dense, strided(size * strides[k], 0));
    }
    for (int k = 0; k < 6; k++) {
        snprintf(name, sizeof name, "source_random%d", k);
        copy_case<OP>(name, scattered(size, 64u << k), dense);
        snprintf(name, sizeof name, "to_random%d", k);
        copy_case<OP>(name, dense, scattered(size, 64u << k));
    }
    copy_case<OP>("both_random", scattered(size, 256), scattered(size, 256));
    lanes half = dense;
    for (int i = 16; i < 32; i++) half.at[i] = -1;
    copy_case<OP>("half", half, dense);
}

template <int OP> static void global_case(const char *name, lanes source) {
    print_case(op_names[OP], name, &source, NULL);
    global_access<OP><<<1, 32>>>(source, memory);
    CHECK(cudaDeviceSynchronize());
}
template <int OP> static void atomic_cases(long long size) {
    char name[64];
    static const int strides[] = {0, 1, 2, 4, 8, 32, 33};
    for (unsigned k = 0; k < sizeof strides / sizeof strides[0]; k++) {
        snprintf(name, sizeof name, "stride%d", strides[k]);
        global_case<OP>(name, strided(size * strides[k], 0));
    }
    lanes pairs, halves, lone = strided(size, 0);
    for (int i = 0; i < 32; i++) pairs.at[i] = i / 2 * size, halves.at[i] = i % 2 * size;
    for (int i = 1; i < 32; i++) lone.at[i] = -1;
    global_case<OP>("pairs", pairs);
    global_case<OP>("two_words", halves);
    global_case<OP>("lone", lone);
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "random%d", k);
        global_case<OP>(name, scattered(size, 16u << (2 * k)));
    }
}

/* Many random reductions: how the sectors and tag accesses of one warp depend on order and multiplicity. */
template <int OP> static void multiplicity_cases(void) {
    char name[64];
    for (int k = 0; k < 40; k++) {
        snprintf(name, sizeof name, "multiplicity%d", k);
        random_state = 88172645u + (unsigned)k * 7919u;
        global_case<OP>(name, scattered(4, k < 20 ? 512 : 128));
    }
    for (int twice = 0; twice < 32; twice += 5) /* distinct sectors, one word named twice, at several distances */
        for (int distance = 1; distance < 32 - twice; distance += 9) {
            lanes l = strided(32, 0);
            l.at[twice + distance] = l.at[twice];
            snprintf(name, sizeof name, "twice%d_%d", twice, distance);
            global_case<OP>(name, l);
        }
}

template <int BITS> static void constant_cases(void) {
    static long long *offsets;
    if (!offsets) CHECK(cudaMalloc(&offsets, sizeof(lanes)));
    const long long size = BITS / 8;
    static const int strides[] = {0, 1, 2, 4, 8, 16, 64, 256};
    char name[64], op[16];
    snprintf(op, sizeof op, "ldc%d", BITS);
    for (int k = 0; k < 16; k++) {
        lanes l;
        if (k < 8) {
            l = strided(strides[k] < size && strides[k] > 0 ? size : strides[k] / size * size, 0);
            snprintf(name, sizeof name, "bytes%lld", l.at[1] - l.at[0]);
        } else if (k < 12) {
            const int groups = 2 << (k - 8);
            for (int i = 0; i < 32; i++) l.at[i] = i % groups * size;
            snprintf(name, sizeof name, "words%d", groups);
        } else if (k < 14) {
            l = scattered(size, k == 12 ? 64 : 4096 / (unsigned)size);
            snprintf(name, sizeof name, "random%d", k);
        } else {
            l = strided(k == 14 ? size : 0, 0);
            for (int i = k == 14 ? 8 : 1; i < 32; i++) l.at[i] = -1;
            snprintf(name, sizeof name, k == 14 ? "eight" : "lone");
        }
        CHECK(cudaMemcpy(offsets, &l, sizeof l, cudaMemcpyHostToDevice));
        print_case(op, name, &l, NULL);
        constant_load<BITS><<<1, 32>>>(offsets, memory);
        CHECK(cudaDeviceSynchronize());
    }
}

template <int OP> static void cluster_cases(void) {
    static const int strides[] = {0, 1, 2, 4, 8, 16, 32, 33};
    char name[64];
    CHECK(cudaFuncSetAttribute(cluster_access<OP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    for (int other = 0; other < 2; other++)
        for (int k = 0; k < 12; k++) {
            lanes l = k < 8 ? strided(4 * strides[k], 0) : scattered(4, k < 10 ? 64 : 1024);
            snprintf(name, sizeof name, "%s_%s%d", other ? "other" : "own", k < 8 ? "stride" : "random", k < 8 ? strides[k] : k);
            print_case(op_names[OP], name, &l, NULL);
            cluster_access<OP><<<2, 32, 65536>>>(l, other, memory);
            CHECK(cudaDeviceSynchronize());
        }
}

/* Two lanes whose lines differ in one high bit and in a low part of known class: two wavefronts tell the class. Only two
 * pages of a large reserved range are mapped. */
static void hash_cases(void) {
    const size_t page = (size_t)2 << 20, range = (size_t)1 << 42;
    CUmemAllocationProp place = {};
    place.type = CU_MEM_ALLOCATION_TYPE_PINNED, place.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccessDesc access = {place.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle pages[2];
    CUdeviceptr base;
    CHECK(cudaFree(0));
    for (int k = 0; k < 2; k++) DRIVER(cuMemCreate(&pages[k], page, &place, 0));
    DRIVER(cuMemAddressReserve(&base, range, (size_t)1 << 42, 0, 0));
    DRIVER(cuMemMap(base, page, 0, pages[0], 0));
    DRIVER(cuMemSetAccess(base, page, &access, 1));
    memory = (char *)base;
    printf("BASE,%p\n", (void *)memory);
    for (int bit = 14; bit < 35; bit++) {
        const unsigned long long span = 1ull << (bit + 7);
        DRIVER(cuMemMap(base + span, page, 0, pages[1], 0));
        DRIVER(cuMemSetAccess(base + span, page, &access, 1));
        for (int low = 0; low < 4; low++) {
            lanes l = strided(0, 0);
            for (int i = 1; i < 32; i++) l.at[i] = -1;
            l.at[1] = (long long)span + low * 128;
            char name[64];
            snprintf(name, sizeof name, "bit%d_low%d", bit, low);
            global_case<LOAD32>(name, l);
        }
        DRIVER(cuMemUnmap(base + span, page));
    }
}

/* One sector of every 128-byte line, or of every 64 or 32 bytes, of 512 MiB, at each limit of the fetch granularity. */
static void fetch_cases(void) {
    static const size_t limits[] = {0, 32, 64, 128};
    const size_t bytes = (size_t)512 << 20;
    unsigned *data = device_words<unsigned>(bytes, true), *out = device_words<unsigned>(4, true);
    for (int k = 0; k < 4; k++) {
        if (limits[k]) CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, limits[k]));
        size_t limit;
        CHECK(cudaDeviceGetLimit(&limit, cudaLimitMaxL2FetchGranularity));
        for (size_t stride = 32; stride <= 256; stride *= 2) {
            char name[64];
            snprintf(name, sizeof name, "limit%zu%s_stride%zu", limit, k ? "" : "default", stride);
            print_case("ldg32", name, NULL, NULL);
            LAUNCH(one_sector_per_line, 1056, 256, data, stride / 4, bytes / stride, out);
        }
    }
}

static void arbitration_cases(void) {
    unsigned *data = device_words<unsigned>((size_t)64 << 20, true), *out = device_words<unsigned>(4, true);
    static const int threads[] = {32, 256, 1024};
    for (int fill = 0; fill < 2; fill++)
        for (int t = 0; t < 3; t++)
            for (int blocks = 1; blocks <= 264; blocks = blocks == 1 ? 132 : blocks * 2) {
                char name[64];
                snprintf(name, sizeof name, "%s_threads%d_blocks%d", fill ? "loads" : "alone", threads[t], blocks);
                print_case("lds32+sts32", name, NULL, NULL);
                if (fill) LAUNCH(arbitration<true>, blocks, threads[t], data, out, 60);
                else LAUNCH(arbitration<false>, blocks, threads[t], data, out, 60);
            }
}

template <int REGISTERS> static void occupancy_cases(unsigned *out) {
    static const int threads[] = {32, 96, 128, 256, 384, 512, 1024};
    static const int shared[] = {0, 3000, 40000, 100000, 232448};
    CHECK(cudaFuncSetAttribute(occupancy_tuple<REGISTERS>, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    for (int t = 0; t < 7; t++) {
        const int bytes = shared[(t + REGISTERS / 8) % 5];
        char name[64];
        cudaFuncAttributes a;
        CHECK(cudaFuncGetAttributes(&a, occupancy_tuple<REGISTERS>));
        if (threads[t] > a.maxThreadsPerBlock) continue;
        snprintf(name, sizeof name, "threads%d_registers%d_shared%d", threads[t], a.numRegs, bytes);
        print_case("launch", name, NULL, NULL);
        occupancy_tuple<REGISTERS><<<1, threads[t], bytes>>>(out);
        CHECK(cudaDeviceSynchronize());
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: open_points EXPERIMENT\n"), 2;
    wanted = argv[1];
    if (chosen("hash")) return hash_cases(), 0;
    char *raw = device_words<char>((size_t)32 << 20, true);
    memory = raw + (-(size_t)raw & (((size_t)2 << 20) - 1));
    printf("BASE,%p\n", (void *)memory);
    if (chosen("copy")) copy_cases<CPA4>(4), copy_cases<CPA8>(8), copy_cases<CPA16>(16), copy_cases<CPG16>(16);
    if (chosen("atomic")) {
        atomic_cases<RED32>(4), atomic_cases<ATOM32>(4), atomic_cases<RED64>(8), atomic_cases<ATOM64>(8);
        atomic_cases<CAS32>(4), atomic_cases<CAS64>(8), atomic_cases<EXCH32>(4), atomic_cases<REDF32>(4), atomic_cases<ATOMMIN32>(4);
    }
    if (chosen("multiplicity")) multiplicity_cases<RED32>(), multiplicity_cases<ATOM32>();
    if (chosen("constant")) constant_cases<8>(), constant_cases<16>(), constant_cases<32>(), constant_cases<64>(), constant_cases<128>();
    if (chosen("cluster")) cluster_cases<DSM_LD>(), cluster_cases<DSM_ST>(), cluster_cases<DSM_ATOM>();
    if (chosen("fetch")) fetch_cases();
    if (chosen("arbitration")) arbitration_cases();
    if (chosen("occupancy")) {
        unsigned *out = device_words<unsigned>(4, true);
        occupancy_cases<16>(out), occupancy_cases<32>(out), occupancy_cases<64>(out), occupancy_cases<128>(out), occupancy_cases<255>(out);
    }
    return 0;
}
