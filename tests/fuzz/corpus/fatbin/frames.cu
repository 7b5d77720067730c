// What machine code saves of its callers' registers: functions called by address, and one that calls itself.
struct shape {
    __device__ virtual float area(float x) const = 0;
    float size;
};
struct square : shape {
    __device__ float area(float x) const override { return size * size + x; }
};
struct spiral : shape {
    const shape *inner;
    __device__ float area(float x) const override
    {
        float sum = x;
        for (int i = 0; i < 7; i++) sum += inner->area(sum) * size;
        return sum;
    }
};
__device__ __noinline__ unsigned turns(unsigned n) { return n < 2 ? n : turns(n - 1) * n + turns(n / 2); }
__device__ __noinline__ float plain(float x) { return x * 3 + 1; }

extern "C" __global__ void by_address(float *out, shape *const *shapes)
{
    float array[5];
    for (unsigned i = 0; i < 5; i++) array[i] = out[i];
    out[threadIdx.x] = shapes[threadIdx.x]->area(array[threadIdx.x % 5]);
}
extern "C" __global__ void make(shape **shapes)
{
    shapes[0] = new square;
    shapes[1] = new spiral;
}
extern "C" __global__ void itself(unsigned *out) { out[threadIdx.x] = turns(out[threadIdx.x]); }
extern "C" __global__ void direct(float *out)
{
    out[threadIdx.x] = plain(out[threadIdx.x]) + plain(out[threadIdx.x + 32]);
}
