// Tiled matrix multiplication with 8, 16 and 32 wide square tiles; sizes that are no multiple of the tile.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <int TILE_WIDTH>
__global__ void matrixMulTiled(const float *M, const float *N, float *P, int rows, int inner, int cols) {
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;
    for (int ph = 0; ph < (inner + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
        Mds[ty][tx] = (Row < rows && ph * TILE_WIDTH + tx < inner) ? M[Row * inner + ph * TILE_WIDTH + tx] : 0.0f;
        Nds[ty][tx] = (ph * TILE_WIDTH + ty < inner && Col < cols) ? N[(ph * TILE_WIDTH + ty) * cols + Col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    if (Row < rows && Col < cols) P[Row * cols + Col] = Pvalue;
}

template <int TILE>
bool run(int rows, int inner, int cols) {
    std::vector<float> a(rows * inner), b(inner * cols), c(rows * cols);
    for (auto &v : a) v = rand() % 17 - 8;
    for (auto &v : b) v = rand() % 13 - 6;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    matrixMulTiled<TILE><<<grid, block>>>(da, db, dc, rows, inner, cols);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < rows && ok; i++)
        for (int j = 0; j < cols && ok; j++) {
            float want = 0;
            for (int k = 0; k < inner; k++) want += a[i * inner + k] * b[k * cols + j];
            ok = want == c[i * cols + j];
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    printf("tile %d, %d x %d x %d: %s\n", TILE, rows, inner, cols, ok ? "ok" : "wrong");
    return ok;
}

int main() {
    bool ok =
        run<16>(64, 64, 64) & run<32>(64, 96, 64) & run<8>(33, 17, 41) & run<16>(50, 30, 70) & run<32>(33, 65, 31);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
