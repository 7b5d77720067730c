/* cuBLASLt: handles, descriptors and their attributes. */
#include <stdlib.h>
#include <string.h>

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
       LAYOUT_PLANE
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
       PRODUCT_BIAS_TYPE = 26
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
    LAYOUT(LAYOUT_STRIDE, stride),
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
