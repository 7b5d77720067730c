// A small ray tracer: spheres in constant memory, shadows and one mirror bounce; the host runs the same code.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct vec3 {
    float x, y, z;
    __host__ __device__ vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
    __host__ __device__ vec3 operator+(const vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
    __host__ __device__ vec3 operator-(const vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
    __host__ __device__ vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
};
__host__ __device__ inline float dot(const vec3 &a, const vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline vec3 normalize(const vec3 &v) { return v * (1.0f / sqrtf(dot(v, v))); }

struct Sphere {
    float cx, cy, cz, r, red, green, blue, mirror;
};
#define SPHERES 12
__constant__ Sphere d_scene[SPHERES];

__host__ __device__ bool hit(const Sphere &s, const vec3 &o, const vec3 &d, float &t) {
    vec3 oc = o - vec3(s.cx, s.cy, s.cz);
    float b = dot(oc, d), c = dot(oc, oc) - s.r * s.r, disc = b * b - c;
    if (disc < 0) return false;
    t = -b - sqrtf(disc);
    return t > 1e-3f;
}

__host__ __device__ vec3 trace(const Sphere *scene, vec3 o, vec3 d) {
    const vec3 light = normalize(vec3(1, 2, -1.5f));
    vec3 color;
    float weight = 1;
    for (int bounce = 0; bounce < 2; bounce++) {
        int best = -1;
        float tbest = 1e20f;
        for (int i = 0; i < SPHERES; i++) {
            float t;
            if (hit(scene[i], o, d, t) && t < tbest) {
                tbest = t;
                best = i;
            }
        }
        if (best < 0) return color + vec3(0.2f, 0.3f, 0.5f) * (weight * (0.5f + 0.5f * d.y));
        const Sphere &s = scene[best];
        vec3 p = o + d * tbest, n = normalize(p - vec3(s.cx, s.cy, s.cz));
        float lambert = fmaxf(0.0f, dot(n, light)), t;
        for (int i = 0; i < SPHERES && lambert > 0; i++)
            if (hit(scene[i], p, light, t)) lambert = 0;
        color = color + vec3(s.red, s.green, s.blue) * (weight * (1 - s.mirror) * (0.1f + 0.9f * lambert));
        weight *= s.mirror;
        if (weight < 0.01f) break;
        d = d - n * (2 * dot(d, n));
        o = p;
    }
    return color;
}

__host__ __device__ vec3 pixel(const Sphere *scene, int x, int y, int w, int h) {
    vec3 d = normalize(vec3((x - w * 0.5f) / h, (y - h * 0.5f) / h, 1));
    return trace(scene, vec3(0, 0, -3), d);
}

__global__ void render(uchar4 *image, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    vec3 c = pixel(d_scene, x, y, w, h);
    image[y * w + x] = make_uchar4(__saturatef(c.x) * 255, __saturatef(c.y) * 255, __saturatef(c.z) * 255, 255);
}

int main() {
    const int w = 80, h = 60;
    Sphere scene[SPHERES];
    auto rnd = [](float lo, float hi) { return lo + (hi - lo) * (rand() / (float)RAND_MAX); };
    for (auto &s : scene)
        s = {rnd(-2, 2), rnd(-1.5f, 1.5f), rnd(0, 4), rnd(0.2f, 0.8f), rnd(0, 1), rnd(0, 1), rnd(0, 1), rnd(0, 0.6f)};
    cudaMemcpyToSymbol(d_scene, scene, sizeof scene);
    uchar4 *d;
    std::vector<uchar4> img(w * h);
    cudaMalloc(&d, w * h * sizeof(uchar4));
    render<<<dim3((w + 7) / 8, (h + 7) / 8), dim3(8, 8)>>>(d, w, h);
    cudaMemcpy(img.data(), d, w * h * sizeof(uchar4), cudaMemcpyDeviceToHost);
    cudaFree(d);
    int differs = 0, nonzero = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            vec3 c = pixel(scene, x, y, w, h);
            auto sat = [](float v) { return (int)(fminf(fmaxf(v, 0), 1) * 255); };
            uchar4 p = img[y * w + x];
            differs += abs(sat(c.x) - p.x) > 2 || abs(sat(c.y) - p.y) > 2 || abs(sat(c.z) - p.z) > 2;
            nonzero += p.x || p.y || p.z;
        }
    printf("%d of %d pixels differ\n", differs, w * h); // silhouettes may, by rounding
    bool ok = cudaGetLastError() == cudaSuccess && differs < w * h / 100 && nonzero > w * h / 2;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
