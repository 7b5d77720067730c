// Texture and surface objects in every geometry and texel type.
#include <cuda_runtime.h>

template <class T> __global__ void fetches(cudaTextureObject_t t, T *out, float x, float y, int i)
{
    out[0] = tex1Dfetch<T>(t, i);
    out[1] = tex1D<T>(t, x);
    out[2] = tex2D<T>(t, x, y);
    out[3] = tex3D<T>(t, x, y, x);
    out[4] = texCubemap<T>(t, x, y, x);
    out[5] = tex1DLayered<T>(t, x, i);
    out[6] = tex2DLayered<T>(t, x, y, i);
    out[7] = tex1DLod<T>(t, x, y);
    out[8] = tex2DLod<T>(t, x, y, x);
    out[9] = tex3DLod<T>(t, x, y, x, y);
    out[10] = tex2DGrad<T>(t, x, y, make_float2(x, y), make_float2(y, x));
    tex2D(&out[11], t, x, y);
    tex1Dfetch(&out[12], t, i);
}
template <class T> __global__ void gathers(cudaTextureObject_t t, T *out, float x, float y)
{
    out[0] = tex2Dgather<T>(t, x, y);
    out[1] = tex2Dgather<T>(t, x, y, 3);
}
template <class T> __global__ void surfaces(cudaSurfaceObject_t s, T *p, int i)
{
    T v = surf2Dread<T>(s, i, i + 1);
    surf2Dwrite(v, s, i, i, cudaBoundaryModeZero);
    surf1Dwrite(surf1Dread<T>(s, i, cudaBoundaryModeClamp), s, i);
    surf3Dwrite(surf3Dread<T>(s, i, 1, 2), s, i, 3, 4);
    surf2Dread(&p[0], s, i, i);
    surf1Dread(&p[1], s, i);
}
#define TEXEL(T) template __global__ void fetches(cudaTextureObject_t, T *, float, float, int);
#define SURFACE(T) template __global__ void surfaces(cudaSurfaceObject_t, T *, int);
TEXEL(float) TEXEL(float1) TEXEL(float2) TEXEL(float4) TEXEL(int) TEXEL(int2) TEXEL(int4) TEXEL(unsigned) TEXEL(uint4)
TEXEL(short) TEXEL(ushort4) TEXEL(char) TEXEL(uchar4) TEXEL(unsigned char)
template __global__ void gathers(cudaTextureObject_t, float4 *, float, float);
template __global__ void gathers(cudaTextureObject_t, uchar4 *, float, float);
SURFACE(float)
SURFACE(float2) SURFACE(float4) SURFACE(int) SURFACE(unsigned char) SURFACE(uchar4) SURFACE(short) SURFACE(double)

    int main()
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float4>();
    r.resType = cudaResourceTypeArray;
    d.addressMode[0] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    d.readMode = cudaReadModeElementType;
    cudaMallocArray(&a, &c, 16, 16);
    r.res.array.array = a;
    return cudaCreateTextureObject(&t, &r, &d, nullptr) != cudaSuccess;
}
