/* What adds to shared memory count that are loops of loads and compare-and-swaps: blocks of one warp, lanes' words by a
 * fixed generator. Writes the words to patterns.csv (number, mask, 32 indices); run under the profiler with the metrics
 * that tests/hw/h100-spin-loops.csv names, one launch after the other belongs to one pattern and kernel. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 1024
#define LOOP(name, type, statement)                                                                                    \
    extern "C" __global__ void name(const int *word, unsigned mask, type *out)                                         \
    {                                                                                                                  \
        __shared__ type s[WORDS];                                                                                      \
        type old = 0;                                                                                                  \
        for (int i = threadIdx.x; i < WORDS; i += 32) s[i] = 0;                                                        \
        __syncwarp();                                                                                                  \
        int at = word[threadIdx.x];                                                                                    \
        if (mask >> threadIdx.x & 1) statement;                                                                        \
        __syncwarp();                                                                                                  \
        out[threadIdx.x] = s[at] + old;                                                                                \
    }
typedef unsigned long long u64;
LOOP(red_f32, float, atomicAdd(&s[at], 1.5f))
LOOP(atom_f32, float, old = atomicAdd(&s[at], 1.5f))
LOOP(red_f64, double, atomicAdd(&s[at], 1.5))
LOOP(red_u64, u64, atomicAdd(&s[at], (u64)1))

static u64 state = 88172645463325252ull;
static unsigned next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 11);
}

/* Twelve kinds of patterns, each in a wider form every round. */
static int word_of(int kind, int round, int lane)
{
    switch (kind) {
    case 0: return round ? next_random() % 32 : 0; /* one word, then one row of banks */
    case 1: return lane;
    case 2: return (lane & 1) * 32; /* two words of one bank */
    case 3: return lane % (4 << round);
    case 4: return next_random() % (8 << round);
    case 5: return next_random() % WORDS;
    case 6: return next_random() % 32 * 32; /* one bank */
    case 7: {
        int high = next_random() % 4 * 16;
        return high + next_random() % 3;
    }
    case 8: return lane / 2;
    case 9: return lane * 2;
    case 10: return next_random() % 2 * 33 + (lane & 3);
    default: return next_random() % 64;
    }
}

static unsigned mask_of(int kind, int round)
{
    if (round == 1) return next_random() | 1;
    if (round == 2 && kind > 4) return 0xffff;
    if (round == 3 && kind > 6) return 0xff0000ff;
    return 0xffffffff;
}

int main(int argc, char **argv)
{
    int patterns = argc > 1 ? atoi(argv[1]) : 48, *device;
    void *out;
    FILE *f = fopen("patterns.csv", "w");
    if (!f) return 1;
    cudaMalloc(&device, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(u64));
    for (int p = 0; p < patterns; p++) {
        int word[32];
        for (int i = 0; i < 32; i++) word[i] = word_of(p % 12, p / 12, i);
        unsigned mask = mask_of(p % 12, p / 12);
        fprintf(f, "%d,%#x", p, mask);
        for (int i = 0; i < 32; i++) fprintf(f, ",%d", word[i]);
        fprintf(f, "\n");
        cudaMemcpy(device, word, sizeof word, cudaMemcpyHostToDevice);
        red_f32<<<1, 32>>>(device, mask, (float *)out);
        atom_f32<<<1, 32>>>(device, mask, (float *)out);
        red_f64<<<1, 32>>>(device, mask, (double *)out);
        red_u64<<<1, 32>>>(device, mask, (u64 *)out);
    }
    fclose(f);
    return cudaDeviceSynchronize();
}
