// cuRAND on the device: Philox against the published test vector of its paper (key 0, counter 0), sequences that must
// differ or repeat, and moments of uniform, normal and Poisson numbers from the default generator.
#include <cmath>
#include <cstdio>
#include <curand_kernel.h>

const int blocks = 8, threads = 128, per_thread = 16;

__global__ void first_words(unsigned *out)
{
    curandStatePhilox4_32_10_t state;
    curand_init(0, 0, 0, &state);
    uint4 w = curand4(&state);
    out[0] = w.x, out[1] = w.y, out[2] = w.z, out[3] = w.w;
}

__global__ void setup(curandState *states, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}

// sums[0..5]: uniform, its square, normal, its square, Poisson of mean 4, how many left (0, 1].
__global__ void draw(curandState *states, double *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = states[i];
    double s[6] = {0};
    for (int n = 0; n < per_thread; n++) {
        float u = curand_uniform(&state), g = curand_normal(&state);
        s[0] += u, s[1] += u * u, s[2] += g, s[3] += g * g;
        s[4] += curand_poisson(&state, 4.0);
        s[5] += u <= 0.0f || u > 1.0f;
    }
    states[i] = state;
    for (int n = 0; n < 6; n++)
        atomicAdd(&sums[n], s[n]);
}

static int near(const char *what, double is, double want, double tolerance)
{
    if (std::fabs(is - want) <= tolerance)
        return 1;
    printf("%s is %f, not near %f\n", what, is, want);
    return 0;
}

static void sums_of(unsigned long long seed, curandState *states, double *device, double *host)
{
    cudaMemset(device, 0, 6 * sizeof(double));
    setup<<<blocks, threads>>>(states, seed);
    draw<<<blocks, threads>>>(states, device);
    cudaMemcpy(host, device, 6 * sizeof(double), cudaMemcpyDeviceToHost);
}

int main()
{
    const unsigned known[4] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
    unsigned *words, got[4];
    int good = 1;
    cudaMalloc(&words, sizeof got);
    first_words<<<1, 1>>>(words);
    cudaMemcpy(got, words, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        good &= got[i] == known[i];
    if (!good)
        printf("Philox gave %08x %08x %08x %08x\n", got[0], got[1], got[2], got[3]);

    const double count = (double)blocks * threads * per_thread;
    curandState *states;
    double *device, a[6], b[6], again[6];
    cudaMalloc(&states, blocks * threads * sizeof *states);
    cudaMalloc(&device, sizeof a);
    sums_of(42, states, device, a);
    sums_of(43, states, device, b);
    sums_of(42, states, device, again);
    good &= near("the mean of uniform numbers", a[0] / count, 0.5, 0.01);
    good &= near("their second moment", a[1] / count, 1.0 / 3.0, 0.01);
    good &= near("the mean of normal numbers", a[2] / count, 0.0, 0.03);
    good &= near("their second moment", a[3] / count, 1.0, 0.05);
    good &= near("the mean of Poisson numbers", a[4] / count, 4.0, 0.08);
    good &= near("numbers outside (0, 1]", a[5], 0.0, 0.0);
    good &= near("the same seed's sum", again[4], a[4], 0.0);
    if (a[4] == b[4] && std::fabs(a[0] - b[0]) < 1e-9) {
        printf("two seeds gave one sequence\n");
        good = 0;
    }
    good &= cudaDeviceSynchronize() == cudaSuccess;
    printf("%s\n", good ? "PASS" : "FAIL");
    return !good;
}
