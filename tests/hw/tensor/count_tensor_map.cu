// nvcc: -gencode arch=compute_90a,code=[sm_90a,compute_90a] -lcuda
/* What the profiler counts of copies by tensor maps of 1 to 5 dimensions, with element strides, im2col, interleaved, multicast: one
 * launch a case; a line per case, in the order of the launches. Even cases are those that rules may be fitted to, odd ones are
 * held out.
 *   count_tensor_map PART      tiles | strides | columns | casts | others | interleaved | more-casts | sliced | slices16 | edges | bulks,
 *                              under ncu
 *   count_tensor_map PART 1    also prints FNV-1a of shared memory of each case that loads
 * The size of dynamic shared memory tells the cases apart in a report: 32,768 bytes and 16 a case. */
#include "map_case.h"

enum { SHARED = 32768, WORDS = 1 << 20 };

__global__ void copy_box(const __grid_constant__ CUtensorMap map, const __grid_constant__ Case c, unsigned expected,
                         const void *words, unsigned *dump)
{
    extern __shared__ __align__(1024) unsigned tile[];
    __shared__ __align__(8) uint64_t barrier;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile), rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    for (int k = 0; dump && k < SHARED / 4; k++) tile[k] = 0xeeeeeeee;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    if (c.how == LOAD || c.how == BULK) {
        bool receives = !c.mask || c.mask >> rank & 1;
        if (receives) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(expected) : "memory");
        if (c.mask) asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        if (rank == 0 && c.how == LOAD) load_box(map, c, to, bar);
        if (rank == 0 && c.how == BULK) load_bulk(words, c, to, bar);
        if (receives) wait(bar);
        if (c.mask) asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        for (int k = 0; dump && rank == 0 && k < SHARED / 4; k++) dump[k] = tile[k];
        return;
    }
    move_box(map, c, to);
}

static void *words;
static unsigned *dump;
static int number;

/* A tensor of `rank` dimensions without gaps, of 64-byte rows or more. */
static Case plain(int how, int type, int rank)
{
    static const unsigned dims[] = {64, 12, 6, 5, 3};
    Case c = {};
    c.how = how, c.type = type, c.rank = rank, c.bytes = size_of(type), c.ranks = 1;
    uint64_t stride = 0;
    for (int k = 0; k < rank; k++) {
        c.dims[k] = rank == 1 ? 1024 : k ? dims[k] : dims[0] * 4 / c.bytes;
        if (k) c.strides[k - 1] = stride;
        stride = k ? stride * c.dims[k] : c.dims[0] * c.bytes;
        c.box[k] = c.steps[k] = 1;
    }
    return c;
}

static void describe(const Case *c)
{
    static const char *const hows[] = {"load", "store", "reduce", "prefetch", "bulk"};
    printf("CASE %s rank %d type %d%s interleave %d swizzle %d mask %d/%d", hows[c->how], c->rank, c->type,
           c->im2col ? " im2col" : "", c->interleave, c->swizzle, c->mask, c->ranks);
    describe_box(c);
}

static void run(Case c)
{
    CUtensorMap map = {};
    CUresult made = c.how == BULK ? CUDA_SUCCESS : encode(&c, words, &map);
    describe(&c);
    printf(" encode %d", (int)made);
    if (made) {
        printf("\n");
        number++;
        return;
    }
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = c.ranks, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = c.ranks, config.blockDim = 1, config.dynamicSmemBytes = SHARED + 16 * number;
    config.attrs = &attribute, config.numAttrs = c.ranks > 1;
    cudaError_t error = cudaLaunchKernelEx(&config, copy_box, map, c, c.how == BULK ? (unsigned)c.dims[0] : (unsigned)bytes_of(&c),
                                           (const void *)words, dump);
    if (!error) error = cudaDeviceSynchronize();
    printf(" launch %d", error);
    if (dump && !error && c.how != STORE && c.how != REDUCE) printf(" hash %016llx", (unsigned long long)hash_of(dump, SHARED));
    printf("\n");
    fflush(stdout);
    number++;
    if (error) exit(1);
}

/* A box of at most `most` bytes with an inner row of 16 to 128 bytes and places over all edges; swizzled as it fits. */
static Case random_box(Case c, unsigned most)
{
    unsigned inner = 16 << random_of(number, 1, 4), all;
    c.swizzle = random_of(number, 2, 2) ? inner == 16 ? random_of(number, 3, 4) : inner == 32 ? 1 + random_of(number, 3, 3) : inner == 64 ? 2 : 3 : 0;
    c.box[0] = inner / c.bytes;
    if (c.rank == 1) c.box[0] = (16 + 16 * random_of(number, 4, 16)) / c.bytes, c.swizzle = 0;
    if (c.box[0] > 256) c.box[0] = 256;
    all = c.swizzle ? 16u << c.swizzle : c.box[0] * c.bytes;
    for (int k = 1; k < c.rank; k++) {
        c.box[k] = 1 + random_of(number, 4 + k, k < 3 ? 8 : 3);
        while (all * c.box[k] > most) c.box[k]--;
        all *= c.box[k];
    }
    for (int k = 0; k < c.rank; k++) {
        unsigned kind = random_of(number, 10 + k, 5);
        int align = k ? 1 : 16 / c.bytes;
        if (kind == 1) c.at[k] = align * (int)random_of(number, 20 + k, (unsigned)(c.dims[k] / align));
        if (kind == 2 && c.how == LOAD) c.at[k] = -align;
        if (kind == 3) c.at[k] = (int)c.dims[k] - align;
        if (kind == 4 && k == 0) c.at[k] = align;
    }
    return c;
}

static void tiles(void)
{
    static const int ranks[] = {1, 3, 4, 5}, types[] = {2, 6, 0, 4, 7};
    for (int k = 0; k < 16 * 4; k++) run(random_box(plain(LOAD, types[random_of(number, 0, 5)], ranks[k / 2 % 4]), 16384));
}

static void strides(void)
{
    static const int types[] = {2, 6, 7};
    for (int k = 0; k < 44; k++) {
        Case c = random_box(plain(k % 11 == 10 ? STORE : LOAD, types[random_of(number, 0, 3)], 2 + k / 2 % 4), 16384);
        for (int d = 1; d < c.rank; d++)
            if (d == 1 + k / 8 % (c.rank - 1) || k > 30) c.steps[d] = 2 + random_of(number, 30 + d, k % 3 ? 2 : 7);
        if (k % 8 == 7) c.steps[0] = 2;
        run(c);
    }
}

static void columns(void)
{
    for (int k = 0; k < 44; k++) {
        Case c = plain(k % 11 == 10 ? STORE : k == 20 ? REDUCE : k == 31 ? PREFETCH : LOAD, k & 2 ? 2 : 6, 3 + k / 2 % 3);
        if (k == 20 || k == 31) c = plain(c.how, 2, 4);
        unsigned inner = 16 << random_of(number, 1, 4);
        c.im2col = 1, c.box[0] = inner / c.bytes, c.pixels = 8 + random_of(number, 2, 57);
        c.swizzle = random_of(number, 3, 2) && inner > 16 ? inner == 32 ? 1 : inner == 64 ? 2 : 3 : 0;
        for (int d = 0; d < c.rank - 2; d++) {
            c.lower[d] = c.how == LOAD ? -(int)random_of(number, 4 + d, 3) : 0;
            c.upper[d] = c.how == LOAD ? (int)random_of(number, 8 + d, 3) - 2 : 0;
            c.offset[d] = c.how == LOAD ? (int)random_of(number, 12 + d, 3) : 0;
            c.at[d + 1] = c.lower[d] + (int)random_of(number, 16 + d, 2);
            if (k > 30 && c.how == LOAD) c.steps[d + 1] = 1 + random_of(number, 20 + d, 3);
        }
        c.at[0] = random_of(number, 25, 4) ? 0 : 16 / c.bytes;
        if (random_of(number, 26, 4) == 0) c.at[c.rank - 1] = 1;
        run(c);
    }
}

static void casts(void)
{
    static const int masks[][2] = {{2, 3}, {2, 1}, {2, 2}, {4, 15}, {4, 5}, {4, 14}};
    for (int k = 0; k < 12; k++) {
        Case c = random_box(plain(LOAD, k & 1 ? 6 : 2, 2 + k / 6), 8192);
        c.ranks = masks[k % 6][0], c.mask = masks[k % 6][1];
        run(c);
    }
}

/* More of them, with wide rows that begin and end anywhere. */
static void more_casts(void)
{
    for (int k = 0; k < 80; k++) {
        Case c = random_box(plain(LOAD, k & 1 ? 6 : 2, 2 + k / 2 % 2), 8192);
        c.ranks = 2, c.mask = k % 5 ? 3 : 1;
        if (k >= 20) c.swizzle = 0, c.box[0] = (16 + 16 * random_of(number, 40, 20)) / c.bytes, c.box[1] = 1 + random_of(number, 41, 3);
        if (k >= 20 && c.rank > 2) c.box[2] = 1;
        if (k >= 30) c.at[0] = 16 / c.bytes * ((int)random_of(number, 42, 24) - 8), c.at[1] = k % 4 ? 3 : -1;
        if (c.box[0] > 256) c.box[0] = 256;
        run(c);
    }
}

static void others(void)
{
    static const int ranks[] = {1, 3, 4, 5}, types[] = {2, 6, 7};
    for (int k = 0; k < 36; k++) run(random_box(plain(STORE + k / 2 % 3, types[random_of(number, 0, 3)], ranks[k / 6 % 4]), 8192));
}

/* NC/8HWC8 and NC/16HWC16: slices of 16 or 32 bytes; dimension 0: channels of all slices (as cuTensorMapEncodeTiled takes them). */
static void interleaved(void)
{
    for (int k = 0; k < 40; k++) {
        Case c = plain(LOAD, k & 4 ? 2 : 6, 3 + k / 2 % 3);
        unsigned slice = 16u << (k & 1);
        c.interleave = 1 + (k & 1), c.swizzle = c.interleave == 2;
        c.strides[0] = slice, c.strides[1] = slice * c.dims[1];
        for (int d = 2; d + 1 < c.rank; d++) c.strides[d] = c.strides[d - 1] * c.dims[d];
        c.box[0] = k < 24 ? slice / c.bytes : (1 + k % 3) * slice / c.bytes;
        c.box[1] = 1 + random_of(number, 1, 6), c.box[2] = 1 + random_of(number, 2, 4);
        if (c.rank > 3) c.box[3] = 1 + random_of(number, 3, 2);
        if (k >= 8)
            for (int d = 1; d < c.rank; d++) c.at[d] = (int)random_of(number, 4 + d, 3) - (k >= 16);
        if (k >= 32) c.at[0] = (int)(slice / c.bytes);
        run(c);
    }
}

/* Interleaved maps of all kinds. */
static void sliced(void)
{
    for (int k = 0; k < 60; k++) {
        Case c = slices(number);
        c.type = 2, c.bytes = 4, c.fill = 0;
        c.how = k < 44 ? LOAD : k % 4 ? STORE : REDUCE;
        if (k & 4 && (c.how != REDUCE || c.rank == 4)) as_columns(number, &c);
        for (int d = 0; d < c.rank && c.how != LOAD; d++) {
            c.at[d] = abs(c.at[d]);
            if (d < 3) c.lower[d] = c.upper[d] = c.offset[d] = 0;
        }
        run(c);
    }
}

/* More of those whose slices have 16 bytes. */
static void slices16(void)
{
    for (int k = 0; k < 110; k++) {
        Case c = slices(number + 1000);
        uint64_t stride = 16;
        c.type = 2, c.bytes = 4, c.fill = 0, c.interleave = 1, c.how = k < 80 ? LOAD : k % 4 ? STORE : REDUCE;
        for (int d = 0; d < c.rank; d++) {
            c.box[d] = d ? c.box[d] : 4 * (1 + (c.box[0] - 1) / 4), c.dims[0] = 4 + random_of(number, 90, 24);
            if (d) c.strides[d - 1] = stride;
            stride *= c.dims[d] + random_of(number, 91 + d, 2);
        }
        if (random_of(number, 98, 3)) c.steps[0] = 1;
        if (k % 3 && k % 12 != 5 && (c.how != REDUCE || c.rank == 4)) as_columns(number + 1000, &c);
        for (int d = 0; d < c.rank && c.how != LOAD; d++) {
            c.at[d] = abs(c.at[d]) % 2;
            if (d < 3) c.lower[d] = c.upper[d] = c.offset[d] = 0;
        }
        if (c.how == LOAD && !c.im2col && c.rank == 3) c.ranks = 2, c.mask = 3;
        run(c);
    }
}

/* Wide rows that begin anywhere and go over the tensor's edges, to one block or to two. */
static void edges(void)
{
    for (int k = 0; k < 60; k++) {
        Case c = plain(LOAD, k & 1 ? 6 : 2, k & 2 ? 2 : k % 8 ? 3 : 1);
        unsigned sixteen = 16 / c.bytes, all = c.dims[0] / sixteen;
        c.box[0] = sixteen * (1 + random_of(number, 200, 20));
        if (c.box[0] > 256) c.box[0] = 256;
        c.at[0] = (int)(sixteen * random_of(number, 201, 12)) - (int)(sixteen * 6) + (random_of(number, 202, 2) ? (int)(sixteen * (all - 6)) : 0);
        for (int d = 1; d < c.rank; d++) c.box[d] = 1 + random_of(number, 203 + d, 4), c.at[d] = (int)random_of(number, 206 + d, 5) - 2;
        if (k % 3 == 0 && c.rank > 1) c.ranks = 2, c.mask = k % 2 ? 3 : 1;
        run(c);
    }
}

/* Copies without a map. */
static void bulks(void)
{
    static const int masks[][2] = {{1, 0}, {2, 3}, {2, 2}, {4, 15}, {4, 10}};
    for (int k = 0; k < 30; k++) {
        Case c = {};
        c.how = BULK, c.rank = 1, c.ranks = masks[k % 5][0], c.mask = masks[k % 5][1];
        c.dims[0] = 16 + 16 * random_of(number, 1, k < 10 ? 8 : 200), c.at[0] = 16 * (int)random_of(number, 2, 64);
        run(c);
    }
}

int main(int argc, char **argv)
{
    static uint32_t host[WORDS];
    const char *part = argc > 1 ? argv[1] : "tiles";
    for (uint32_t k = 0; k < WORDS; k++) host[k] = k | (k * 2654435761u & 0xff000000u);
    cudaMalloc(&words, sizeof host);
    cudaMemcpy(words, host, sizeof host, cudaMemcpyHostToDevice);
    if (argc > 2) cudaMallocManaged(&dump, SHARED);
    cudaFuncSetAttribute(copy_box, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED + 16 * 128);
    if (!strcmp(part, "tiles")) tiles();
    if (!strcmp(part, "strides")) strides();
    if (!strcmp(part, "columns")) columns();
    if (!strcmp(part, "casts")) casts();
    if (!strcmp(part, "others")) others();
    if (!strcmp(part, "interleaved")) interleaved();
    if (!strcmp(part, "more-casts")) more_casts();
    if (!strcmp(part, "sliced")) sliced();
    if (!strcmp(part, "slices16")) slices16();
    if (!strcmp(part, "edges")) edges();
    if (!strcmp(part, "bulks")) bulks();
    return 0;
}
