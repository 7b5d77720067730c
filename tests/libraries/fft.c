/* cuFFT against sums written out: types, ranks, directions, batches, strides, in place. Prints what differs, and "ok fft". */
#include <complex.h>
#include <cuda_runtime_api.h>
#include <cufftXt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library_test.h"

#define MOST 4096
typedef double _Complex number;

/* ---- a transform of up to three dimensions, written out ---- */
static void expected(const int n[3], int sign, const number *x, number *out)
{
    int size = n[0] * n[1] * n[2];
    for (int k = 0; k < size; k++) {
        int k2 = k % n[2], k1 = k / n[2] % n[1], k0 = k / n[2] / n[1];
        out[k] = 0;
        for (int j = 0; j < size; j++) {
            int j2 = j % n[2], j1 = j / n[2] % n[1], j0 = j / n[2] / n[1];
            double turn = (double)j0 * k0 / n[0] + (double)j1 * k1 / n[1] + (double)j2 * k2 / n[2];
            out[k] += x[j] * cexp(sign * 2 * M_PI * turn * I);
        }
    }
}

static number some(int i) { return (i * 37 % 17 - 8) / 8.0 + (i * 29 % 13 - 6) / 6.0 * I; }

static void compare(const number *want, const number *got, int count, double tolerance, int line)
{
    for (int i = 0; i < count; i++)
        if (cabs(want[i] - got[i]) > tolerance * (1 + cabs(want[i]))) {
            failures++;
            printf("line %d: number %d is %g%+gi, not %g%+gi\n", line, i, creal(got[i]), cimag(got[i]), creal(want[i]),
                   cimag(want[i]));
            return;
        }
}

/* ---- numbers in memory, in either precision ---- */
static void put(void *a, bool is_double, int i, double x)
{
    if (is_double) ((double *)a)[i] = x;
    else ((float *)a)[i] = (float)x;
}
static double get(const void *a, bool is_double, int i)
{
    return is_double ? ((const double *)a)[i] : ((const float *)a)[i];
}
static number get_complex(const void *a, bool is_double, int i)
{
    return get(a, is_double, 2 * i) + get(a, is_double, 2 * i + 1) * I;
}

static int plan_of(const int n[3], int rank, cufftType type)
{
    cufftHandle plan;
    if (rank == 1) OK(cufftPlan1d(&plan, n[2], type, 1));
    if (rank == 2) OK(cufftPlan2d(&plan, n[1], n[2], type));
    if (rank == 3) OK(cufftPlan3d(&plan, n[0], n[1], n[2], type));
    return plan;
}

static void check_complex(const int n[3], int rank, bool is_double, bool in_place, int sign)
{
    static number x[MOST], want[MOST], got[MOST];
    int size = n[0] * n[1] * n[2];
    void *in, *out;
    cudaMallocManaged(&in, (size_t)size * 16, 1);
    cudaMallocManaged(&out, (size_t)size * 16, 1);
    for (int i = 0; i < size; i++) {
        x[i] = some(i);
        put(in, is_double, 2 * i, creal(x[i]));
        put(in, is_double, 2 * i + 1, cimag(x[i]));
    }
    void *to = in_place ? in : out;
    cufftHandle plan = plan_of(n, rank, is_double ? CUFFT_Z2Z : CUFFT_C2C);
    if (is_double) OK(cufftExecZ2Z(plan, in, to, sign));
    else OK(cufftExecC2C(plan, in, to, sign));
    cudaDeviceSynchronize();
    for (int i = 0; i < size; i++) got[i] = get_complex(to, is_double, i);
    expected(n, sign, x, want);
    compare(want, got, size, is_double ? 1e-12 : 1e-5, __LINE__);
    OK(cufftDestroy(plan));
    cudaFree(in);
    cudaFree(out);
}

/* Forward to half of the complex numbers, and back to `size` times the real ones. */
static void check_real(const int n[3], int rank, bool is_double, bool in_place)
{
    static number x[MOST], want[MOST], got[MOST];
    int size = n[0] * n[1] * n[2], half = n[2] / 2 + 1, lines = n[0] * n[1];
    int pitch = in_place ? 2 * half : n[2];
    void *in, *out;
    cudaMallocManaged(&in, (size_t)lines * half * 32, 1);
    cudaMallocManaged(&out, (size_t)lines * half * 32, 1);
    for (int i = 0; i < size; i++) x[i] = creal(some(i));
    for (int i = 0; i < size; i++) put(in, is_double, i / n[2] * pitch + i % n[2], creal(x[i]));
    void *to = in_place ? in : out;
    cufftHandle there = plan_of(n, rank, is_double ? CUFFT_D2Z : CUFFT_R2C);
    cufftHandle back = plan_of(n, rank, is_double ? CUFFT_Z2D : CUFFT_C2R);
    if (is_double) OK(cufftExecD2Z(there, in, to));
    else OK(cufftExecR2C(there, in, to));
    cudaDeviceSynchronize();
    expected(n, -1, x, want);
    for (int line = 0; line < lines; line++) {
        for (int i = 0; i < half; i++) got[i] = get_complex(to, is_double, line * half + i);
        compare(want + line * n[2], got, half, is_double ? 1e-12 : 1e-5, __LINE__);
    }
    if (is_double) OK(cufftExecZ2D(back, to, in));
    else OK(cufftExecC2R(back, to, in));
    cudaDeviceSynchronize();
    for (int i = 0; i < size; i++) {
        got[i] = get(in, is_double, i / n[2] * pitch + i % n[2]);
        x[i] *= size;
    }
    compare(x, got, size, is_double ? 1e-12 : 1e-5, __LINE__);
    OK(cufftDestroy(there));
    OK(cufftDestroy(back));
    cudaFree(in);
    cudaFree(out);
}

/* The columns of a matrix: a batch whose elements lie a row apart. */
static void check_columns(void)
{
    enum { ROWS = 8, COLUMNS = 5 };
    static number x[ROWS], want[ROWS], got[ROWS];
    double *a;
    int n = ROWS, embed = ROWS;
    cufftHandle plan;
    cudaMallocManaged((void **)&a, ROWS * COLUMNS * 16, 1);
    for (int i = 0; i < ROWS * COLUMNS; i++) a[2 * i] = creal(some(i)), a[2 * i + 1] = cimag(some(i));
    OK(cufftPlanMany(&plan, 1, &n, &embed, COLUMNS, 1, &embed, COLUMNS, 1, CUFFT_Z2Z, COLUMNS));
    OK(cufftExecZ2Z(plan, (cufftDoubleComplex *)a, (cufftDoubleComplex *)a, CUFFT_FORWARD));
    cudaDeviceSynchronize();
    for (int c = 0; c < COLUMNS; c++) {
        for (int r = 0; r < ROWS; r++) x[r] = some(r * COLUMNS + c), got[r] = get_complex(a, true, r * COLUMNS + c);
        expected((int[3]){1, 1, ROWS}, -1, x, want);
        compare(want, got, ROWS, 1e-12, __LINE__);
    }
    OK(cufftDestroy(plan));
    cudaFree(a);
}

/* The same by the 64-bit interface, whose types are named one by one. */
static void check_extended(void)
{
    static number x[6], want[6], got[6];
    long long n = 6;
    size_t work = 1;
    cufftHandle plan;
    double *a;
    cudaMallocManaged((void **)&a, 6 * 16, 1);
    for (int i = 0; i < 6; i++) x[i] = some(i), a[2 * i] = creal(x[i]), a[2 * i + 1] = cimag(x[i]);
    OK(cufftCreate(&plan));
    OK(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 6, CUDA_C_64F, NULL, 1, 6, CUDA_C_64F, 1, &work, CUDA_C_64F));
    CHECK(work == 0);
    OK(cufftXtExec(plan, a, a, CUFFT_INVERSE));
    cudaDeviceSynchronize();
    for (int i = 0; i < 6; i++) got[i] = get_complex(a, true, i);
    expected((int[3]){1, 1, 6}, 1, x, want);
    compare(want, got, 6, 1e-12, __LINE__);
    OK(cufftDestroy(plan));
    cudaFree(a);
}

int cufftXtSetCallback(cufftHandle plan, void **callbacks, int type, void **info); /* not supported */

static void check_errors(void)
{
    CHECK((int)cufftXtSetCallback(0, NULL, 0, NULL) == 14); /* CUFFT_NOT_IMPLEMENTED, as NVIDIA's shared library */
    cufftHandle plan;
    cufftComplex *a;
    cudaMallocManaged((void **)&a, 64 * sizeof *a, 1);
    CHECK(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&plan, 8, (cufftType)3, 1) == CUFFT_INVALID_TYPE);
    OK(cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
    CHECK(cufftExecC2C(plan, a, a, 0) == CUFFT_INVALID_VALUE);
    OK(cufftDestroy(plan));
    CHECK(cufftExecC2C(plan, a, a, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
    cudaFree(a);
}

/* Plans of several devices; one may be named twice, or (named: 0) none at all. A real transform of 4 x 6 there and back. */
static void check_devices(int named)
{
    enum { ROWS = 4, COLUMNS = 6, PADDED = 8 };
    int devices[] = {0, 0}, beyond[] = {0, 99};
    float data[ROWS * PADDED] = {0}, back[ROWS * PADDED];
    cufftComplex *spectrum = (cufftComplex *)back;
    cufftHandle there, home;
    cudaLibXtDesc *d;
    size_t work[2];
    for (int i = 0; i < ROWS * COLUMNS; i++) data[i / COLUMNS * PADDED + i % COLUMNS] = (float)(i * 7 % 5) - 1;
    OK(cufftCreate(&there));
    OK(cufftCreate(&home));
    if (named == 2)
        CHECK(cufftXtSetGPUs(there, named, beyond) == CUFFT_INVALID_DEVICE); /* and two shares, as on an H200 */
    else if (named) OK(cufftXtSetGPUs(there, named, devices));
    if (named) OK(cufftXtSetGPUs(home, named, devices));
    OK(cufftMakePlan2d(there, ROWS, COLUMNS, CUFFT_R2C, work));
    OK(cufftMakePlan2d(home, ROWS, COLUMNS, CUFFT_C2R, work));
    OK(cufftXtMalloc(there, &d, CUFFT_XT_FORMAT_INPLACE));
    CHECK(d->descriptor->nGPUs == (named ? named : 1) &&
          d->descriptor->size[0] * (named ? (size_t)named : 1) == sizeof data);
    OK(cufftXtMemcpy(there, d, data, CUFFT_COPY_HOST_TO_DEVICE));
    OK(cufftXtExecDescriptorR2C(there, d, d));
    OK(cufftXtMemcpy(there, back, d, CUFFT_COPY_DEVICE_TO_HOST));
    float sum = 0;
    for (int i = 0; i < ROWS * PADDED; i++) sum += data[i];
    CHECK(fabsf(spectrum[0].x - sum) < 1e-4f && fabsf(spectrum[0].y) < 1e-4f);
    OK(cufftXtExecDescriptor(home, d, d, CUFFT_INVERSE));
    OK(cufftXtMemcpy(home, back, d, CUFFT_COPY_DEVICE_TO_HOST));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int at = i / COLUMNS * PADDED + i % COLUMNS;
        CHECK(fabsf(back[at] / (ROWS * COLUMNS) - data[at]) < 1e-5f);
    }
    OK(cufftXtFree(d));
    OK(cufftDestroy(there));
    OK(cufftDestroy(home));
}

int main(void)
{
    static const int sizes[][3] = {{1, 1, 16}, {1, 1, 15}, {1, 6, 8}, {1, 5, 7}, {3, 4, 6}, {2, 3, 5}};
    cufftHandle plan;
    if (cufftPlan1d(&plan, 8, CUFFT_Z2Z, 1) || cufftPlan1d(&plan, 8, CUFFT_C2C, 1)) return 77; /* no FFTW */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int form = 0; form < 4; form++) {
            int rank = (int)i / 2 + 1;
            check_complex(sizes[i], rank, form & 1, form & 2, CUFFT_FORWARD);
            check_complex(sizes[i], rank, form & 1, form & 2, CUFFT_INVERSE);
            check_real(sizes[i], rank, form & 1, form & 2);
        }
    check_columns();
    check_extended();
    for (int named = 0; named < 3; named++) check_devices(named);
    check_errors();
    if (!failures) printf("ok fft\n");
    return failures != 0;
}
