/* Generators, their settings, and the calls that fill memory. */
#include <stdlib.h>
#include <string.h>

#include "face/face.h"
#include "rand/rand.h"

#define MAGIC 0x6c777264u
#define VERSION 10400 /* of cuRAND: 10.4.0, of CUDA 13.0 */
#define RAND(name) int lw_curand_##name
#define rand_end(status) rand_end_call(status, __func__)

static const char *status_name(int status)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {
        {RAND_OK, "CURAND_STATUS_SUCCESS"},
        {RAND_NOT_INITIALIZED, "CURAND_STATUS_NOT_INITIALIZED"},
        {RAND_TYPE_ERROR, "CURAND_STATUS_TYPE_ERROR"},
        {RAND_OUT_OF_RANGE, "CURAND_STATUS_OUT_OF_RANGE"},
        {RAND_LENGTH_NOT_MULTIPLE, "CURAND_STATUS_LENGTH_NOT_MULTIPLE"},
        {RAND_LAUNCH_FAILURE, "CURAND_STATUS_LAUNCH_FAILURE"},
        {RAND_INITIALIZATION_FAILED, "CURAND_STATUS_INITIALIZATION_FAILED"},
        {RAND_NOT_SUPPORTED, "CURAND_STATUS_INTERNAL_ERROR"},
    };
    for (size_t i = 0; i < LW_COUNT(names); i++)
        if (names[i].status == status) return names[i].name;
    return "unrecognized error code";
}

static const face_library library = {"lw_curand_", status_name, RAND_NOT_SUPPORTED, RAND_LAUNCH_FAILURE};
static int rand_end_call(int status, const char *function) { return face_library_end(&library, status, function); }

int rand_unsupported(const char *function)
{
    return rand_end_call(face_library_unsupported(&library, function), function);
}

/* ---------------------------------------------------------------- generators */
static bool valid(const rand_generator *g) { return g && g->magic == MAGIC; }

static int create(rand_generator **out, int type, bool on_host, const char *function)
{
    if (!out) return rand_end_call(RAND_NOT_INITIALIZED, function);
    const rand_engine *engine = rand_engine_find(type);
    if (!engine) return rand_end_call(RAND_TYPE_ERROR, function);
    if (engine->scrambled && !rand_tables_find()) return rand_end_call(RAND_INITIALIZATION_FAILED, function);
    rand_generator *g = lw_alloc(sizeof *g);
    *g = (rand_generator){.magic = MAGIC, .on_host = on_host, .dimensions = 1, .reset = true, .engine = engine};
    g->states = lw_alloc(engine->streams * engine->state_bytes);
    *out = g;
    return RAND_OK;
}
RAND(curandCreateGenerator)(rand_generator **out, int type) { return create(out, type, false, __func__); }
RAND(curandCreateGeneratorHost)(rand_generator **out, int type) { return create(out, type, true, __func__); }

RAND(curandDestroyGenerator)(rand_generator *g)
{
    if (!valid(g)) return rand_end(RAND_NOT_INITIALIZED);
    host_synchronize(host_get());
    g->magic = 0;
    free(g->states);
    free(g);
    return RAND_OK;
}

RAND(curandGetVersion)(int *out)
{
    if (!out) return rand_end(RAND_OUT_OF_RANGE);
    *out = VERSION;
    return RAND_OK;
}

RAND(curandGetProperty)(int which, int *out)
{
    static const int version[] = {VERSION / 1000, VERSION / 100 % 10, VERSION % 100};
    if (!out || which < 0 || which >= (int)LW_COUNT(version)) return rand_end(RAND_OUT_OF_RANGE);
    *out = version[which];
    return RAND_OK;
}

RAND(curandSetStream)(rand_generator *g, void *stream)
{
    if (!valid(g)) return rand_end(RAND_NOT_INITIALIZED);
    g->stream = stream;
    return RAND_OK;
}

RAND(curandSetPseudoRandomGeneratorSeed)(rand_generator *g, unsigned long long seed)
{
    if (!valid(g)) return rand_end(RAND_NOT_INITIALIZED);
    if (g->engine->quasi) return rand_end(RAND_TYPE_ERROR);
    g->seed = seed;
    g->reset = true;
    return RAND_OK;
}

RAND(curandSetGeneratorOffset)(rand_generator *g, unsigned long long offset)
{
    if (!valid(g)) return rand_end(RAND_NOT_INITIALIZED);
    g->offset = offset;
    g->reset = true;
    return RAND_OK;
}

RAND(curandSetGeneratorOrdering)(rand_generator *g, int order)
{
    enum { PSEUDO_BEST = 100, PSEUDO_DYNAMIC = 104, QUASI_DEFAULT = 201 };
    if (!valid(g)) return rand_end(RAND_NOT_INITIALIZED);
    bool pseudo = order >= PSEUDO_BEST && order <= PSEUDO_DYNAMIC;
    if (!pseudo && order != QUASI_DEFAULT) return rand_end(RAND_OUT_OF_RANGE);
    return pseudo == g->engine->quasi ? rand_end(RAND_OUT_OF_RANGE) : RAND_OK; /* one order of each generator here */
}

RAND(curandSetQuasiRandomGeneratorDimensions)(rand_generator *g, unsigned dimensions)
{
    if (!valid(g)) return rand_end(RAND_NOT_INITIALIZED);
    if (!g->engine->quasi) return rand_end(RAND_TYPE_ERROR);
    if (!dimensions || dimensions > RAND_TABLE_DIMENSIONS) return rand_end(RAND_OUT_OF_RANGE);
    if (dimensions > RAND_SOBOL_DIMENSIONS && !rand_tables_find()) return rand_end(RAND_INITIALIZATION_FAILED);
    g->dimensions = dimensions;
    g->reset = true;
    return RAND_OK;
}

RAND(curandGenerateSeeds)(rand_generator *g) { return valid(g) ? RAND_OK : rand_end(RAND_NOT_INITIALIZED); }

/* ---------------------------------------------------------------- tables for device code */
/* In memory of the host. set: the first of two numbers is that of the plain vectors, the second of the scrambled ones. */
#define VECTORS(name, type, plain, scrambled, first)                                                                   \
    RAND(name)(const type **out, int set)                                                                              \
    {                                                                                                                  \
        if (!out || set < (first) || set > (first) + 1) return rand_end(RAND_OUT_OF_RANGE);                            \
        const rand_tables *t = rand_tables_find();                                                                     \
        if (!t) return rand_end(RAND_INITIALIZATION_FAILED);                                                           \
        *out = set == (first) ? (const type *)t->plain : (const type *)t->scrambled;                                   \
        return RAND_OK;                                                                                                \
    }
VECTORS(curandGetDirectionVectors32, uint32_t, vectors_32, scrambled_32, 101)
VECTORS(curandGetDirectionVectors64, uint64_t, vectors_64, scrambled_64, 103)

#define CONSTANTS(name, type, field)                                                                                   \
    RAND(name)(const type **out)                                                                                       \
    {                                                                                                                  \
        if (!out) return rand_end(RAND_OUT_OF_RANGE);                                                                  \
        const rand_tables *t = rand_tables_find();                                                                     \
        if (!t) return rand_end(RAND_INITIALIZATION_FAILED);                                                           \
        *out = t->field;                                                                                               \
        return RAND_OK;                                                                                                \
    }
CONSTANTS(curandGetScrambleConstants32, uint32_t, constants_32)
CONSTANTS(curandGetScrambleConstants64, uint64_t, constants_64)

/* ---------------------------------------------------------------- filling memory */
typedef struct fill_args {
    rand_generator *generator;
    rand_wish wish;
    uint64_t to, count;
    bool reset;
    uint64_t seed, offset; /* where it begins again */
} fill_args;

static void fill_memory(const fill_args *a, void *to)
{
    rand_generator *g = a->generator;
    if (a->reset) {
        g->cursor = (unsigned)(a->offset / g->engine->lanes % g->engine->streams);
        g->engine->start(g, a->seed, a->offset);
    }
    rand_fill(g, &a->wish, to, a->count);
}

static void run_fill(host_library *l, const void *args)
{
    const fill_args *a = args;
    uint64_t bytes = a->count * rand_kind_bytes(a->wish.kind);
    void *to = host_library_use(l, (host_library_memory){a->to, bytes, 1, bytes}, HOST_LIBRARY_WRITES);
    if (to) fill_memory(a, to);
}

static int fill(rand_generator *g, const rand_wish *wish, void *to, size_t count, const char *function)
{
    if (!valid(g)) return rand_end_call(RAND_NOT_INITIALIZED, function);
    bool quasi = g->engine->quasi;
    bool pairs = wish->kind >= RAND_NORMAL && wish->kind <= RAND_LOG_NORMAL_DOUBLE && !g->engine->odd_normals;
    if ((quasi && count % g->dimensions) || (pairs && !quasi && count % 2))
        return rand_end_call(RAND_LENGTH_NOT_MULTIPLE, function);
    bool is_64 = wish->kind == RAND_BITS_64;
    if (is_64 != (quasi && g->engine->bits == 64) && (is_64 || wish->kind == RAND_BITS_32))
        return rand_end_call(RAND_TYPE_ERROR, function);
    fill_args args = {g, *wish, (uint64_t)(uintptr_t)to, count, g->reset, g->seed, g->offset};
    g->reset = false;
    if (!g->on_host) return face_library_put(&library, function, g->stream, run_fill, &args, sizeof args, false);
    fill_memory(&args, to);
    return RAND_OK;
}

#define FILL(name, type, wished)                                                                                       \
    RAND(name)(rand_generator * g, type * to, size_t count)                                                            \
    {                                                                                                                  \
        return fill(g, &(rand_wish){.kind = (wished)}, to, count, __func__);                                           \
    }
FILL(curandGenerate, uint32_t, RAND_BITS_32)
FILL(curandGenerateLongLong, uint64_t, RAND_BITS_64)
FILL(curandGenerateUniform, float, RAND_UNIFORM)
FILL(curandGenerateUniformDouble, double, RAND_UNIFORM_DOUBLE)

#define FILL_NORMAL(name, type, wished)                                                                                \
    RAND(name)(rand_generator * g, type * to, size_t count, type mean, type deviation)                                 \
    {                                                                                                                  \
        return fill(g, &(rand_wish){wished, (double)mean, (double)deviation}, to, count, __func__);                    \
    }
FILL_NORMAL(curandGenerateNormal, float, RAND_NORMAL)
FILL_NORMAL(curandGenerateNormalDouble, double, RAND_NORMAL_DOUBLE)
FILL_NORMAL(curandGenerateLogNormal, float, RAND_LOG_NORMAL)
FILL_NORMAL(curandGenerateLogNormalDouble, double, RAND_LOG_NORMAL_DOUBLE)

static int fill_poisson(rand_generator *g, uint32_t *to, size_t count, double mean, const char *function)
{
    if (!(mean > 0) || mean > 4e9) return rand_end_call(RAND_OUT_OF_RANGE, function);
    return fill(g, &(rand_wish){.kind = RAND_POISSON, .mean = mean}, to, count, function);
}
RAND(curandGeneratePoisson)(rand_generator *g, uint32_t *to, size_t count, double mean)
{
    return fill_poisson(g, to, count, mean, __func__);
}
RAND(curandGeneratePoissonMethod)(rand_generator *g, uint32_t *to, size_t count, double mean, int method)
{
    (void)method;
    return fill_poisson(g, to, count, mean, __func__);
}
