// Sparse matrix times vector in four formats: CSR scalar, CSR vector, ELL (column major), COO with atomics.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void csr_scalar(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float dot = 0;
        for (int j = ptr[r]; j < ptr[r + 1]; j++) dot += val[j] * x[col[j]];
        y[r] = dot;
    }
}

__global__ void csr_vector(int rows, const int *ptr, const int *col, const float *val, const float *x, float *y) {
    __shared__ volatile float vals[128];
    int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    int row = thread_id / 32, lane = thread_id & 31;
    float sum = 0;
    if (row < rows)
        for (int j = ptr[row] + lane; j < ptr[row + 1]; j += 32) sum += val[j] * x[col[j]];
    vals[threadIdx.x] = sum;
    __syncwarp();
    for (int s = 16; s > 0; s >>= 1) {
        if (lane < s) vals[threadIdx.x] = vals[threadIdx.x] + vals[threadIdx.x + s];
        __syncwarp();
    }
    if (lane == 0 && row < rows) y[row] = vals[threadIdx.x];
}

__global__ void ell(int rows, int width, const int *col, const float *val, const float *x, float *y) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float dot = 0;
    for (int n = 0; n < width; n++) {
        int c = col[rows * n + r];
        if (c >= 0) dot += val[rows * n + r] * x[c];
    }
    y[r] = dot;
}

__global__ void coo(int nnz, const int *row, const int *col, const float *val, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) atomicAdd(&y[row[i]], val[i] * __ldg(&x[col[i]]));
}

template <class T> T *upload(const std::vector<T> &v) {
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main() {
    const int rows = 700, cols = 500;
    std::vector<int> ptr(1, 0), col, row;
    std::vector<float> val, x(cols), want(rows, 0), y(rows);
    int width = 0;
    for (auto &v : x) v = rand() % 10;
    for (int r = 0; r < rows; r++) {
        int len = r % 50 == 0 ? 60 : rand() % 12;
        width = std::max(width, len);
        for (int k = 0; k < len; k++) {
            col.push_back(rand() % cols);
            row.push_back(r);
            val.push_back(rand() % 9 - 4);
            want[r] += val.back() * x[col.back()];
        }
        ptr.push_back(col.size());
    }
    std::vector<int> ecol(width * rows, -1);
    std::vector<float> eval(width * rows, 0);
    for (int r = 0; r < rows; r++)
        for (int j = ptr[r]; j < ptr[r + 1]; j++) {
            ecol[(j - ptr[r]) * rows + r] = col[j];
            eval[(j - ptr[r]) * rows + r] = val[j];
        }
    int *d_ptr = upload(ptr), *d_col = upload(col), *d_row = upload(row), *d_ecol = upload(ecol);
    float *d_val = upload(val), *d_eval = upload(eval), *d_x = upload(x), *d_y = upload(y);
    int nnz = col.size();
    bool ok = true;
    for (int k = 0; k < 4; k++) {
        cudaMemset(d_y, 0, rows * sizeof(float));
        switch (k) {
        case 0: csr_scalar<<<(rows + 127) / 128, 128>>>(rows, d_ptr, d_col, d_val, d_x, d_y); break;
        case 1: csr_vector<<<(rows * 32 + 127) / 128, 128>>>(rows, d_ptr, d_col, d_val, d_x, d_y); break;
        case 2: ell<<<(rows + 127) / 128, 128>>>(rows, width, d_ecol, d_eval, d_x, d_y); break;
        case 3: coo<<<(nnz + 127) / 128, 128>>>(nnz, d_row, d_col, d_val, d_x, d_y); break;
        }
        cudaMemcpy(y.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
        if (y != want) {
            printf("format %d is wrong\n", k);
            ok = false;
        }
    }
    ok &= cudaGetLastError() == cudaSuccess;
    for (void *p : {(void *)d_ptr, (void *)d_col, (void *)d_row, (void *)d_ecol, (void *)d_val, (void *)d_eval,
                    (void *)d_x, (void *)d_y})
        cudaFree(p);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
