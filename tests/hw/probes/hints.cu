/* hints: what L2 and L1 still have of an array when another one has gone through them, by what loads and stores say of how long that is needed.
 *
 *   hints L2 < CASES   a case: KEPT loads|stores MIB AGAIN PASSED loads|stores MIB LIMIT. keep() goes through the first array as KEPT says, and,
 *                      unless it is -, as AGAIN says; pass() goes through the second; check() loads the first again. LIMIT: MiB of L2 that may persist
 *   hints L1 < CASES   a case: FIRST KIB SECOND KIB. again(), of one block a multiprocessor, loads one array, another, and the first again.
 *                      The second of 0 KiB: the first itself
 *
 * Each case is written to standard output. What a profiler counts of check() and again() goes beside it (tests/hw/h200-hints.csv). */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum hint { NORMAL, LAST, FIRST, UNCHANGED, CS, CG, LU, NO_ALLOCATE, L1_FIRST, L1_LAST, L1_UNCHANGED, NC, WINDOW, STREAMING_WINDOW, HINTS };
static const char *const names[HINTS] = {"normal", "last", "first", "unchanged", "cs", "cg", "lu", "no_allocate", "l1_first", "l1_last",
                                         "l1_unchanged", "nc_no_allocate", "window", "streaming_window"};

#define LOAD(how) asm volatile("ld.global" how ".f32 %0, [%1];" : "=f"(x) : "l"(p))
#define STORE(how) asm volatile("st.global" how ".f32 [%0], %1;" ::"l"(p), "f"(x))

__device__ float load(int hint, const float *p, uint64_t policy)
{
    float x;
    switch (hint) {
    case LAST:
    case FIRST:
    case UNCHANGED: asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(p), "l"(policy)); break;
    case CS: LOAD(".cs"); break;
    case CG: LOAD(".cg"); break;
    case LU: LOAD(".lu"); break;
    case NO_ALLOCATE: LOAD(".L1::no_allocate"); break;
    case L1_FIRST: LOAD(".L1::evict_first"); break;
    case L1_LAST: LOAD(".L1::evict_last"); break;
    case L1_UNCHANGED: LOAD(".L1::evict_unchanged"); break;
    case NC: LOAD(".nc.L1::no_allocate"); break;
    default: LOAD(""); break;
    }
    return x;
}

__device__ void store(int hint, float *p, float x, uint64_t policy)
{
    switch (hint) {
    case LAST:
    case FIRST:
    case UNCHANGED: asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(p), "f"(x), "l"(policy)); break;
    case CS: STORE(".cs"); break;
    case CG: STORE(".cg"); break;
    case NO_ALLOCATE: STORE(".L1::no_allocate"); break;
    case L1_FIRST: STORE(".L1::evict_first"); break;
    default: STORE(""); break;
    }
}

__device__ uint64_t policy_of(int hint)
{
    uint64_t policy = 0;
    if (hint == LAST) asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (hint == FIRST) asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (hint == UNCHANGED) asm volatile("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

__device__ void go_through(float *a, float *out, int hint, bool stores)
{
    float *p = a + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (stores) store(hint, p, 1.f, policy_of(hint));
    else if (load(hint, p, policy_of(hint)) == 12345.f) *out = 1;
}

__global__ void keep(float *a, float *out, int hint, bool stores) { go_through(a, out, hint, stores); }
__global__ void pass(float *b, float *out, int hint, bool stores) { go_through(b, out, hint, stores); }
__global__ void check(float *a, float *out) { go_through(a, out, NORMAL, false); }

__global__ void again(const float *a, unsigned kept, int hint, const float *b, unsigned passed, int other, float *out)
{
    float x = 0;
    if (!passed) b = a;
    if (!passed) passed = kept;
    a += blockIdx.x * (size_t)kept;
    b += blockIdx.x * (size_t)passed;
    for (unsigned k = threadIdx.x; k < kept; k += blockDim.x) x += load(hint, a + k, policy_of(hint));
    __syncthreads();
    for (unsigned k = threadIdx.x; k < passed; k += blockDim.x) x += load(other, b + k, policy_of(other));
    __syncthreads();
    for (unsigned k = threadIdx.x; k < kept; k += blockDim.x) x += load(NORMAL, a + k, 0);
    if (x == 12345.f) *out = x;
}

static int hint_of(const char *name)
{
    for (int k = 0; k < HINTS; k++)
        if (!strcmp(name, names[k])) return k;
    fprintf(stderr, "hints: no hint is called '%s'\n", name);
    exit(2);
}

/* Accesses to this memory persist, or stream, or are as they are. */
static void set_window(float *a, size_t mib, int hint)
{
    cudaStreamAttrValue value;
    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.base_ptr = a;
    value.accessPolicyWindow.num_bytes = hint >= WINDOW ? mib << 20 : 0;
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = hint == WINDOW ? cudaAccessPropertyPersisting : cudaAccessPropertyStreaming;
    value.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value);
}

typedef void (*kernel)(float *, float *, int, bool);

static void launch(kernel k, float *a, float *out, int mib, int hint, bool stores)
{
    set_window(a, (size_t)mib, hint);
    k<<<mib << 10, 256>>>(a, out, hint, stores);
    set_window(a, 0, NORMAL);
}

static bool try_l2(float *a, float *b, float *rest, size_t rest_bytes)
{
    char kept[32], kept_kind[32], second[32], passed[32], kind[32];
    int kept_mib, mib, limit;
    if (scanf("%31s %31s %d %31s %31s %31s %d %d", kept, kept_kind, &kept_mib, second, passed, kind, &mib, &limit) != 8) return false;
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)limit << 20);
    cudaCtxResetPersistingL2Cache();
    cudaMemset(rest, 0, rest_bytes);
    launch(keep, a, rest, kept_mib, hint_of(kept), !strcmp(kept_kind, "stores"));
    if (strcmp(second, "-")) launch(keep, a, rest, kept_mib, hint_of(second), false);
    launch(pass, b, rest, mib, hint_of(passed), !strcmp(kind, "stores"));
    check<<<kept_mib << 10, 256>>>(a, rest);
    cudaDeviceSynchronize();
    printf("%s,%s,%d,%s,%s,%s,%d,%d\n", kept, kept_kind, kept_mib, second, passed, kind, mib, limit);
    return true;
}

static bool try_l1(float *a, float *b, float *rest)
{
    char first[32], second[32];
    int kib, other_kib, sms = 0;
    if (scanf("%31s %d %31s %d", first, &kib, second, &other_kib) != 4) return false;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    again<<<sms, 256>>>(a, (unsigned)kib << 8, hint_of(first), b, (unsigned)other_kib << 8, hint_of(second), rest);
    cudaDeviceSynchronize();
    printf("%s,%d,%s,%d\n", first, kib, second, other_kib);
    return true;
}

int main(int argc, char **argv)
{
    const size_t most = (size_t)256 << 20;
    float *a, *b, *rest;
    if (argc != 2 || cudaMalloc(&a, most) || cudaMalloc(&b, most) || cudaMalloc(&rest, most)) return 2;
    cudaMemset(a, 0, most);
    cudaMemset(b, 0, most);
    bool l1 = !strcmp(argv[1], "L1");
    while (l1 ? try_l1(a, b, rest) : try_l2(a, b, rest, most)) continue;
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
