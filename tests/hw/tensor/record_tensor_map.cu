// nvcc: -gencode arch=compute_90a,code=[sm_90a,compute_90a] -lcuda
/* record_tensor_map.cu: what cp.async.bulk.tensor puts into shared memory, for maps of all kinds: swizzles with boxes narrower than
 * their span, interleaved maps, im2col, fills, conversions, element strides, tiles at any 128 bytes. A line per case: its number, the
 * encoder's answer, that of the launch, FNV-1a of the 16 KiB of shared memory, and its description. The data: 16-bit words that are
 * their own index (cases of floats: hashes). Of stores and reductions the hash is that of the data afterwards. usage:
 * record_tensor_map FIRST [DUMP]: from case FIRST on; DUMP gets the shared memory of all loads, the data of all stores. A case
 * that ends the context is the last: go on behind it. */
#include "map_case.h"

enum { SHARED = 16384, WINDOW = 1 << 17 };

__global__ void copy(const __grid_constant__ CUtensorMap map, const __grid_constant__ Case c, uint32_t expected, uint32_t *out)
{
    extern __shared__ __align__(1024) uint32_t tile[];
    __shared__ __align__(8) uint64_t barrier;
    uint32_t bar = (uint32_t)__cvta_generic_to_shared(&barrier), to = (uint32_t)__cvta_generic_to_shared(tile) + c.base;
    for (int k = 0; k < SHARED / 4; k++) tile[k] = c.how == LOAD ? 0xeeeeeeee : 0x70000000 + k;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    if (c.how != LOAD) {
        move_box(map, c, to);
        return;
    }
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(expected) : "memory");
    load_box(map, c, to, bar);
    uint32_t done = wait(bar);
    for (int k = 0; k < SHARED / 4; k++) out[k] = tile[k];
    out[SHARED / 4] = done;
}

static FILE *dump;
static uint32_t *out_d;
static uint16_t *words, *hashes;
static int number, first;

static void describe(const Case *c)
{
    if (c->how != LOAD) printf(c->how == STORE ? " store" : " reduce");
    printf(" type %d%s interleave %d swizzle %d fill %d base %d", c->type, c->im2col ? " im2col" : "", c->interleave, c->swizzle,
           c->fill, c->base);
    describe_box(c);
    printf("\n");
}

/* The hash of the words after a store, which then are what they were. */
static uint64_t stored(FILE *dump)
{
    static uint16_t now[2 * WINDOW];
    cudaMemcpy(now, words, sizeof now, cudaMemcpyDeviceToHost);
    if (dump) fwrite(now, 1, sizeof now, dump);
    uint64_t hash = hash_of(now, sizeof now);
    for (int k = 0; k < 2 * WINDOW; k++) now[k] = (uint16_t)k;
    cudaMemcpy(words, now, sizeof now, cudaMemcpyHostToDevice);
    return hash;
}

static void run(const Case &c)
{
    CUtensorMap map;
    if (number < first) {
        number++;
        return;
    }
    memset(&map, 0, sizeof map);
    CUresult made = encode(&c, c.hashed ? hashes : words, &map);
    static uint32_t out[SHARED / 4 + 1];
    uint64_t hash = 0;
    cudaError_t error = cudaSuccess;
    memset(out, 0, sizeof out);
    if (!made) {
        copy<<<1, 1, SHARED + 1024>>>(map, c, (uint32_t)bytes_of(&c), out_d);
        error = cudaDeviceSynchronize();
        if (c.how != LOAD) hash = stored(dump);
        else if (!error) cudaMemcpy(out, out_d, sizeof out, cudaMemcpyDeviceToHost), hash = hash_of(out, SHARED);
    }
    if (dump && c.how == LOAD) fwrite(out, 1, SHARED, dump);
    printf("%d encode %d launch %d complete %d %016llx", number++, made, error, (int)out[SHARED / 4], (unsigned long long)(made || error ? 0 : hash));
    describe(&c);
    if (error) {
        printf("stopped\n");
        exit(1);
    }
}

static Case plain(int type, int rank, int inner_bytes)
{
    Case c = {};
    c.type = type, c.rank = rank, c.bytes = size_of(type);
    uint64_t stride = 512;
    for (int k = 0; k < rank; k++) {
        c.dims[k] = k ? 8 : 256 / c.bytes;
        if (k) c.strides[k - 1] = stride, stride *= 8;
        if (k == 3) stride = 16;
        c.box[k] = k == 0 ? inner_bytes / c.bytes : k == 1 ? 8 : k == 2 ? 2 : 1;
        c.steps[k] = 1;
    }
    return c;
}

static void swizzles(void)
{
    for (int swizzle = 1; swizzle < 4; swizzle++)
        for (int inner = 16; inner <= 16 << swizzle; inner += 16)
            for (int base = 0; base < 1024; base += inner == 16 << swizzle || inner == 16 ? 128 : 384) {
                Case c = plain(1, 2, inner);
                c.swizzle = swizzle, c.base = base;
                run(c);
                if (base) continue;
                c.at[0] = swizzle == 3 && inner == 128 ? -3 : -8, c.at[1] = 2;
                run(c);
                c.at[0] = 120, c.at[1] = -2;
                run(c);
            }
}

static void fills(void)
{
    for (int type = 0; type < 13; type++)
        for (int fill = 0; fill < 2; fill++)
            for (int rank = 1; rank < 4; rank++) {
                Case c = plain(type, rank, 64);
                c.fill = fill, c.hashed = type >= 6;
                run(c);
                c.at[0] = (int)c.dims[0] - 16 / c.bytes, c.at[1] = -1;
                run(c);
                c.at[0] = -32 / c.bytes, c.at[1] = 4;
                run(c);
            }
}

static void strides(void)
{
    for (int step = 2; step <= 8; step++)
        for (int swizzle = 0; swizzle < 4; swizzle += 3) {
            Case c = plain(1, 3, 64);
            c.swizzle = swizzle;
            c.steps[0] = step;
            run(c);
            c.steps[1] = step;
            run(c);
            c.steps[1] = 1, c.steps[2] = step, c.box[2] = 5;
            run(c);
        }
}

static void columns(void)
{
    for (int rank = 3; rank < 6; rank++)
        for (int variant = 0; variant < 12; variant++)
            for (int swizzle = 0; swizzle < 4; swizzle += 3) {
                Case c = plain(1, rank, 64);
                c.im2col = 1, c.swizzle = swizzle, c.pixels = variant < 6 ? 20 : 64;
                c.strides[3] = 16384;
                for (int k = 0; k < rank - 2; k++) {
                    c.dims[k + 1] = 5 + k;
                    c.lower[k] = -(variant % 3), c.upper[k] = -(variant % 4) + 1;
                    c.offset[k] = variant % 3;
                    c.at[k + 1] = c.lower[k] + (variant & 1);
                }
                c.at[0] = variant == 5 ? 104 : variant == 4 ? -8 : 0;
                c.at[rank - 1] = variant == 7 ? 7 : 0;
                if (variant > 8) c.steps[1] = 2;
                if (variant > 9) c.steps[2] = 3;
                if (variant == 11) c.fill = 1, c.type = 6;
                run(c);
            }
    for (int interleave = 1; interleave < 3; interleave++)
        for (int rank = 3; rank < 6; rank++) {
            Case c = plain(1, rank, 16 * interleave);
            c.im2col = 1, c.interleave = interleave, c.swizzle = interleave == 2, c.pixels = 20;
            c.strides[0] = 32, c.strides[1] = 512, c.strides[2] = 4096, c.strides[3] = 16384;
            for (int k = 0; k < rank - 2; k++) c.dims[k + 1] = 5 + k, c.lower[k] = c.at[k + 1] = -1;
            run(c);
            c.box[0] *= 2;
            run(c);
        }
}

static void interleaved(void)
{
    for (int k = 0; k < 168; k++) {
        Case c = slices(number);
        if (k >= 96) as_columns(number, &c);
        run(c);
    }
    for (int k = 0; k < 48; k++) {
        Case c = slices(number);
        c.how = STORE, c.fill = 0;
        for (int d = 0; d < c.rank; d++) c.at[d] = abs(c.at[d]);
        if (k >= 24) {
            as_columns(number, &c);
            for (int d = 0; d < c.rank - 2; d++) c.at[d] = c.at[d] - c.lower[d], c.lower[d] = c.offset[d] = 0, c.upper[d] = 0;
        }
        if (k % 4 == 3 && (k < 24 || c.rank == 4)) c.how = REDUCE, c.type = 2, c.bytes = 4;
        run(c);
    }
}

/* Only what the encoder says. */
static void answers(void)
{
    Case base = plain(1, 3, 64), c;
#define SAY(change)                                                                                                     \
    c = base;                                                                                                           \
    change;                                                                                                             \
    {                                                                                                                   \
        CUtensorMap map;                                                                                                \
        printf("answer %d: " #change "\n", (int)encode(&c, words, &map));                                                      \
    }
    SAY(c.strides[0] = 0)
    SAY(c.strides[1] = 0)
    SAY(c.strides[0] = 16)
    SAY(c.strides[1] = 16)
    SAY(c.strides[0] = 8)
    SAY(c.strides[0] = 1ull << 40)
    SAY(c.strides[0] = (1ull << 40) - 16)
    SAY(c.dims[0] = 0)
    SAY(c.dims[1] = 1ull << 32)
    SAY(c.dims[1] = (1ull << 32) + 1)
    SAY(c.box[0] = 4)
    SAY(c.box[0] = 0)
    SAY(c.box[1] = 257)
    SAY(c.box[1] = 256)
    SAY(c.steps[0] = 9)
    SAY(c.steps[0] = 0)
    SAY(c.steps[1] = 9)
    SAY(c.steps[1] = 0)
    SAY(c.swizzle = 1)
    SAY(c.swizzle = 4)
    SAY(c.swizzle = 5)
    SAY(c.swizzle = 6)
    SAY(c.fill = 1)
    SAY(c.fill = 1; c.type = 6)
    SAY(c.fill = 2; c.type = 6)
    SAY(c.type = 13; c.box[0] = 128)
    SAY(c.type = 14; c.box[0] = 128)
    SAY(c.type = 15; c.box[0] = 128)
    SAY(c.type = 16)
    SAY(c.interleave = 1; c.swizzle = 1)
    SAY(c.interleave = 1; c.swizzle = 3)
    SAY(c.interleave = 2; c.swizzle = 0)
    SAY(c.interleave = 2; c.swizzle = 1)
    SAY(c.interleave = 2; c.swizzle = 2)
    SAY(c.interleave = 1; c.rank = 2)
    SAY(c.rank = 0)
    SAY(c.rank = 6)
    SAY(c.box[0] = 256; c.box[1] = 256; c.box[2] = 256)
    SAY(c.interleave = 1; c.box[0] = 3)
    SAY(c.interleave = 1; c.box[0] = 256)
    SAY(c.interleave = 1; c.box[0] = 257)
    SAY(c.interleave = 1; c.box[1] = 256)
    SAY(c.interleave = 1; c.box[1] = 257)
    SAY(c.interleave = 1; c.box[0] = c.box[1] = c.box[2] = 256)
    SAY(c.interleave = 2; c.swizzle = 3)
    SAY(c.interleave = 2; c.swizzle = 1; c.strides[0] = 528)
    SAY(c.interleave = 1; c.strides[0] = 528)
    SAY(c.interleave = 1; c.steps[0] = 2)
    SAY(c.interleave = 1; c.steps[0] = 0)
    SAY(c.interleave = 1; c.steps[0] = 9)
    SAY(c.interleave = 1; c.steps[1] = 9)
    SAY(c.interleave = 1; c.dims[0] = 3)
    SAY(c.interleave = 1; c.dims[0] = 1ull << 32)
    SAY(c.interleave = 1; c.type = 8)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 20; c.upper[0] = 1)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 20; c.box[0] = 3)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 20; c.box[0] = 256)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 20; c.box[0] = 257)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 1025)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 20; c.steps[0] = 9)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 20; c.upper[0] = -128)
    SAY(c.interleave = 1; c.im2col = 1; c.pixels = 20; c.upper[0] = -8)
}

int main(int argc, char **argv)
{
    cudaMalloc(&out_d, sizeof(uint32_t) * (SHARED / 4 + 1));
    cudaMalloc(&words, 4 * WINDOW), cudaMalloc(&hashes, 4 * WINDOW);
    uint16_t *host = new uint16_t[2 * WINDOW];
    for (int k = 0; k < 2 * WINDOW; k++) host[k] = (uint16_t)k;
    cudaMemcpy(words, host, 4 * WINDOW, cudaMemcpyHostToDevice);
    uint32_t *words32 = (uint32_t *)host;
    for (uint32_t k = 0; k < WINDOW; k++) {
        words32[k] = k * 2654435761u ^ (k >> 3) * 40503u;
        if (k % 7 == 3) words32[k] &= 0x807fffffu; /* subnormal as f32 */
        if (k % 11 == 5) words32[k] |= 0x7f800000u;
    }
    cudaMemcpy(hashes, host, 4 * WINDOW, cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED + 1024);
    if (argc > 1) first = atoi(argv[1]);
    if (argc > 2) dump = fopen(argv[2], "ab");
    if (!first) answers();
    swizzles(), fills(), strides(), columns(), interleaved();
    return 0;
}
