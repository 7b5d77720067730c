// 25-point finite difference (radius 4) over a volume: xy tiles in shared memory, z in registers, front to back.
#include <cmath>
#include <cstdio>
#include <vector>

#define R 4
#define BX 16
#define BY 8

__constant__ float stencil[R + 1];

__global__ void fd3d(float *output, const float *input, int dimx, int dimy, int dimz) {
    __shared__ float tile[BY + 2 * R][BX + 2 * R];
    const int gx = blockIdx.x * BX + threadIdx.x, gy = blockIdx.y * BY + threadIdx.y;
    const int stride_y = dimx + 2 * R, stride_z = stride_y * (dimy + 2 * R);
    const int tx = threadIdx.x + R, ty = threadIdx.y + R;
    int in = (gy + R) * stride_y + gx + R;
    float infront[R], behind[R], current;

    for (int i = R - 2; i >= 0; i--) {
        behind[i] = input[in];
        in += stride_z;
    }
    current = input[in];
    int out = in;
    in += stride_z;
    for (int i = 0; i < R; i++) {
        infront[i] = input[in];
        in += stride_z;
    }
    for (int z = 0; z < dimz; z++) {
        for (int i = R - 1; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = current;
        current = infront[0];
        for (int i = 0; i < R - 1; i++) infront[i] = infront[i + 1];
        infront[R - 1] = input[in];
        in += stride_z;
        out += stride_z;
        __syncthreads();
        if (threadIdx.y < R) {
            tile[threadIdx.y][tx] = input[out - R * stride_y];
            tile[threadIdx.y + BY + R][tx] = input[out + BY * stride_y];
        }
        if (threadIdx.x < R) {
            tile[ty][threadIdx.x] = input[out - R];
            tile[ty][threadIdx.x + BX + R] = input[out + BX];
        }
        tile[ty][tx] = current;
        __syncthreads();
        float value = stencil[0] * current;
#pragma unroll
        for (int i = 1; i <= R; i++)
            value += stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] +
                                   tile[ty][tx - i] + tile[ty][tx + i]);
        output[out] = value;
    }
}

int main() {
    const int nx = 32, ny = 24, nz = 10, px = nx + 2 * R, py = ny + 2 * R, pz = nz + 2 * R;
    // one extra plane: the last iteration reads ahead
    std::vector<float> in(px * py * (pz + 1)), out(in.size(), 0.f);
    for (size_t i = 0; i < in.size(); i++) in[i] = float((i * 2654435761u >> 8) % 1000) / 1000.f;
    const float c[R + 1] = {1.0f, 0.3f, -0.2f, 0.1f, -0.05f};
    float *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(float));
    cudaMalloc(&d_out, in.size() * sizeof(float));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, in.size() * sizeof(float));
    cudaMemcpyToSymbol(stencil, c, sizeof(c));
    fd3d<<<dim3(nx / BX, ny / BY), dim3(BX, BY)>>>(d_out, d_in, nx, ny, nz);
    cudaMemcpy(out.data(), d_out, in.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                int at = ((z + R) * py + y + R) * px + x + R;
                float want = c[0] * in[at];
                for (int i = 1; i <= R; i++)
                    want += c[i] * (in[at - i] + in[at + i] + in[at - i * px] + in[at + i * px] +
                                    in[at - i * px * py] + in[at + i * px * py]);
                if (fabs(out[at] - want) > 1e-4 && bad++ < 3)
                    printf("(%d %d %d): %f, expected %f\n", x, y, z, out[at], want);
            }
    cudaFree(d_in);
    cudaFree(d_out);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
