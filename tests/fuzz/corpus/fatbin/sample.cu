// The kernels in the sample files beside this one; make.sh builds them.
extern "C" __global__ void scale(float *x, float a, int n)
{
    __shared__ float tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x & 127] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) x[i] = tile[(threadIdx.x ^ 1) & 127] * a;
}

extern "C" __global__ void local_array(int *p, int k)
{
    int a[20];
    for (int i = 0; i < 20; i++) a[i] = p[i] * k;
    for (int i = 0; i < 20; i++) p[i] = a[a[i] % 20];
}

#ifdef PROGRAM
int main()
{
    scale<<<1, 128>>>(0, 2, 128);
    return cudaGetLastError() != cudaSuccess;
}
#endif
