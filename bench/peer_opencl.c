/* peer_opencl: the workloads W1..W4 as OpenCL kernels, for peers that run OpenCL on a CPU (PoCL; `oclgrind` in front of
 * it for Oclgrind). Prints one line a workload: kernel seconds, best of the repeats after one warm-up.
 * Usage: peer_opencl [repeats] [workload 1..4, 0 all] */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char source[] =
    "kernel void w1(global float *out, global const float *in, int n) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  if (x < n && y < n) out[(size_t)x * n + y] = in[(size_t)y * n + x]; }\n"
    "kernel void w2(global float *out, global const float *in, int n) {\n"
    "  local float tile[32][32]; int tx = get_local_id(0), ty = get_local_id(1);\n"
    "  int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;\n"
    "  for (int k = 0; k < 32; k += 8) tile[ty + k][tx] = in[(size_t)(y + k) * n + x];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  x = get_group_id(1) * 32 + tx; y = get_group_id(0) * 32 + ty;\n"
    "  for (int k = 0; k < 32; k += 8) out[(size_t)(y + k) * n + x] = tile[tx][ty + k]; }\n"
    "kernel void w3(global uint *bins, global const int *data, int n) {\n"
    "  local uint h[256]; int t = get_local_id(0); h[t] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&h[data[i] & 255]);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&bins[t], h[t]); }\n"
    "kernel void w4(global int *out, int n, int limit) {\n"
    "  int x = get_global_id(0), y = get_global_id(1); if (x >= n || y >= n) return;\n"
    "  float cx = -2.0f + 3.0f * x / n, cy = -1.5f + 3.0f * y / n, zx = 0, zy = 0; int k = 0;\n"
    "  while (k < limit && zx * zx + zy * zy < 4.0f) {\n"
    "    float t = zx * zx - zy * zy + cx; zy = 2.0f * zx * zy + cy; zx = t; k++; }\n"
    "  out[(size_t)y * n + x] = k; }\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 3, only = argc > 2 ? atoi(argv[2]) : 0;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 3;
    int n = 16 << 20, side = 2048, image = 1024, limit = 256;
    int *data = malloc((size_t)n * 4);
    unsigned seed = 1;
    for (int k = 0; k < n; k++) data[k] = (int)((seed = seed * 1664525u + 1013904223u) >> 8);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, (size_t)n * 4, data, NULL);
    cl_mem out = clCreateBuffer(context, 0, (size_t)n * 4, NULL, NULL);
    static const size_t global[4][2] = {{2048, 2048}, {2048, 512}, {1024 * 256, 1}, {1024, 1024}};
    static const size_t local[4][2] = {{32, 32}, {32, 8}, {256, 1}, {32, 8}};
    for (int w = 0; w < 4; w++) {
        char name[3] = {'w', (char)('1' + w), 0};
        if (only && only != w + 1) continue;
        cl_kernel kernel = clCreateKernel(program, name, NULL);
        clSetKernelArg(kernel, 0, sizeof out, &out);
        if (w < 3) clSetKernelArg(kernel, 1, sizeof in, &in), clSetKernelArg(kernel, 2, 4, w == 2 ? &n : &side);
        else clSetKernelArg(kernel, 1, 4, &image), clSetKernelArg(kernel, 2, 4, &limit);
        double best = 1e9;
        for (int r = 0; r <= repeats; r++) {
            double start = now();
            if (clEnqueueNDRangeKernel(queue, kernel, w == 2 ? 1 : 2, NULL, global[w], local[w], 0, NULL, NULL) ||
                clFinish(queue))
                return 4;
            double s = now() - start;
            if ((r || !repeats) && s < best) best = s;
        }
        printf("W%d %.6f\n", w + 1, best);
        fflush(stdout);
    }
    return 0;
}
