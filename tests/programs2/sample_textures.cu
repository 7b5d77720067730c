// Textures as sample collections use them: an array with wrapped normalised coordinates, pitch-linear against array,
// a layered array, a cubemap-free 3-D volume, and linear fetches. Checked against the filter's definition on the CPU.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e = (x); if (e) { printf("%s:%d %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void transformKernel(float *out, int w, int h, float theta, cudaTextureObject_t tex) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (float)x - (float)w / 2, v = (float)y - (float)h / 2;
    float tu = u * cosf(theta) - v * sinf(theta), tv = v * cosf(theta) + u * sinf(theta);
    tu /= (float)w; tv /= (float)h;
    out[y * w + x] = tex2D<float>(tex, tu + 0.5f, tv + 0.5f);
}
__global__ void shiftPitch(float *odata, int pitch, int w, int h, int sx, int sy, cudaTextureObject_t tex) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    odata[y * pitch + x] = tex2D<float>(tex, (x + sx) / (float)w, (y + sy) / (float)h);
}
__global__ void layered(float *out, cudaTextureObject_t tex, int w, int h, int layer) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (x + 0.5f) / (float)w, v = (y + 0.5f) / (float)h;
    out[layer * w * h + y * w + x] = -tex2DLayered<float>(tex, u, v, layer) + layer;
}
__global__ void volume(float *out, cudaTextureObject_t tex, int n, float z) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    out[y * n + x] = tex3D<float>(tex, x / (float)n, y / (float)n, z);
}
__global__ void linear4(float4 *out, cudaTextureObject_t tex, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float4 a = tex1Dfetch<float4>(tex, i), b = tex1Dfetch<float4>(tex, n - 1 - i);
        out[i] = make_float4(a.x + b.w, a.y - b.z, a.z * b.y, a.w + b.x); }
}
__global__ void bytes(float *out, cudaTextureObject_t tex, int w) {
    int x = threadIdx.x, y = blockIdx.x;
    float4 p = tex2D<float4>(tex, x, y);
    out[y * w + x] = p.x * 0.25f + p.y * 0.5f + p.z + p.w;
}
static float wrap_fetch(const float *d, int w, int h, float u, float v) { // bilinear, wrap, normalised
    u -= floorf(u); v -= floorf(v);
    float x = u * w - 0.5f, y = v * h - 0.5f;
    int i = (int)floorf(x), j = (int)floorf(y);
    float a = x - i, b = y - j;
    auto at = [&](int X, int Y) { return d[((Y % h) + h) % h * w + ((X % w) + w) % w]; };
    return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) + a * b * at(i + 1, j + 1);
}
static cudaTextureObject_t make(cudaResourceDesc &r, cudaTextureAddressMode m, cudaTextureFilterMode f, bool norm, cudaTextureReadMode rd = cudaReadModeElementType) {
    cudaTextureDesc t; memset(&t, 0, sizeof t);
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = m; t.filterMode = f; t.readMode = rd; t.normalizedCoords = norm;
    cudaTextureObject_t o; CK(cudaCreateTextureObject(&o, &r, &t, NULL)); return o;
}
int main() {
    const int W = 64, H = 32; int bad = 0;
    float *img = (float *)malloc(W * H * 4), *res = (float *)malloc(4 * W * H * 4), *d;
    for (int i = 0; i < W * H; i++) img[i] = ((i * 37) % 101) / 101.0f;
    CK(cudaMalloc(&d, 4 * W * H * 4));
    cudaChannelFormatDesc cd = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray *arr; CK(cudaMallocArray(&arr, &cd, W, H));
    CK(cudaMemcpy2DToArray(arr, 0, 0, img, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaResourceDesc r; memset(&r, 0, sizeof r); r.resType = cudaResourceTypeArray; r.res.array.array = arr;
    cudaTextureObject_t t = make(r, cudaAddressModeWrap, cudaFilterModeLinear, true);
    dim3 b(8, 8), g(W / 8, H / 8); float th = 0.5f;
    transformKernel<<<g, b>>>(d, W, H, th, t);
    CK(cudaMemcpy(res, d, W * H * 4, cudaMemcpyDeviceToHost));
    int k = 0;
    for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) {
        float u = x - W / 2.0f, v = y - H / 2.0f, tu = (u * cosf(th) - v * sinf(th)) / W, tv = (v * cosf(th) + u * sinf(th)) / H;
        if (fabsf(res[y * W + x] - wrap_fetch(img, W, H, tu + 0.5f, tv + 0.5f)) > 0.02f) k++;
    }
    printf("simpleTexture %d\n", k); bad += k; k = 0;
    CK(cudaDestroyTextureObject(t));

    float *pl; size_t pitch; CK(cudaMallocPitch(&pl, &pitch, W * 4, H));
    CK(cudaMemcpy2D(pl, pitch, img, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaResourceDesc rp; memset(&rp, 0, sizeof rp); rp.resType = cudaResourceTypePitch2D;
    rp.res.pitch2D.devPtr = pl; rp.res.pitch2D.desc = cudaCreateChannelDesc<float>(); rp.res.pitch2D.width = W; rp.res.pitch2D.height = H; rp.res.pitch2D.pitchInBytes = pitch;
    t = make(rp, cudaAddressModeWrap, cudaFilterModePoint, true);
    cudaTextureObject_t t2 = make(r, cudaAddressModeWrap, cudaFilterModePoint, true);
    for (int pass = 0; pass < 2; pass++) {
        shiftPitch<<<g, b>>>(d, W, W, H, 16, 8, pass ? t2 : t);
        CK(cudaMemcpy(res, d, W * H * 4, cudaMemcpyDeviceToHost));
        for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) k += res[y * W + x] != img[(y + 8) % H * W + (x + 16) % W];
    }
    printf("pitchLinear %d\n", k); bad += k; k = 0;

    cudaArray *la; const int L = 4; float *ld = (float *)malloc(W * H * L * 4);
    for (int i = 0; i < W * H * L; i++) ld[i] = (float)i;
    CK(cudaMalloc3DArray(&la, &cd, make_cudaExtent(W, H, L), cudaArrayLayered));
    cudaMemcpy3DParms p; memset(&p, 0, sizeof p); p.srcPos = p.dstPos = make_cudaPos(0, 0, 0);
    p.srcPtr = make_cudaPitchedPtr(ld, W * 4, W, H); p.dstArray = la; p.extent = make_cudaExtent(W, H, L); p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    cudaResourceDesc rl; memset(&rl, 0, sizeof rl); rl.resType = cudaResourceTypeArray; rl.res.array.array = la;
    t = make(rl, cudaAddressModeWrap, cudaFilterModeLinear, true);
    for (int l = 0; l < L; l++) layered<<<g, b>>>(d, t, W, H, l);
    CK(cudaDeviceSynchronize()); CK(cudaMemcpy(res, d, W * H * L * 4, cudaMemcpyDeviceToHost));
    for (int l = 0; l < L; l++) for (int i = 0; i < W * H; i++) k += fabsf(res[l * W * H + i] - (-ld[l * W * H + i] + l)) > 0.5f;
    printf("layered %d\n", k); bad += k; k = 0;

    const int N = 16; float vol[N * N * N]; for (int i = 0; i < N * N * N; i++) vol[i] = (float)(i / (N * N));
    cudaArray *va; CK(cudaMalloc3DArray(&va, &cd, make_cudaExtent(N, N, N)));
    memset(&p, 0, sizeof p); p.srcPtr = make_cudaPitchedPtr(vol, N * 4, N, N); p.dstArray = va; p.extent = make_cudaExtent(N, N, N); p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    memset(&rl, 0, sizeof rl); rl.resType = cudaResourceTypeArray; rl.res.array.array = va;
    t = make(rl, cudaAddressModeClamp, cudaFilterModeLinear, true);
    volume<<<N / 4, dim3(4, N)>>>(d, t, N, 0.5f);
    CK(cudaMemcpy(res, d, N * N * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N * N; i++) k += fabsf(res[i] - 7.5f) > 0.02f;
    printf("3D %d\n", k); bad += k; k = 0;

    float4 f4[100], o4[100], *d4; for (int i = 0; i < 100; i++) f4[i] = make_float4(i, i + .5f, 2 * i, -i);
    CK(cudaMalloc(&d4, sizeof f4)); CK(cudaMemcpy(d4, f4, sizeof f4, cudaMemcpyHostToDevice));
    memset(&rl, 0, sizeof rl); rl.resType = cudaResourceTypeLinear; rl.res.linear.devPtr = d4; rl.res.linear.desc = cudaCreateChannelDesc<float4>(); rl.res.linear.sizeInBytes = sizeof f4;
    t = make(rl, cudaAddressModeClamp, cudaFilterModePoint, false);
    linear4<<<4, 32>>>((float4 *)d, t, 100); CK(cudaMemcpy(o4, d, sizeof o4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++) { float4 a = f4[i], c = f4[99 - i]; k += o4[i].x != a.x + c.w || o4[i].y != a.y - c.z || o4[i].z != a.z * c.y || o4[i].w != a.w + c.x; }
    printf("linear %d\n", k); bad += k; k = 0;

    uchar4 px[32 * 8]; for (int i = 0; i < 256; i++) px[i] = make_uchar4(i, 255 - i, i / 2, 3);
    cudaChannelFormatDesc c4 = cudaCreateChannelDesc<uchar4>(); cudaArray *ba; CK(cudaMallocArray(&ba, &c4, 32, 8));
    CK(cudaMemcpy2DToArray(ba, 0, 0, px, 32 * 4, 32 * 4, 8, cudaMemcpyHostToDevice));
    memset(&rl, 0, sizeof rl); rl.resType = cudaResourceTypeArray; rl.res.array.array = ba;
    t = make(rl, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
    bytes<<<8, 32>>>(d, t, 32); CK(cudaMemcpy(res, d, 256 * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) k += fabsf(res[i] - (px[i].x * .25f + px[i].y * .5f + px[i].z + px[i].w) / 255.f) > 1e-5f;
    printf("uchar4 %d\n", k); bad += k;
    CK(cudaFreeArray(arr)); CK(cudaFreeArray(la)); CK(cudaFreeArray(va)); CK(cudaFreeArray(ba));
    puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
