/*
 * cuBLAS geam and cublasLtMatrixTransform as peers of 2-D transposes. Row-major rows x cols is column-major cols x
 * rows. Only with LW_BENCH_CUBLAS. Bytes go as 8-bit integers and 2-byte elements as f16, with a scale of 1.
 */
#include <stdlib.h>
#include "peers.h"
#ifdef LW_BENCH_CUBLAS
#include <cublasLt.h>
#include <cublas_v2.h>

struct peer_blas {
    cublasHandle_t blas;
    cublasLtHandle_t lt;
    cublasLtMatrixTransformDesc_t turn;
    cublasLtMatrixLayout_t in, out; /* NULL: no transform of these elements */
    int rows, cols, elem;
};

peer_blas *peer_blas_make(void)
{
    peer_blas *p = calloc(1, sizeof *p);
    const cublasOperation_t op = CUBLAS_OP_T;
    if (!p) return NULL;
    if (cublasCreate(&p->blas) != CUBLAS_STATUS_SUCCESS) p->blas = NULL;
    if (cublasLtCreate(&p->lt) != CUBLAS_STATUS_SUCCESS) p->lt = NULL;
    if (p->lt && cublasLtMatrixTransformDescCreate(&p->turn, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS) {
        cublasLtMatrixTransformDescSetAttribute(p->turn, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op, sizeof op);
    }
    return p;
}

static void drop_layouts(peer_blas *p)
{
    if (p->in) cublasLtMatrixLayoutDestroy(p->in);
    if (p->out) cublasLtMatrixLayoutDestroy(p->out);
    p->in = p->out = NULL;
}

void peer_blas_free(peer_blas *p)
{
    if (!p) return;
    drop_layouts(p);
    if (p->turn) cublasLtMatrixTransformDescDestroy(p->turn);
    if (p->lt) cublasLtDestroy(p->lt);
    if (p->blas) cublasDestroy(p->blas);
    free(p);
}

bool peer_blas_set(peer_blas *p, int64_t rows, int64_t cols, int elem)
{
    const cudaDataType_t type = elem == 1 ? CUDA_R_8I : elem == 2 ? CUDA_R_16F : CUDA_R_32F;
    if (!p) return false;
    drop_layouts(p);
    p->rows = (int)rows;
    p->cols = (int)cols;
    p->elem = elem;
    if (p->turn && (elem == 1 || elem == 2 || elem == 4)) {
        if (cublasLtMatrixLayoutCreate(&p->in, type, (uint64_t)cols, (uint64_t)rows, cols) != CUBLAS_STATUS_SUCCESS ||
            cublasLtMatrixLayoutCreate(&p->out, type, (uint64_t)rows, (uint64_t)cols, rows) != CUBLAS_STATUS_SUCCESS)
            drop_layouts(p);
    }
    return peer_has_geam(p) || peer_has_transform(p);
}

bool peer_has_geam(const peer_blas *p) { return p && p->blas && (p->elem == 4 || p->elem == 8); }

bool peer_has_transform(const peer_blas *p) { return p && p->in && p->out; }

int peer_geam(peer_blas *p, void *out, const void *in, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    const double one8 = 1, zero8 = 0;
    cublasSetStream(p->blas, stream);
    if (p->elem == 4)
        return cublasSgeam(p->blas, CUBLAS_OP_T, CUBLAS_OP_N, p->rows, p->cols, &one, in, p->cols, &zero, NULL, p->rows,
                           out, p->rows);
    return cublasDgeam(p->blas, CUBLAS_OP_T, CUBLAS_OP_N, p->rows, p->cols, &one8, in, p->cols, &zero8, NULL, p->rows,
                       out, p->rows);
}

int peer_transform(peer_blas *p, void *out, const void *in, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    return cublasLtMatrixTransform(p->lt, p->turn, &one, in, p->in, &zero, NULL, NULL, out, p->out, stream);
}
#else
peer_blas *peer_blas_make(void) { return NULL; }
void peer_blas_free(peer_blas *p) { (void)p; }
bool peer_blas_set(peer_blas *p, int64_t rows, int64_t cols, int elem) { return p && rows && cols && elem; }
int peer_geam(peer_blas *p, void *out, const void *in, cudaStream_t stream) { return !p || !out || !in || !stream; }
int peer_transform(peer_blas *p, void *out, const void *in, cudaStream_t stream)
{
    return !p || !out || !in || !stream;
}
bool peer_has_geam(const peer_blas *p)
{
    (void)p;
    return false;
}
bool peer_has_transform(const peer_blas *p)
{
    (void)p;
    return false;
}
#endif
