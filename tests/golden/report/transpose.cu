/* Source text for the golden reports; never compiled. */
#define TILE 32
__device__ float scale(float x, const float *f) {
    return x * f[threadIdx.x * 2];
}
__global__ void smem(float *out, const float *in, int n) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
	out[x * n + y] = tile[threadIdx.x][threadIdx.y]; /* a tab and a comment that is long enough to be cut at 80 columns */
    out[y] = scale(in[x], in);
}
