// Declarations shared by the files of this program.
#pragma once

struct vec3 {
    float x, y, z;
};

__device__ vec3 scale(vec3 v, float k);
__device__ float dot(vec3 a, vec3 b);
__device__ void count_call();

extern __device__ float factor;
extern __constant__ float weights[4];
typedef float (*operation)(float, float);
extern __device__ operation operations[2];

void set_factor(float f);
int read_calls();
int launch_from_other_file(float *d_buffer, int n);
