/* cuBLASLt: handles, descriptors and their attributes. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "blas/blas_gemm.h"
#include "blas/blas_lt.h"
#include "face/face.h"

const face_library blas_lt_library = {"lw_cublasLt_", blas_status_name, BLAS_NOT_SUPPORTED, BLAS_EXECUTION_FAILED};
int blas_lt_end(int status, const char *function) { return face_library_end(&blas_lt_library, status, function); }

/* ---------------------------------------------------------------- attributes */
enum { /* cublasLtMatrixLayoutAttribute_t */
       LAYOUT_TYPE,
       LAYOUT_ORDER,
       LAYOUT_ROWS,
       LAYOUT_COLUMNS,
       LAYOUT_LD,
       LAYOUT_BATCH,
       LAYOUT_STRIDE,
       LAYOUT_PLANE,
       LAYOUT_BATCH_MODE
};

enum { /* cublasLtMatmulDescAttributes_t */
       PRODUCT_COMPUTE = 0,
       PRODUCT_SCALE = 1,
       PRODUCT_POINTER_MODE = 2,
       PRODUCT_OP_A = 3,
       PRODUCT_OP_B = 4,
       PRODUCT_OP_C = 5,
       PRODUCT_FILL = 6,
       PRODUCT_EPILOGUE = 7,
       PRODUCT_BIAS = 8,
       PRODUCT_BIAS_STRIDE = 10,
       PRODUCT_AUX = 11,
       PRODUCT_AUX_LD = 12,
       PRODUCT_AUX_STRIDE = 13,
       PRODUCT_SM_COUNT = 15,
       PRODUCT_SCALE_A = 17,
       PRODUCT_SCALE_B = 18,
       PRODUCT_SCALE_C = 19,
       PRODUCT_SCALE_D = 20,
       PRODUCT_LARGEST = 21,
       PRODUCT_AUX_TYPE = 22,
       PRODUCT_FAST_SUM = 25,
       PRODUCT_BIAS_TYPE = 26,
       PRODUCT_SCALE_MODES = 31, /* of A; then B, C, D, the auxiliary matrix */
       PRODUCT_OUT_SCALE_MODE = 37,
       PRODUCT_EMULATION = 38
};
_Static_assert(sizeof(blas_lt_layout) <= 64 && sizeof(blas_lt_product) <= 256 && sizeof(blas_lt_transform) <= 64,
               "room of the program's descriptors");

/* An attribute: where it stands in its descriptor. */
typedef struct attribute {
    int number;
    size_t offset, bytes;
} attribute;
#define LAYOUT(number, field) {number, offsetof(blas_lt_layout, field), sizeof(((blas_lt_layout *)0)->field)}
#define PRODUCT(number, field) {number, offsetof(blas_lt_product, field), sizeof(((blas_lt_product *)0)->field)}

static const attribute layout_attributes[] = {
    LAYOUT(LAYOUT_TYPE, type),       LAYOUT(LAYOUT_ORDER, order), LAYOUT(LAYOUT_ROWS, rows),
    LAYOUT(LAYOUT_COLUMNS, columns), LAYOUT(LAYOUT_LD, ld),       LAYOUT(LAYOUT_BATCH, batch),
    LAYOUT(LAYOUT_STRIDE, stride),   LAYOUT(LAYOUT_PLANE, plane), LAYOUT(LAYOUT_BATCH_MODE, pointers),
};
static const attribute product_attributes[] = {
    PRODUCT(PRODUCT_COMPUTE, compute),
    PRODUCT(PRODUCT_SCALE, scale),
    PRODUCT(PRODUCT_POINTER_MODE, pointer_mode),
    PRODUCT(PRODUCT_OP_A, op_a),
    PRODUCT(PRODUCT_OP_B, op_b),
    PRODUCT(PRODUCT_OP_C, op_c),
    PRODUCT(PRODUCT_EPILOGUE, epilogue),
    PRODUCT(PRODUCT_BIAS, bias),
    PRODUCT(PRODUCT_BIAS_STRIDE, bias_stride),
    PRODUCT(PRODUCT_AUX, aux),
    PRODUCT(PRODUCT_AUX_LD, aux_ld),
    PRODUCT(PRODUCT_AUX_STRIDE, aux_stride),
    PRODUCT(PRODUCT_SM_COUNT, sm_count),
    PRODUCT(PRODUCT_SCALE_A, scales[0]),
    PRODUCT(PRODUCT_SCALE_B, scales[1]),
    PRODUCT(PRODUCT_SCALE_C, scales[2]),
    PRODUCT(PRODUCT_SCALE_D, scales[3]),
    PRODUCT(PRODUCT_LARGEST, largest),
    PRODUCT(PRODUCT_AUX_TYPE, aux_type),
    PRODUCT(PRODUCT_FAST_SUM, fast_sum),
    PRODUCT(PRODUCT_BIAS_TYPE, bias_type),
    PRODUCT(PRODUCT_SCALE_MODES, scale_modes[0]),
    PRODUCT(PRODUCT_SCALE_MODES + 1, scale_modes[1]),
    PRODUCT(PRODUCT_SCALE_MODES + 2, scale_modes[2]),
    PRODUCT(PRODUCT_SCALE_MODES + 3, scale_modes[3]),
    PRODUCT(PRODUCT_SCALE_MODES + 4, scale_modes[4]),
    PRODUCT(PRODUCT_OUT_SCALE_MODE, scale_modes[5]),
    PRODUCT(PRODUCT_EMULATION, emulation),
};

#define TRANSFORM(number, field) {number, offsetof(blas_lt_transform, field), sizeof(((blas_lt_transform *)0)->field)}
static const attribute transform_attributes[] = {
    /* cublasLtMatrixTransformDescAttributes_t */
    TRANSFORM(0, scale),
    TRANSFORM(1, pointer_mode),
    TRANSFORM(2, op_a),
    TRANSFORM(3, op_b),
};

static int set_attribute(void *descriptor, const attribute *list, size_t count, int number, const void *from,
                         size_t bytes)
{
    if (!descriptor || !from) return BLAS_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (list[i].number != number) continue;
        if (bytes < list[i].bytes) return BLAS_INVALID_VALUE;
        memcpy((char *)descriptor + list[i].offset, from, list[i].bytes);
        return BLAS_OK;
    }
    return BLAS_NOT_SUPPORTED;
}

static int get_attribute(const void *descriptor, const attribute *list, size_t count, int number, void *to,
                         size_t bytes, size_t *written)
{
    if (!descriptor || (bytes && !to) || (!bytes && !written)) return BLAS_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (list[i].number != number) continue;
        if (written) *written = list[i].bytes;
        if (!bytes) return BLAS_OK;
        if (bytes < list[i].bytes) return BLAS_INVALID_VALUE;
        memcpy(to, (const char *)descriptor + list[i].offset, list[i].bytes);
        return BLAS_OK;
    }
    return BLAS_NOT_SUPPORTED;
}

LT(cublasLtMatrixLayoutSetAttribute)(blas_lt_layout *layout, int number, const void *from, size_t bytes)
{
    return lt_end(set_attribute(layout, layout_attributes, LW_COUNT(layout_attributes), number, from, bytes));
}
LT(cublasLtMatrixLayoutGetAttribute)(const blas_lt_layout *layout, int number, void *to, size_t bytes, size_t *written)
{
    return lt_end(get_attribute(layout, layout_attributes, LW_COUNT(layout_attributes), number, to, bytes, written));
}
LT(cublasLtMatrixTransformDescSetAttribute)(blas_lt_transform *t, int number, const void *from, size_t bytes)
{
    return lt_end(set_attribute(t, transform_attributes, LW_COUNT(transform_attributes), number, from, bytes));
}
LT(cublasLtMatrixTransformDescGetAttribute)(const blas_lt_transform *t, int number, void *to, size_t bytes,
                                            size_t *written)
{
    return lt_end(get_attribute(t, transform_attributes, LW_COUNT(transform_attributes), number, to, bytes, written));
}
LT(cublasLtMatmulDescSetAttribute)(blas_lt_product *product, int number, const void *from, size_t bytes)
{
    return lt_end(set_attribute(product, product_attributes, LW_COUNT(product_attributes), number, from, bytes));
}
LT(cublasLtMatmulDescGetAttribute)(const blas_lt_product *product, int number, void *to, size_t bytes, size_t *written)
{
    return lt_end(get_attribute(product, product_attributes, LW_COUNT(product_attributes), number, to, bytes, written));
}

/* ---------------------------------------------------------------- emulation */
#define EMULATION(number, field) {number, offsetof(blas_lt_emulation, field), sizeof(((blas_lt_emulation *)0)->field)}
static const attribute emulation_attributes[] = {
    /* cublasLtEmulationDescAttributes_t */
    EMULATION(0, strategy), EMULATION(1, special_values), EMULATION(2, control),
    EMULATION(3, bits),     EMULATION(4, offset),         EMULATION(5, used),
};

LT(cublasLtEmulationDescInit_internal)(blas_lt_emulation *e, size_t bytes)
{
    if (!e || bytes < sizeof *e) return lt_end(BLAS_INVALID_VALUE);
    *e = (blas_lt_emulation){.special_values = 0xffff};
    return BLAS_OK;
}
LT(cublasLtEmulationDescCreate)(blas_lt_emulation **out)
{
    if (!out) return lt_end(BLAS_INVALID_VALUE);
    *out = lw_alloc(sizeof **out);
    return lw_cublasLt_cublasLtEmulationDescInit_internal(*out, sizeof **out);
}
LT(cublasLtEmulationDescDestroy)(blas_lt_emulation *e)
{
    free(e);
    return BLAS_OK;
}
LT(cublasLtEmulationDescSetAttribute)(blas_lt_emulation *e, int number, const void *from, size_t bytes)
{
    return lt_end(set_attribute(e, emulation_attributes, LW_COUNT(emulation_attributes), number, from, bytes));
}
LT(cublasLtEmulationDescGetAttribute)(const blas_lt_emulation *e, int number, void *to, size_t bytes, size_t *written)
{
    return lt_end(get_attribute(e, emulation_attributes, LW_COUNT(emulation_attributes), number, to, bytes, written));
}

/* ---------------------------------------------------------------- algorithms: settings without effect, and what they can do */
#define SETTING(number, bytes) {number, (number) * sizeof(uint32_t), bytes}
static const attribute algorithm_attributes[] = {
    /* cublasLtMatmulAlgoConfigAttributes_t; shapes have 16 bits */
    SETTING(0, 4), SETTING(1, 4), SETTING(2, 4), SETTING(3, 4), SETTING(4, 4),
    SETTING(5, 4), SETTING(6, 4), SETTING(7, 2), SETTING(8, 2),
};

LT(cublasLtMatmulAlgoConfigSetAttribute)(blas_lt_algorithm *a, int number, const void *from, size_t bytes)
{
    return lt_end(set_attribute(a, algorithm_attributes, LW_COUNT(algorithm_attributes), number, from, bytes));
}
LT(cublasLtMatmulAlgoConfigGetAttribute)(const blas_lt_algorithm *a, int number, void *to, size_t bytes,
                                         size_t *written)
{
    return lt_end(get_attribute(a, algorithm_attributes, LW_COUNT(algorithm_attributes), number, to, bytes, written));
}

static bool types_known(int compute, int scale, const int types[4])
{
    blas_type work;
    int scalar;
    for (int i = 0; i < 4; i++)
        if (!blas_element_bytes(types[i])) return false;
    bool is_complex = types[3] == BLAS_C_32F || types[3] == BLAS_C_64F;
    return blas_element_bytes(scale) && blas_compute_type(compute, is_complex, &work, &scalar);
}

LT(cublasLtMatmulAlgoGetIds)(void *handle, int compute, int scale, int a, int b, int c, int d, int most, int *out,
                             int *out_count)
{
    const int types[4] = {a, b, c, d};
    if (!handle) return lt_end(BLAS_NOT_INITIALIZED);
    if (most <= 0 || !out || !out_count) return lt_end(BLAS_INVALID_VALUE);
    *out_count = 0;
    if (!types_known(compute, scale, types)) return lt_end(BLAS_NOT_SUPPORTED);
    out[(*out_count)++] = 0;
    return BLAS_OK;
}
LT(cublasLtMatmulAlgoInit)(void *handle, int compute, int scale, int a, int b, int c, int d, int id,
                           blas_lt_algorithm *out)
{
    const int types[4] = {a, b, c, d};
    if (!handle) return lt_end(BLAS_NOT_INITIALIZED);
    if (!out || id < 0) return lt_end(BLAS_INVALID_VALUE);
    if (!types_known(compute, scale, types)) return lt_end(BLAS_NOT_SUPPORTED);
    *out = (blas_lt_algorithm){.settings = {(uint32_t)id}};
    return BLAS_OK;
}

/* The one algorithm: no parts of k, tiles and stages of no known size, strides and pointers, any alignment. */
LT(cublasLtMatmulAlgoCapGetAttribute)(const blas_lt_algorithm *a, int number, void *to, size_t bytes, size_t *written)
{
    static const struct {
        int number;
        uint32_t value;
        uint32_t bytes;
    } abilities[] = {
        /* cublasLtMatmulAlgoCapAttributes_t */
        {0, 0, 4},  {1, 0, 4},  {2, 0, 4},  {3, 1, 4},     {4, 1, 4},  {5, 0, 4},  {6, 0, 4},
        {7, 0, 4},  {10, 1, 4}, {11, 3, 4}, {12, 0x7f, 4}, {13, 0, 4}, {14, 0, 4}, {15, 0, 8},
        {16, 1, 4}, {17, 1, 4}, {18, 1, 4}, {19, 1, 4},    {21, 1, 4}, {22, 0, 4},
    };
    if (!a || (bytes && !to) || (!bytes && !written)) return lt_end(BLAS_INVALID_VALUE);
    for (size_t i = 0; i < LW_COUNT(abilities); i++) {
        if (abilities[i].number != number) continue;
        if (written) *written = abilities[i].bytes;
        if (bytes && bytes < abilities[i].bytes) return lt_end(BLAS_INVALID_VALUE);
        if (bytes) memset(to, 0, abilities[i].bytes);
        if (bytes) memcpy(to, &abilities[i].value, sizeof abilities[i].value);
        return BLAS_OK;
    }
    return lt_end(BLAS_NOT_SUPPORTED);
}

/* ---------------------------------------------------------------- handles and descriptors */
LT(cublasLtCreate)(void **out)
{
    if (!out) return lt_end(BLAS_INVALID_VALUE);
    if (!blas_host_available()) return lt_end(BLAS_NOT_INITIALIZED);
    *out = lw_alloc(1);
    return BLAS_OK;
}
LT(cublasLtDestroy)(void *handle)
{
    free(handle);
    return BLAS_OK;
}
const char *lw_cublasLt_cublasLtGetStatusName(int status) { return blas_status_name(status); }
const char *lw_cublasLt_cublasLtGetStatusString(int status) { return blas_status_text(status); }
LT(cublasLtGetProperty)(int which, int *out) { return lt_end(blas_version_part(which, out)); }
size_t lw_cublasLt_cublasLtGetVersion(void) { return 130100; }
size_t lw_cublasLt_cublasLtGetCudartVersion(void) { return FACE_VERSION; }

LT(cublasLtMatrixLayoutInit_internal)(blas_lt_layout *layout, size_t bytes, int type, uint64_t rows, uint64_t columns,
                                      int64_t ld)
{
    if (!layout || bytes < sizeof *layout) return lt_end(BLAS_INVALID_VALUE);
    *layout = (blas_lt_layout){.type = (uint32_t)type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};
    return BLAS_OK;
}
LT(cublasLtMatrixLayoutCreate)(blas_lt_layout **out, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    if (!out) return lt_end(BLAS_INVALID_VALUE);
    *out = lw_alloc(64);
    return lw_cublasLt_cublasLtMatrixLayoutInit_internal(*out, 64, type, rows, columns, ld);
}
LT(cublasLtMatrixLayoutDestroy)(blas_lt_layout *layout)
{
    free(layout);
    return BLAS_OK;
}

LT(cublasLtMatmulDescInit_internal)(blas_lt_product *product, size_t bytes, int compute, int scale)
{
    if (!product || bytes < sizeof *product) return lt_end(BLAS_INVALID_VALUE);
    *product = (blas_lt_product){
        .compute = compute, .scale = scale, .epilogue = LT_EPILOGUE_NONE, .bias_type = -1, .aux_type = -1};
    return BLAS_OK;
}
LT(cublasLtMatmulDescCreate)(blas_lt_product **out, int compute, int scale)
{
    if (!out) return lt_end(BLAS_INVALID_VALUE);
    *out = lw_alloc(256);
    return lw_cublasLt_cublasLtMatmulDescInit_internal(*out, 256, compute, scale);
}
LT(cublasLtMatmulDescDestroy)(blas_lt_product *product)
{
    free(product);
    return BLAS_OK;
}

LT(cublasLtMatrixTransformDescInit_internal)(blas_lt_transform *transform, size_t bytes, int scale)
{
    if (!transform || bytes < sizeof *transform) return lt_end(BLAS_INVALID_VALUE);
    *transform = (blas_lt_transform){.scale = scale};
    return BLAS_OK;
}
LT(cublasLtMatrixTransformDescCreate)(blas_lt_transform **out, int scale)
{
    if (!out) return lt_end(BLAS_INVALID_VALUE);
    *out = lw_alloc(sizeof **out);
    return lw_cublasLt_cublasLtMatrixTransformDescInit_internal(*out, sizeof **out, scale);
}
LT(cublasLtMatrixTransformDescDestroy)(blas_lt_transform *transform)
{
    free(transform);
    return BLAS_OK;
}

/* Preferences choose among algorithms; there is one. */
LT(cublasLtMatmulPreferenceInit_internal)(void *preference, size_t bytes)
{
    if (!preference || bytes < 64) return lt_end(BLAS_INVALID_VALUE);
    memset(preference, 0, 64);
    return BLAS_OK;
}
LT(cublasLtMatmulPreferenceCreate)(void **out)
{
    if (!out) return lt_end(BLAS_INVALID_VALUE);
    *out = lw_alloc(64);
    return BLAS_OK;
}
LT(cublasLtMatmulPreferenceDestroy)(void *preference)
{
    free(preference);
    return BLAS_OK;
}
LT(cublasLtMatmulPreferenceSetAttribute)(void *preference, int number, const void *from, size_t bytes)
{
    (void)number, (void)bytes;
    return lt_end(preference && from ? BLAS_OK : BLAS_INVALID_VALUE);
}

LT(cublasLtMatmulPreferenceGetAttribute)(const void *preference, int number, void *to, size_t bytes, size_t *written)
{
    (void)number;
    if (!preference || !to) return lt_end(BLAS_INVALID_VALUE);
    memset(to, 0, bytes);
    if (written) *written = bytes;
    return BLAS_OK;
}

/* ---------------------------------------------------------------- what has no effect here */
LT(cublasLtHeuristicsCacheGetCapacity)(size_t *out)
{
    if (!out) return lt_end(BLAS_INVALID_VALUE);
    *out = 0;
    return BLAS_OK;
}
LT(cublasLtHeuristicsCacheSetCapacity)(size_t capacity)
{
    (void)capacity;
    return BLAS_OK;
}
unsigned lw_cublasLt_cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
    (void)mask;
    return 0;
}
#define IGNORED(name, type)                                                                                            \
    LT(name)(type value)                                                                                               \
    {                                                                                                                  \
        (void)value;                                                                                                   \
        return BLAS_OK;                                                                                                \
    }
IGNORED(cublasLtLoggerSetCallback, void *)
IGNORED(cublasLtLoggerSetFile, void *)
IGNORED(cublasLtLoggerOpenFile, const char *)
IGNORED(cublasLtLoggerSetLevel, int)
IGNORED(cublasLtLoggerSetMask, int)
LT(cublasLtLoggerForceDisable)(void) { return BLAS_OK; }
