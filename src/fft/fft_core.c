/* Plans and the calls that execute them. A plan's handle is its number. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "face/face.h"
#include "fft/fft_entry.h"

#define VERSION 12000 /* of cuFFT: 12.0.0, of CUDA 13.0 */

static const char *status_name(int status)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {
        {FFT_OK, "CUFFT_SUCCESS"},
        {FFT_INVALID_PLAN, "CUFFT_INVALID_PLAN"},
        {FFT_ALLOC_FAILED, "CUFFT_ALLOC_FAILED"},
        {FFT_INVALID_TYPE, "CUFFT_INVALID_TYPE"},
        {FFT_INVALID_VALUE, "CUFFT_INVALID_VALUE"},
        {FFT_EXEC_FAILED, "CUFFT_EXEC_FAILED"},
        {FFT_SETUP_FAILED, "CUFFT_SETUP_FAILED"},
        {FFT_INVALID_SIZE, "CUFFT_INVALID_SIZE"},
        {FFT_INVALID_DEVICE, "CUFFT_INVALID_DEVICE"},
        {FFT_NOT_IMPLEMENTED, "CUFFT_NOT_IMPLEMENTED"},
        {FFT_NOT_SUPPORTED, "CUFFT_NOT_SUPPORTED"},
    };
    for (size_t i = 0; i < LW_COUNT(names); i++)
        if (names[i].status == status) return names[i].name;
    return "unrecognized error code";
}

static const face_library library = {"lw_cufft_", status_name, FFT_NOT_SUPPORTED, FFT_EXEC_FAILED};
int fft_end_call(int status, const char *function) { return face_library_end(&library, status, function); }
int fft_unsupported(const char *function)
{
    return fft_end_call(face_library_unsupported(&library, function), function);
}

/* As NVIDIA's shared library on an H200: callbacks in device code are for the static one. */
FFT(cufftXtSetCallback)(int handle, void **routines, int type, void **infos)
{
    static const face_library callbacks = {"lw_cufft_", status_name, FFT_NOT_IMPLEMENTED, FFT_EXEC_FAILED};
    (void)handle, (void)routines, (void)type, (void)infos;
    return fft_end(face_library_unsupported(&callbacks, __func__));
}

/* ---------------------------------------------------------------- handles */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fft_plan **plans; /* by handle - 1; NULL: destroyed */
static int plan_count;

static int add_plan(void)
{
    fft_plan *plan = lw_alloc(sizeof *plan);
    pthread_mutex_lock(&lock);
    plans = lw_realloc(plans, ((size_t)plan_count + 1) * sizeof *plans);
    plans[plan_count++] = plan;
    int handle = plan_count;
    pthread_mutex_unlock(&lock);
    return handle;
}

fft_plan *fft_find_plan(int handle)
{
    pthread_mutex_lock(&lock);
    fft_plan *plan = handle > 0 && handle <= plan_count ? plans[handle - 1] : NULL;
    pthread_mutex_unlock(&lock);
    return plan;
}

FFT(cufftCreate)(int *out)
{
    if (!out) return fft_end(FFT_INVALID_VALUE);
    *out = add_plan();
    return FFT_OK;
}

FFT(cufftDestroy)(int handle)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan) return fft_end(FFT_INVALID_PLAN);
    pthread_mutex_lock(&lock);
    plans[handle - 1] = NULL;
    pthread_mutex_unlock(&lock);
    free(plan);
    return FFT_OK;
}

FFT(cufftSetStream)(int handle, void *stream)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan) return fft_end(FFT_INVALID_PLAN);
    plan->stream = stream;
    return FFT_OK;
}

/* ---------------------------------------------------------------- sizes */
typedef struct sizes {
    int rank;
    int64_t n[FFT_MAX_RANK];
    const int64_t *in_embed, *out_embed; /* NULL: packed */
    int64_t in_stride, in_distance, out_stride, out_distance, batch;
    int type;
} sizes;

static bool known_type(int type)
{
    int kind = type & ~FFT_DOUBLE;
    return kind == FFT_C2C || kind == FFT_R2C || kind == FFT_C2R;
}

/* A side that is packed: `last` elements in the fastest dimension. */
static fft_layout packed(const sizes *s, int64_t last)
{
    fft_layout out = {.stride = 1, .distance = 1};
    for (int i = 0; i < s->rank; i++) {
        out.embed[i] = i == s->rank - 1 ? last : s->n[i];
        out.distance *= out.embed[i];
    }
    return out;
}

static fft_layout embedded(const sizes *s, const int64_t *embed, int64_t stride, int64_t distance)
{
    fft_layout out = {.stride = stride, .distance = distance};
    memcpy(out.embed, embed, (size_t)s->rank * sizeof *embed);
    return out;
}

static int make_plan(fft_plan *plan, const sizes *s)
{
    if (s->rank < 1 || s->rank > FFT_MAX_RANK) return FFT_INVALID_VALUE;
    if (!known_type(s->type)) return FFT_INVALID_TYPE;
    for (int i = 0; i < s->rank; i++)
        if (s->n[i] <= 0) return FFT_INVALID_SIZE;
    if (s->batch <= 0) return FFT_INVALID_SIZE;
    if (!fft_host_available(s->type & FFT_DOUBLE)) return FFT_SETUP_FAILED;
    int kind = s->type & ~FFT_DOUBLE;
    int64_t full = s->n[s->rank - 1], half = full / 2 + 1;
    fft_plan made = {.rank = s->rank, .batch = s->batch, .type = s->type, .stream = plan->stream};
    made.devices = plan->devices;
    memcpy(made.device, plan->device, sizeof made.device);
    memcpy(made.n, s->n, sizeof made.n);
    made.basic = !s->in_embed || !s->out_embed;
    made.in =
        made.basic ? packed(s, kind == FFT_C2R ? half : full) : embedded(s, s->in_embed, s->in_stride, s->in_distance);
    made.out = made.basic ? packed(s, kind == FFT_R2C ? half : full)
                          : embedded(s, s->out_embed, s->out_stride, s->out_distance);
    *plan = made;
    return FFT_OK;
}

/* In place, a packed real side has room for the complex one: two more numbers in the fastest dimension, or one. */
static void pad_real_side(fft_plan *p)
{
    int kind = p->type & ~FFT_DOUBLE;
    if (!p->basic || kind == FFT_C2C) return;
    fft_layout *real = kind == FFT_R2C ? &p->in : &p->out;
    real->embed[p->rank - 1] = 2 * (p->n[p->rank - 1] / 2 + 1);
    real->distance = 1;
    for (int i = 0; i < p->rank; i++) real->distance *= real->embed[i];
}

static sizes simple(int rank, int64_t x, int64_t y, int64_t z, int type, int64_t batch)
{
    return (sizes){.rank = rank, .n = {x, y, z}, .type = type, .batch = batch};
}

/* What cufftPlanMany() and its like are given; embed: room for the sizes as 64-bit numbers. */
#define MANY(T)                                                                                                        \
    int rank, const T *n, const T *in_embed, T in_stride, T in_distance, const T *out_embed, T out_stride,             \
        T out_distance, int type, T batch
#define READ_MANY(s)                                                                                                   \
    sizes s = {.rank = rank,                                                                                           \
               .in_stride = in_stride,                                                                                 \
               .in_distance = in_distance,                                                                             \
               .out_stride = out_stride,                                                                               \
               .out_distance = out_distance,                                                                           \
               .type = type,                                                                                           \
               .batch = batch};                                                                                        \
    int64_t embeds[2][FFT_MAX_RANK] = {{0}};                                                                           \
    for (int i = 0; i < rank && i < FFT_MAX_RANK && n; i++) {                                                          \
        s.n[i] = n[i];                                                                                                 \
        embeds[0][i] = in_embed ? in_embed[i] : 0;                                                                     \
        embeds[1][i] = out_embed ? out_embed[i] : 0;                                                                   \
    }                                                                                                                  \
    s.in_embed = in_embed ? embeds[0] : NULL;                                                                          \
    s.out_embed = out_embed ? embeds[1] : NULL

static int plan_of(int *out, const sizes *s, const char *function)
{
    if (!out) return fft_end_call(FFT_INVALID_VALUE, function);
    fft_plan made = {0};
    int status = make_plan(&made, s);
    if (status) return fft_end_call(status, function);
    *out = add_plan();
    *fft_find_plan(*out) = made;
    return FFT_OK;
}

static int make_of(int handle, const sizes *s, size_t *work, const char *function)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan) return fft_end_call(FFT_INVALID_PLAN, function);
    for (int i = 0; work && i < LW_MAX(plan->devices, 1); i++) work[i] = 0; /* bytes of work area: none is needed */
    return fft_end_call(make_plan(plan, s), function);
}

static int size_of(const sizes *s, size_t *work, const char *function)
{
    fft_plan unused = {0};
    if (!work) return fft_end_call(FFT_INVALID_VALUE, function);
    *work = 0;
    return fft_end_call(make_plan(&unused, s), function);
}

FFT(cufftPlan1d)(int *out, int x, int type, int batch)
{
    sizes s = simple(1, x, 0, 0, type, batch);
    return plan_of(out, &s, __func__);
}
FFT(cufftPlan2d)(int *out, int x, int y, int type)
{
    sizes s = simple(2, x, y, 0, type, 1);
    return plan_of(out, &s, __func__);
}
FFT(cufftPlan3d)(int *out, int x, int y, int z, int type)
{
    sizes s = simple(3, x, y, z, type, 1);
    return plan_of(out, &s, __func__);
}
FFT(cufftPlanMany)(int *out, MANY(int))
{
    READ_MANY(s);
    return plan_of(out, &s, __func__);
}

/* Three families take the same sizes: to make a plan, to ask for its work area, and to estimate it. */
#define FAMILY(suffix, rank, x, y, z, batch, ...)                                                                      \
    FFT(cufftMakePlan##suffix)(int handle, __VA_ARGS__, size_t *work)                                                  \
    {                                                                                                                  \
        sizes s = simple(rank, x, y, z, type, batch);                                                                  \
        return make_of(handle, &s, work, __func__);                                                                    \
    }                                                                                                                  \
    FFT(cufftGetSize##suffix)(int handle, __VA_ARGS__, size_t *work)                                                   \
    {                                                                                                                  \
        sizes s = simple(rank, x, y, z, type, batch);                                                                  \
        return fft_find_plan(handle) ? size_of(&s, work, __func__) : fft_end(FFT_INVALID_PLAN);                        \
    }                                                                                                                  \
    FFT(cufftEstimate##suffix)(__VA_ARGS__, size_t *work)                                                              \
    {                                                                                                                  \
        sizes s = simple(rank, x, y, z, type, batch);                                                                  \
        return size_of(&s, work, __func__);                                                                            \
    }
FAMILY(1d, 1, x, 0, 0, batch, int x, int type, int batch)
FAMILY(2d, 2, x, y, 0, 1, int x, int y, int type)
FAMILY(3d, 3, x, y, z, 1, int x, int y, int z, int type)

#define FAMILY_MANY(suffix, T)                                                                                         \
    FFT(cufftMakePlan##suffix)(int handle, MANY(T), size_t *work)                                                      \
    {                                                                                                                  \
        READ_MANY(s);                                                                                                  \
        return make_of(handle, &s, work, __func__);                                                                    \
    }                                                                                                                  \
    FFT(cufftGetSize##suffix)(int handle, MANY(T), size_t *work)                                                       \
    {                                                                                                                  \
        READ_MANY(s);                                                                                                  \
        return fft_find_plan(handle) ? size_of(&s, work, __func__) : fft_end(FFT_INVALID_PLAN);                        \
    }
FAMILY_MANY(Many, int)
FAMILY_MANY(Many64, long long)
FFT(cufftEstimateMany)(MANY(int), size_t *work)
{
    READ_MANY(s);
    return size_of(&s, work, __func__);
}

/* cufftXt names the types of both sides and of the computation; the combinations that the six types mean. */
static int type_of(int in, int out, int computed)
{
    enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 }; /* cudaDataType */
    bool is_double = computed == C_64F;
    int real = is_double ? R_64F : R_32F, complex = is_double ? C_64F : C_32F, bit = is_double ? FFT_DOUBLE : 0;
    if (computed != C_32F && computed != C_64F) return 0;
    if (in == complex && out == complex) return FFT_C2C | bit;
    if (in == real && out == complex) return FFT_R2C | bit;
    return in == complex && out == real ? FFT_C2R | bit : 0;
}
#define MANY_XT                                                                                                        \
    int rank, const long long *n, const long long *in_embed, long long in_stride, long long in_distance, int in_type,  \
        const long long *out_embed, long long out_stride, long long out_distance, int out_type, long long batch
FFT(cufftXtMakePlanMany)(int handle, MANY_XT, size_t *work, int computed)
{
    int type = type_of(in_type, out_type, computed);
    if (!type) return fft_unsupported(__func__); /* half precision */
    READ_MANY(s);
    return make_of(handle, &s, work, __func__);
}
FFT(cufftXtGetSizeMany)(int handle, MANY_XT, size_t *work, int computed)
{
    int type = type_of(in_type, out_type, computed);
    if (!type) return fft_unsupported(__func__);
    READ_MANY(s);
    return fft_find_plan(handle) ? size_of(&s, work, __func__) : fft_end(FFT_INVALID_PLAN);
}

FFT(cufftGetSize)(int handle, size_t *work)
{
    if (!fft_find_plan(handle) || !work) return fft_end(FFT_INVALID_PLAN);
    *work = 0;
    return FFT_OK;
}

/* ---------------------------------------------------------------- settings */
FFT(cufftSetWorkArea)(int handle, void *area)
{
    (void)area;
    return fft_find_plan(handle) ? FFT_OK : fft_end(FFT_INVALID_PLAN);
}
FFT(cufftSetAutoAllocation)(int handle, int on)
{
    (void)on;
    return fft_find_plan(handle) ? FFT_OK : fft_end(FFT_INVALID_PLAN);
}
FFT(cufftGetVersion)(int *out)
{
    if (!out) return fft_end(FFT_INVALID_VALUE);
    *out = VERSION;
    return FFT_OK;
}
FFT(cufftGetProperty)(int which, int *out)
{
    static const int version[] = {VERSION / 1000, VERSION / 100 % 10, VERSION % 100};
    if (!out || which < 0 || which >= (int)LW_COUNT(version)) return fft_end(FFT_INVALID_VALUE);
    *out = version[which];
    return FFT_OK;
}

/* ---------------------------------------------------------------- transforms */
int fft_execute(int handle, int type, const void *in, void *out, int direction, const char *function)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan || !plan->rank) return fft_end_call(FFT_INVALID_PLAN, function);
    bool opposite = (plan->type ^ type) == (FFT_R2C ^ FFT_C2R) && (plan->type & 3) != 1;
    if (opposite) return fft_end_call(FFT_INVALID_VALUE, function); /* any other call does what the plan says */
    if (direction != FFT_FORWARD && direction != FFT_INVERSE) return fft_end_call(FFT_INVALID_VALUE, function);
    fft_call call = {*plan, direction, (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out};
    if (in == out) pad_real_side(&call.plan);
    return face_library_put(&library, function, plan->stream, fft_run, &call, sizeof call, false);
}

#define EXECUTE_COMPLEX(name, type)                                                                                    \
    FFT(name)(int handle, const void *in, void *out, int direction)                                                    \
    {                                                                                                                  \
        return fft_execute(handle, type, in, out, direction, __func__);                                                \
    }
#define EXECUTE_REAL(name, type, direction)                                                                            \
    FFT(name)(int handle, const void *in, void *out) { return fft_execute(handle, type, in, out, direction, __func__); }
EXECUTE_COMPLEX(cufftExecC2C, FFT_C2C)
EXECUTE_COMPLEX(cufftExecZ2Z, FFT_C2C | FFT_DOUBLE)
EXECUTE_REAL(cufftExecR2C, FFT_R2C, FFT_FORWARD)
EXECUTE_REAL(cufftExecD2Z, FFT_R2C | FFT_DOUBLE, FFT_FORWARD)
EXECUTE_REAL(cufftExecC2R, FFT_C2R, FFT_INVERSE)
EXECUTE_REAL(cufftExecZ2D, FFT_C2R | FFT_DOUBLE, FFT_INVERSE)
FFT(cufftXtExec)(int handle, const void *in, void *out, int direction)
{
    fft_plan *plan = fft_find_plan(handle);
    int kind = plan ? plan->type & ~FFT_DOUBLE : 0;
    if (kind == FFT_R2C) direction = FFT_FORWARD; /* as these types have but one */
    if (kind == FFT_C2R) direction = FFT_INVERSE;
    return fft_execute(handle, plan ? plan->type : 0, in, out, direction, __func__);
}
