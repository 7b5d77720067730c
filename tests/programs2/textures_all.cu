// Textures and surfaces of every kind of array: cubemaps, layers, mipmaps with levels and gradients, gathers, three
// dimensions, halves, sRGB, normalised formats; mipmaps made through surfaces. Values are chosen so that rounding of
// weights does not matter.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("line %d: %s\nFAIL\n", __LINE__, cudaGetErrorString(e_));                                           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int wrong;
static void expect(const char *what, float got, float want, float tolerance = 0)
{
    if (fabsf(got - want) <= tolerance) return;
    printf("%s: %g, expected %g\n", what, got, want);
    wrong++;
}

static float *out;
static std::vector<float> results(int n)
{
    std::vector<float> h(n);
    OK(cudaMemcpy(h.data(), out, n * 4, cudaMemcpyDeviceToHost));
    return h;
}

static cudaTextureObject_t texture(cudaResourceDesc r, cudaTextureFilterMode filter, bool normalized = true,
                                   cudaTextureReadMode read = cudaReadModeElementType, bool srgb = false)
{
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    for (int k = 0; k < 3; k++) d.addressMode[k] = cudaAddressModeClamp;
    d.filterMode = filter;
    d.mipmapFilterMode = filter;
    d.normalizedCoords = normalized;
    d.readMode = read;
    d.sRGB = srgb;
    d.maxMipmapLevelClamp = 20;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static cudaResourceDesc resource(cudaArray_t a)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static cudaArray_t filled(cudaChannelFormatDesc d, const void *data, size_t texel, int w, int h, int n, unsigned flags)
{
    cudaArray_t a;
    OK(cudaMalloc3DArray(&a, &d, make_cudaExtent(w, h, n), flags));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr((void *)data, w * texel, w, h ? h : 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(w, h ? h : 1, n ? n : 1);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    return a;
}

__global__ void cubes(cudaTextureObject_t t, float *o)
{
    const float d[6][3] = {{2, .5f, -1}, {-2, .5f, 1}, {1, 3, -1}, {1, -3, 1}, {.1f, .2f, 1}, {0, 0, -1}};
    int k = threadIdx.x;
    o[k] = texCubemap<float>(t, d[k][0], d[k][1], d[k][2]);
}

__global__ void layers(cudaTextureObject_t t, float *o)
{
    int k = threadIdx.x;
    o[k] = tex2DLayered<float>(t, (k % 4 + .5f) / 4, .375f, k / 4);
}

__global__ void levels(cudaTextureObject_t t, float *o)
{
    int k = threadIdx.x;
    o[k] = tex2DLod<float>(t, .4f, .6f, k * .5f);
    float step = (float)(1 << k % 5) / 16;
    o[16 + k] = tex2DGrad<float>(t, .4f, .6f, make_float2(step, 0), make_float2(0, step));
}

__global__ void volume(cudaTextureObject_t t, float *o)
{
    int k = threadIdx.x;
    o[k] = tex3D<float>(t, 1 + k % 2 * .5f, 1 + k / 2 % 2 * .5f, 1 + k / 4 * .5f);
}

__global__ void gathers(cudaTextureObject_t t, float *o)
{
    float4 v = tex2Dgather<float4>(t, 2, 2, 0);
    o[0] = v.x, o[1] = v.y, o[2] = v.z, o[3] = v.w;
}

__global__ void plain(cudaTextureObject_t t, float *o)
{
    float4 v = tex2D<float4>(t, threadIdx.x + .5f, .5f);
    o[threadIdx.x * 2] = v.x;
    o[threadIdx.x * 2 + 1] = v.w;
}

__global__ void shrink(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += surf2Dread<float>(from, (2 * x + k % 2) * 4, 2 * y + k / 2);
    surf2Dwrite(sum / 4 + 10, to, x * 4, y);
}

__global__ void mark(cudaSurfaceObject_t s, cudaSurfaceObject_t deep)
{
    surf2DLayeredwrite(threadIdx.x + 100.f * threadIdx.y, s, threadIdx.x * 4, 1, threadIdx.y);
    surf3Dwrite(threadIdx.x + 10.f * threadIdx.y, deep, threadIdx.x * 4, 2, threadIdx.y);
    surf3Dwrite(-1.f, deep, 64, 2, 0, cudaBoundaryModeZero);
}

__global__ void check_marks(cudaSurfaceObject_t s, cudaSurfaceObject_t deep, float *o)
{
    o[0] = surf2DLayeredread<float>(s, 8, 1, 1);
    o[1] = surf3Dread<float>(deep, 12, 2, 1);
    o[2] = surf3Dread<float>(deep, 4000, 2, 1, cudaBoundaryModeClamp);
    o[3] = surf3Dread<float>(deep, -4, 2, 1, cudaBoundaryModeZero);
}

static void cubemaps_and_layers()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    std::vector<float> h(4 * 4 * 6);
    for (int k = 0; k < 96; k++) h[k] = k / 16;
    cudaArray_t a = filled(f, h.data(), 4, 4, 4, 6, cudaArrayCubemap);
    cudaTextureObject_t t = texture(resource(a), cudaFilterModeLinear);
    cubes<<<1, 6>>>(t, out);
    auto r = results(6);
    for (int k = 0; k < 6; k++) expect("face", r[k], k);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
    for (int k = 0; k < 96; k++) h[k] = k;
    a = filled(f, h.data(), 4, 4, 4, 6, cudaArrayLayered);
    t = texture(resource(a), cudaFilterModePoint);
    layers<<<1, 24>>>(t, out);
    r = results(24);
    for (int k = 0; k < 24; k++) expect("layer", r[k], k / 4 * 16 + 4 + k % 4);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

/* Level 0 holds 1; each further one is the mean of the one before, and 10 more. */
static void mipmaps()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    OK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 9, cudaArraySurfaceLoadStore));
    std::vector<float> ones(256, 1.f);
    cudaArray_t a, b;
    OK(cudaGetMipmappedArrayLevel(&a, m, 0));
    OK(cudaMemcpy2DToArray(a, 0, 0, ones.data(), 64, 64, 16, cudaMemcpyHostToDevice));
    for (int k = 1; k < 5; k++) {
        cudaSurfaceObject_t from, to;
        OK(cudaGetMipmappedArrayLevel(&b, m, k));
        cudaResourceDesc ra = resource(a), rb = resource(b);
        OK(cudaCreateSurfaceObject(&from, &ra));
        OK(cudaCreateSurfaceObject(&to, &rb));
        shrink<<<1, dim3(16 >> k, 16 >> k)>>>(from, to);
        OK(cudaGetLastError());
        OK(cudaDestroySurfaceObject(from));
        OK(cudaDestroySurfaceObject(to));
        a = b;
    }
    expect("no sixth level", cudaGetMipmappedArrayLevel(&b, m, 5) == cudaErrorInvalidValue, 1);
    cudaGetLastError();
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    cudaTextureObject_t t = texture(r, cudaFilterModeLinear);
    levels<<<1, 10>>>(t, out);
    auto v = results(26);
    for (int k = 0; k < 10; k++) expect("level", v[k], 1 + 10 * fminf(k * .5f, 4), .05f);
    for (int k = 0; k < 10; k++) expect("gradient", v[16 + k], 1 + 10.f * (k % 5), .05f);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(m));
}

static void volumes_and_gathers()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    std::vector<float> h(64);
    for (int k = 0; k < 64; k++) h[k] = k % 4 + 10 * (k / 4 % 4) + 100 * (k / 16);
    cudaArray_t a = filled(f, h.data(), 4, 4, 4, 4, 0), b = filled(f, h.data(), 4, 4, 4, 0, cudaArrayTextureGather);
    cudaTextureObject_t t = texture(resource(a), cudaFilterModeLinear, false),
                        g = texture(resource(b), cudaFilterModePoint, false);
    volume<<<1, 8>>>(t, out);
    auto r = results(8);
    for (int k = 0; k < 8; k++)
        expect("volume", r[k], .5f * (1 + k % 2) + 5 * (1 + k / 2 % 2) + 50 * (1 + k / 4) , 1e-3f);
    gathers<<<1, 1>>>(g, out);
    r = results(4);
    expect("gather x", r[0], 21), expect("gather y", r[1], 22), expect("gather z", r[2], 12), expect("gather w", r[3], 11);
    OK(cudaDestroyTextureObject(t));
    OK(cudaDestroyTextureObject(g));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
}

static void formats()
{
    const unsigned short halves[8] = {0x3c00, 0, 0, 0xb800, 0x7bff, 0, 0, 0x0001};
    const unsigned char bytes[8] = {255, 0, 0, 128, 188, 0, 0, 51};
    cudaArray_t a = filled(cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat), halves, 8, 2, 1, 0, 0);
    cudaTextureObject_t t = texture(resource(a), cudaFilterModePoint, false);
    plain<<<1, 2>>>(t, out);
    auto r = results(4);
    expect("half 1", r[0], 1), expect("half -0.5", r[1], -.5f), expect("half most", r[2], 65504);
    expect("half least", r[3], 5.9604645e-8f);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
    cudaChannelFormatDesc u8 = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    a = filled(u8, bytes, 4, 2, 1, 0, 0);
    t = texture(resource(a), cudaFilterModePoint, false, cudaReadModeNormalizedFloat, true);
    plain<<<1, 2>>>(t, out);
    r = results(4);
    expect("sRGB 255", r[0], 1, 1e-4f), expect("its alpha", r[1], 128 / 255.f, 1e-4f);
    expect("sRGB 188", r[2], .5029f, 2e-3f), expect("its alpha", r[3], .2f, 1e-4f);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

static void surfaces()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a, b;
    OK(cudaMalloc3DArray(&a, &f, make_cudaExtent(16, 4, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
    OK(cudaMalloc3DArray(&b, &f, make_cudaExtent(16, 4, 3), cudaArraySurfaceLoadStore));
    cudaResourceDesc ra = resource(a), rb = resource(b), back;
    cudaSurfaceObject_t s, deep;
    OK(cudaCreateSurfaceObject(&s, &ra));
    OK(cudaCreateSurfaceObject(&deep, &rb));
    OK(cudaGetSurfaceObjectResourceDesc(&back, deep));
    expect("resource", back.resType == cudaResourceTypeArray && back.res.array.array == b, 1);
    mark<<<1, dim3(16, 3)>>>(s, deep);
    check_marks<<<1, 1>>>(s, deep, out);
    auto r = results(4);
    expect("layered", r[0], 102), expect("deep", r[1], 13), expect("clamped", r[2], 25), expect("zero", r[3], 0);
    OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroySurfaceObject(deep));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
}

int main()
{
    OK(cudaMalloc(&out, 4096));
    cubemaps_and_layers();
    mipmaps();
    volumes_and_gathers();
    formats();
    surfaces();
    OK(cudaFree(out));
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
