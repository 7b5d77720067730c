// Texture objects: linear memory of several types, pitched 2-D, arrays with wrap, mirror and border, normalised reads.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("line %d: %s\nFAIL\n", __LINE__, cudaGetErrorString(e_));                                           \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

template <class T> __global__ void fetch1d(cudaTextureObject_t tex, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(tex, (i * 7) % n);
}

__global__ void sample(cudaTextureObject_t tex, float *out, int w, int h, float x0, float y0, float sx, float sy) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex2D<float>(tex, x0 + x * sx, y0 + y * sy);
}

__global__ void bytes(cudaTextureObject_t tex, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) {
        float4 v = tex1Dfetch<float4>(tex, i);
        out[i] = v.x + 2 * v.y + 4 * v.z + 8 * v.w;
    }
}

static int fold(int i, int n, cudaTextureAddressMode mode) {
    if (mode == cudaAddressModeWrap) return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
        int k = ((i % (2 * n)) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
    if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

int main() {
    bool ok = true;
    cudaResourceDesc res;
    cudaTextureDesc desc;
    cudaTextureObject_t tex;

    const int n = 1000;
    std::vector<int2> h2(n), o2(n);
    for (int i = 0; i < n; i++) h2[i] = make_int2(i, -i);
    int2 *d2, *do2;
    OK(cudaMalloc(&d2, n * sizeof(int2)));
    OK(cudaMalloc(&do2, n * sizeof(int2)));
    OK(cudaMemcpy(d2, h2.data(), n * sizeof(int2), cudaMemcpyHostToDevice));
    memset(&res, 0, sizeof res);
    memset(&desc, 0, sizeof desc);
    res.resType = cudaResourceTypeLinear;
    res.res.linear.devPtr = d2;
    res.res.linear.desc = cudaCreateChannelDesc<int2>();
    res.res.linear.sizeInBytes = n * sizeof(int2);
    OK(cudaCreateTextureObject(&tex, &res, &desc, NULL));
    fetch1d<int2><<<(n + 127) / 128, 128>>>(tex, do2, n);
    OK(cudaMemcpy(o2.data(), do2, n * sizeof(int2), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) ok &= o2[i].x == i * 7 % n && o2[i].y == -(i * 7 % n);
    OK(cudaDestroyTextureObject(tex));

    unsigned char hb[40];
    float ob[10], *dob;
    for (int i = 0; i < 40; i++) hb[i] = i * 6;
    OK(cudaMalloc(&dob, 65536));
    OK(cudaMemcpy(d2, hb, 40, cudaMemcpyHostToDevice));
    res.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    res.res.linear.sizeInBytes = 40;
    desc.readMode = cudaReadModeNormalizedFloat;
    OK(cudaCreateTextureObject(&tex, &res, &desc, NULL));
    bytes<<<1, 32>>>(tex, dob, 10);
    OK(cudaMemcpy(ob, dob, sizeof ob, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 10; i++) {
        float want = (hb[4 * i] + 2 * hb[4 * i + 1] + 4 * hb[4 * i + 2] + 8 * hb[4 * i + 3]) / 255.0f;
        ok &= fabsf(ob[i] - want) < 1e-5f;
    }
    if (!ok) printf("linear\n");
    OK(cudaDestroyTextureObject(tex));

    const int w = 16, hgt = 8;
    std::vector<float> img(w * hgt), out(64 * 32);
    for (int i = 0; i < w * hgt; i++) img[i] = i * 3 % 50;
    cudaArray_t array;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &f, w, hgt));
    OK(cudaMemcpy2DToArray(array, 0, 0, img.data(), w * 4, w * 4, hgt, cudaMemcpyHostToDevice));
    float *pitched;
    size_t pitch;
    OK(cudaMallocPitch(&pitched, &pitch, w * 4, hgt));
    OK(cudaMemcpy2D(pitched, pitch, img.data(), w * 4, w * 4, hgt, cudaMemcpyHostToDevice));
    const cudaTextureAddressMode modes[] = {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap,
                                            cudaAddressModeMirror};
    for (int m = 0; m < 4; m++)
        for (int linear = 0; linear < 2; linear++) {
            bool normalized = m >= 2; // wrap and mirror need normalised coordinates
            memset(&res, 0, sizeof res);
            if (m == 0) { // once from pitched memory
                res.resType = cudaResourceTypePitch2D;
                res.res.pitch2D.devPtr = pitched;
                res.res.pitch2D.desc = f;
                res.res.pitch2D.width = w;
                res.res.pitch2D.height = hgt;
                res.res.pitch2D.pitchInBytes = pitch;
            } else {
                res.resType = cudaResourceTypeArray;
                res.res.array.array = array;
            }
            memset(&desc, 0, sizeof desc);
            desc.addressMode[0] = desc.addressMode[1] = modes[m];
            desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
            desc.normalizedCoords = normalized;
            desc.readMode = cudaReadModeElementType;
            OK(cudaCreateTextureObject(&tex, &res, &desc, NULL));
            const int ow = 64, oh = 32;
            const float x0 = -20.25f, y0 = -10.25f, step = 0.75f;
            float kx = normalized ? 1.0f / w : 1, ky = normalized ? 1.0f / hgt : 1;
            sample<<<dim3(4, 4), dim3(16, 8)>>>(tex, dob, ow, oh, x0 * kx, y0 * ky, step * kx, step * ky);
            OK(cudaMemcpy(out.data(), dob, ow * oh * 4, cudaMemcpyDeviceToHost));
            auto texel = [&](int x, int y) {
                x = fold(x, w, modes[m]);
                y = fold(y, hgt, modes[m]);
                return x < 0 || y < 0 ? 0.0f : img[y * w + x];
            };
            int bad = 0;
            for (int y = 0; y < oh; y++)
                for (int x = 0; x < ow; x++) {
                    float u = x0 + x * step, v = y0 + y * step, want;
                    if (linear) {
                        float fx = u - 0.5f, fy = v - 0.5f;
                        int ix = (int)floorf(fx), iy = (int)floorf(fy);
                        fx -= ix;
                        fy -= iy;
                        want = (1 - fx) * (1 - fy) * texel(ix, iy) + fx * (1 - fy) * texel(ix + 1, iy) +
                               (1 - fx) * fy * texel(ix, iy + 1) + fx * fy * texel(ix + 1, iy + 1);
                    } else
                        want = texel((int)floorf(u), (int)floorf(v));
                    bad += !(fabsf(out[y * ow + x] - want) <= (linear ? 0.3f : 0.0f));
                }
            if (bad) printf("mode %d, linear %d: %d wrong\n", m, linear, bad);
            ok &= bad == 0;
            OK(cudaDestroyTextureObject(tex));
        }
    OK(cudaFreeArray(array));
    cudaFree(pitched); cudaFree(d2); cudaFree(do2); cudaFree(dob);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
