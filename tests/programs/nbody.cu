// All-pairs n-body, bodies in tiles of shared memory, float4 positions, rsqrtf.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 128
#define SOFTENING 0.01f

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai) {
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
    float inv = rsqrtf(distSqr);
    float s = bj.w * inv * inv * inv;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__global__ void integrate(const float4 *pos, float4 *newPos, float4 *vel, int n, float dt) {
    __shared__ float4 sh[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 acc = {0.0f, 0.0f, 0.0f};
    for (int tile = 0; tile * TILE < n; tile++) {
        int j = tile * TILE + threadIdx.x;
        sh[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE; k++) acc = bodyBodyInteraction(p, sh[k], acc);
        __syncthreads();
    }
    if (i >= n) return;
    float4 v = vel[i];
    v.x += acc.x * dt;
    v.y += acc.y * dt;
    v.z += acc.z * dt;
    p.x += v.x * dt;
    p.y += v.y * dt;
    p.z += v.z * dt;
    vel[i] = v;
    newPos[i] = p;
}

int main() {
    const int n = 300, steps = 3;
    const float dt = 0.01f;
    std::vector<float4> pos(n), vel(n), got(n);
    auto rnd = [] { return rand() / (float)RAND_MAX * 2 - 1; };
    for (int i = 0; i < n; i++) {
        pos[i] = make_float4(rnd(), rnd(), rnd(), (rnd() + 1.5f) / n);
        vel[i] = make_float4(rnd() * 0.1f, rnd() * 0.1f, rnd() * 0.1f, 0);
    }
    float4 *d_a, *d_b, *d_v;
    cudaMalloc(&d_a, n * sizeof(float4));
    cudaMalloc(&d_b, n * sizeof(float4));
    cudaMalloc(&d_v, n * sizeof(float4));
    cudaMemcpy(d_a, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, vel.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) {
        integrate<<<(n + TILE - 1) / TILE, TILE>>>(d_a, d_b, d_v, n, dt);
        std::swap(d_a, d_b);
        std::vector<float4> next = pos;
        for (int i = 0; i < n; i++) {
            double ax = 0, ay = 0, az = 0;
            for (int j = 0; j < n; j++) {
                double x = pos[j].x - pos[i].x, y = pos[j].y - pos[i].y, z = pos[j].z - pos[i].z;
                double inv = 1 / sqrt(x * x + y * y + z * z + SOFTENING), w = pos[j].w * inv * inv * inv;
                ax += x * w; ay += y * w; az += z * w;
            }
            vel[i].x += ax * dt; vel[i].y += ay * dt; vel[i].z += az * dt;
            next[i].x += vel[i].x * dt; next[i].y += vel[i].y * dt; next[i].z += vel[i].z * dt;
        }
        pos = next;
    }
    cudaMemcpy(got.data(), d_a, n * sizeof(float4), cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int i = 0; i < n; i++)
        if (fabs(got[i].x - pos[i].x) > 1e-4 || fabs(got[i].y - pos[i].y) > 1e-4 || fabs(got[i].z - pos[i].z) > 1e-4 ||
            got[i].w != pos[i].w)
            bad++;
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_v);
    printf(bad ? "%d bodies wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
