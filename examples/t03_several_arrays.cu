/* T3: ints, floats and chars carved out of one dynamic shared buffer.
 * A launch has only one dynamic buffer; its arrays are pointers into it. Each must start at a multiple of its
 * element's size: order them from the largest element to the smallest, or round the offsets up.
 * faults/t03_misplaced_float.cu puts the chars first and forgets to round. */
#include "example.h"

#define BLOCK 96

/* One block: every output is the reverse of its input. */
__global__ void carve(int *d_int, int n_int, float *d_float, int n_float, char *d_char, int n_char) {
    extern __shared__ int s[];
    int *s_int = s;
    float *s_float = (float *)&s_int[n_int];
    char *s_char = (char *)&s_float[n_float];
    int t = threadIdx.x;

    for (int i = t; i < n_int; i += blockDim.x)
        s_int[i] = d_int[i];
    for (int i = t; i < n_float; i += blockDim.x)
        s_float[i] = d_float[i];
    for (int i = t; i < n_char; i += blockDim.x)
        s_char[i] = d_char[i];
    __syncthreads();
    for (int i = t; i < n_int; i += blockDim.x)
        d_int[i] = s_int[n_int - 1 - i];
    for (int i = t; i < n_float; i += blockDim.x)
        d_float[i] = s_float[n_float - 1 - i];
    for (int i = t; i < n_char; i += blockDim.x)
        d_char[i] = s_char[n_char - 1 - i];
}

int main(void) {
    enum { N_INT = 64, N_FLOAT = 96, N_CHAR = 50 };
    int h_int[N_INT], e_int[N_INT], *d_int;
    float h_float[N_FLOAT], e_float[N_FLOAT], *d_float;
    char h_char[N_CHAR], *d_char;
    size_t shared_bytes = N_INT * sizeof(int) + N_FLOAT * sizeof(float) + N_CHAR * sizeof(char);
    int pass;

    for (int i = 0; i < N_INT; i++) {
        h_int[i] = 3 * i + 1;
        e_int[N_INT - 1 - i] = h_int[i];
    }
    for (int i = 0; i < N_FLOAT; i++) {
        h_float[i] = 0.5f * i;
        e_float[N_FLOAT - 1 - i] = h_float[i];
    }
    for (int i = 0; i < N_CHAR; i++)
        h_char[i] = (char)('0' + i);

    CHECK(cudaMalloc((void **)&d_int, sizeof h_int));
    CHECK(cudaMalloc((void **)&d_float, sizeof h_float));
    CHECK(cudaMalloc((void **)&d_char, sizeof h_char));
    CHECK(cudaMemcpy(d_int, h_int, sizeof h_int, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_float, h_float, sizeof h_float, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_char, h_char, sizeof h_char, cudaMemcpyHostToDevice));
    carve<<<1, BLOCK, shared_bytes>>>(d_int, N_INT, d_float, N_FLOAT, d_char, N_CHAR);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_int, d_int, sizeof h_int, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_float, d_float, sizeof h_float, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h_char, d_char, sizeof h_char, cudaMemcpyDeviceToHost));

    pass = same_ints("ints", e_int, h_int, N_INT) && same_floats("floats", e_float, h_float, N_FLOAT, 0.0f);
    for (int i = 0; pass && i < N_CHAR; i++) {
        if (h_char[i] != '0' + N_CHAR - 1 - i) {
            printf("chars: element %d is %d, expected %d\n", i, h_char[i], '0' + N_CHAR - 1 - i);
            pass = 0;
        }
    }
    CHECK(cudaFree(d_int));
    CHECK(cudaFree(d_float));
    CHECK(cudaFree(d_char));
    return finish(pass);
}
