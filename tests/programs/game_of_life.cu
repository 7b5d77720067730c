// Conway's game of life: byte cells on a torus with ghost rows, and bit-packed 32 cells a word.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

__global__ void ghostRows(int dim, int *grid) {
    int id = blockDim.x * blockIdx.x + threadIdx.x + 1;
    if (id <= dim) {
        grid[(dim + 2) * (dim + 1) + id] = grid[(dim + 2) + id];
        grid[id] = grid[(dim + 2) * dim + id];
    }
}

__global__ void ghostCols(int dim, int *grid) {
    int id = blockDim.x * blockIdx.x + threadIdx.x;
    if (id <= dim + 1) {
        grid[id * (dim + 2) + dim + 1] = grid[id * (dim + 2) + 1];
        grid[id * (dim + 2)] = grid[id * (dim + 2) + dim];
    }
}

__global__ void GOL(int dim, int *grid, int *newGrid) {
    int iy = blockDim.y * blockIdx.y + threadIdx.y + 1;
    int ix = blockDim.x * blockIdx.x + threadIdx.x + 1;
    int id = iy * (dim + 2) + ix;
    if (iy <= dim && ix <= dim) {
        int numNeighbors = grid[id + (dim + 2)] + grid[id - (dim + 2)] + grid[id + 1] + grid[id - 1] +
                           grid[id + (dim + 3)] + grid[id - (dim + 3)] + grid[id - (dim + 1)] + grid[id + (dim + 1)];
        int cell = grid[id];
        if (cell == 1 && numNeighbors < 2) newGrid[id] = 0;
        else if (cell == 1 && (numNeighbors == 2 || numNeighbors == 3)) newGrid[id] = 1;
        else if (cell == 1 && numNeighbors > 3) newGrid[id] = 0;
        else if (cell == 0 && numNeighbors == 3) newGrid[id] = 1;
        else newGrid[id] = cell;
    }
}

// One thread a word of 32 cells; carry-save addition counts all 32 neighbourhoods at once.
__global__ void life_bits(const unsigned *in, unsigned *out, int words, int rows) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= words) return;
    int xl = (x + words - 1) % words, xr = (x + 1) % words;
    unsigned ones = 0, twos = 0, fours = 0, self = 0;
    for (int dy = -1; dy <= 1; dy++) {
        int r = (y + dy + rows) % rows;
        unsigned l = in[r * words + xl], c = in[r * words + x], n = in[r * words + xr];
        unsigned west = __funnelshift_l(l, c, 1), east = __funnelshift_r(c, n, 1);
        unsigned add[3] = {west, c, east};
        for (int k = 0; k < 3; k++) {
            if (dy == 0 && k == 1) {
                self = c;
                continue;
            }
            unsigned carry = ones & add[k];
            ones ^= add[k];
            unsigned carry2 = twos & carry;
            twos ^= carry;
            fours |= carry2;
        }
    }
    out[y * words + x] = ~fours & twos & (ones | self);
}

int main() {
    const int dim = 96, steps = 6, words = dim / 32;
    std::vector<int> h((dim + 2) * (dim + 2), 0), got(h.size());
    std::vector<char> ref(dim * dim), next(dim * dim);
    std::vector<unsigned> bits(words * dim, 0), gotb(bits.size());
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            int v = rand() % 2;
            h[(i + 1) * (dim + 2) + j + 1] = ref[i * dim + j] = v;
            if (v) bits[i * words + j / 32] |= 1u << (j % 32);
        }
    int *a, *b;
    unsigned *ba, *bb;
    size_t bytes = h.size() * sizeof(int);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&ba, bits.size() * 4);
    cudaMalloc(&bb, bits.size() * 4);
    cudaMemcpy(a, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(ba, bits.data(), bits.size() * 4, cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) {
        ghostRows<<<1, 128>>>(dim, a);
        ghostCols<<<1, 128>>>(dim, a);
        GOL<<<dim3(dim / 16, dim / 16), dim3(16, 16)>>>(dim, a, b);
        std::swap(a, b);
        life_bits<<<dim3(1, dim), 32>>>(ba, bb, words, dim);
        std::swap(ba, bb);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                int c = 0;
                for (int di = -1; di <= 1; di++)
                    for (int dj = -1; dj <= 1; dj++)
                        if (di || dj) c += ref[(i + di + dim) % dim * dim + (j + dj + dim) % dim];
                next[i * dim + j] = c == 3 || (c == 2 && ref[i * dim + j]);
            }
        ref.swap(next);
    }
    cudaMemcpy(got.data(), a, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(gotb.data(), ba, bits.size() * 4, cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            bad += got[(i + 1) * (dim + 2) + j + 1] != ref[i * dim + j];
            bad += ((gotb[i * words + j / 32] >> (j % 32)) & 1) != (unsigned)ref[i * dim + j];
        }
    cudaFree(a); cudaFree(b); cudaFree(ba); cudaFree(bb);
    printf(bad ? "%d cells wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
