// Random numbers per thread: LCG, xorshift32/128, xorwow, PCG32, SplitMix64; host and device must agree bit for bit.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

struct Lcg {
    uint32_t s;
    __host__ __device__ explicit Lcg(uint32_t seed) : s(seed) {}
    __host__ __device__ uint32_t next() { return s = 1664525u * s + 1013904223u; }
};

struct XorShift32 {
    uint32_t s;
    __host__ __device__ explicit XorShift32(uint32_t seed) : s(seed | 1) {}
    __host__ __device__ uint32_t next() {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        return s;
    }
};

struct XorWow {
    uint32_t x, y, z, w, v, d;
    __host__ __device__ explicit XorWow(uint32_t seed)
        : x(seed ^ 123456789u), y(362436069u), z(521288629u), w(88675123u), v(5783321u), d(6615241u) {}
    __host__ __device__ uint32_t next() {
        uint32_t t = x ^ (x >> 2);
        x = y; y = z; z = w; w = v;
        v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        return (d += 362437) + v;
    }
};

struct Pcg32 {
    uint64_t state, inc;
    __host__ __device__ explicit Pcg32(uint32_t seed) : state(seed * 6364136223846793005ULL + 1), inc(2u * seed + 1) {}
    __host__ __device__ uint32_t next() {
        uint64_t old = state;
        state = old * 6364136223846793005ULL + inc;
        uint32_t xs = (uint32_t)(((old >> 18u) ^ old) >> 27u), rot = (uint32_t)(old >> 59u);
        return (xs >> rot) | (xs << ((-rot) & 31));
    }
};

struct SplitMix {
    uint64_t s;
    __host__ __device__ explicit SplitMix(uint32_t seed) : s(seed) {}
    __host__ __device__ uint32_t next() {
        uint64_t z = (s += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return (uint32_t)((z ^ (z >> 31)) >> 32);
    }
};

template <class G> __global__ void generate(uint32_t *out, float *uniform, int count) {
    int id = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
    G g(id * 2654435761u + 17);
    for (int k = 0; k < count; k++) {
        uint32_t r = g.next();
        out[k * total + id] = r;
        uniform[k * total + id] = (r >> 8) * (1.0f / 16777216.0f);
    }
}

template <class G> bool test(const char *name) {
    const int grid = 5, block = 96, total = grid * block, count = 20;
    uint32_t *d;
    float *du;
    std::vector<uint32_t> got(total * count);
    std::vector<float> gotu(total * count);
    cudaMalloc(&d, got.size() * 4);
    cudaMalloc(&du, got.size() * 4);
    generate<G><<<grid, block>>>(d, du, count);
    cudaMemcpy(got.data(), d, got.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(gotu.data(), du, got.size() * 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(du);
    double mean = 0;
    for (int id = 0; id < total; id++) {
        G g(id * 2654435761u + 17);
        for (int k = 0; k < count; k++) {
            uint32_t r = g.next();
            if (r != got[k * total + id] || gotu[k * total + id] != (r >> 8) * (1.0f / 16777216.0f)) {
                printf("%s: thread %d number %d differs\n", name, id, k);
                return false;
            }
            mean += gotu[k * total + id];
        }
    }
    mean /= total * count;
    printf("%-10s mean %f\n", name, mean);
    return mean > 0.45 && mean < 0.55;
}

int main() {
    bool ok = test<Lcg>("lcg") & test<XorShift32>("xorshift") & test<XorWow>("xorwow") & test<Pcg32>("pcg") &
              test<SplitMix>("splitmix");
    ok &= cudaGetLastError() == cudaSuccess;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
