/* Branches: what a warp's lanes ask for when they part, and what the assembler makes of && and ||. */
#include "hw.h"

__global__ void if_else(int *out, const int *in) {
    int i = TID;
    if (in[i] & 1) out[i] = in[i + 256] + 1;
    else out[i] = in[i + 512] - 1;
}
__global__ void and_chain(int *out, const int *a, const int *b, const int *c) {
    int i = TID;
    if ((a[i] & 1) && (b[i] & 2) && (c[i] & 4)) out[i] = 1;
}
__global__ void or_chain(int *out, const int *a, const int *b, const int *c) {
    int i = TID;
    if ((a[i] & 1) || (b[i] & 2) || (c[i] & 4)) out[i] = 1;
}
__global__ void bounds_and_mask(float *out, const float *in, const unsigned *mask, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1 && (mask[y * w + x] >> 9 & 1))
        out[y * w + x] = in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x];
}
__global__ void switch_four(int *out, const int *in) {
    int i = TID;
    switch (in[i] >> 5 & 3) {
    case 0: out[i] = in[i + 256]; break;
    case 1: out[i] = in[i + 512] * 3; break;
    case 2: out[i + 256] = in[i]; break;
    default: out[i + 512] = in[i] ^ in[i + 768]; break;
    }
}
__global__ void switch_twelve(int *out, const int *in) {
    int i = TID, v;
    switch ((in[i] >> 7 & 15)) {
    case 0: v = in[i + 32]; break;
    case 1: v = in[i + 64] * 3; break;
    case 2: v = in[i + 96] + 5; break;
    case 3: v = in[i + 128] ^ 5; break;
    case 4: v = in[i + 160] | 5; break;
    case 5: v = in[i + 192] & 5; break;
    case 6: v = in[i + 224] - 5; break;
    case 7: v = in[i + 256] >> 5; break;
    case 8: v = in[i + 288] << 5; break;
    case 9: v = in[i + 320] / 5; break;
    case 10: v = in[i + 352] % 5; break;
    case 11: v = -in[i + 384]; break;
    default: v = 0;
    }
    out[i] = v;
}
__global__ void loop_trips(int *out, const int *in) {
    int i = TID, sum = 0;
    for (int k = 0; k < (in[i] >> 4 & 15); k++) sum += in[i + 32 * k];
    out[i] = sum;
}
__global__ void loop_break(int *out, const int *in) {
    int i = TID, k;
    for (k = 0; k < 64; k++)
        if ((in[i + 32 * k] >> 3 & 7) == 5) break;
    out[i] = k;
}
__global__ void loop_continue(int *out, const int *in) {
    int i = TID, sum = 0;
    for (int k = 0; k < 20; k++) {
        if ((in[i + 32 * k] >> 3 & 3) == 1) continue;
        sum += in[i + 32 * k + 2048];
    }
    out[i] = sum;
}
__global__ void early_return(int *out, const int *in) {
    int i = TID;
    if (in[i] & 8) return;
    out[i] = in[i + 64];
    if (in[i + 64] & 16) return;
    out[i + 256] = in[i + 128];
}
__global__ void ternary(int *out, const int *in) {
    int i = TID;
    out[i] = (in[i] & 1) ? in[i + 512] : in[i + 768];
}
__global__ void ternary_pointer(int *out, const int *a, const int *b) {
    int i = TID;
    const int *p = (i & 4) ? a : b;
    out[i] = p[i];
}
__global__ void nested(int *out, const int *in, int n) {
    int i = TID;
    if (i < n) {
        if (in[i] & 1) {
            if (in[i] & 2) out[i] = in[i + 32];
            else out[i] = in[i + 64];
        }
        out[i + 256] = in[i + 96];
    }
}
__global__ void lane_loop(int *out, const int *in) {
    int i = TID, lane = threadIdx.x & 31, sum = 0;
    for (int k = 0; k <= lane; k++) sum += in[(i & ~31) + k];
    out[i] = sum;
}
__global__ void while_gcd(int *out, const int *in) {
    int i = TID;
    unsigned a = in[i] & 255, b = in[i + 32] & 255;
    while (b) {
        unsigned t = a % b;
        a = b, b = t;
        out[i + 512] = a;
    }
    out[i] = a;
}
__global__ void one_lane(int *out, const int *in) {
    if ((threadIdx.x & 31) == 0) out[TID] = in[TID];
}
__global__ void first_thread(int *out, const int *in) {
    if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x];
}

int main(void) {
    int *in = device_words<int>(1 << 18, false), *out = device_words<int>(1 << 18, true);
    LAUNCH(if_else, 2, 128, out, in);
    LAUNCH(and_chain, 2, 128, out, in, in + 1000, in + 2000);
    LAUNCH(or_chain, 2, 128, out, in, in + 1000, in + 2000);
    LAUNCH(bounds_and_mask, dim3(3, 3), dim3(32, 8), (float *)out, (const float *)in, (const unsigned *)in, 80, 20);
    LAUNCH(switch_four, 2, 128, out, in);
    LAUNCH(switch_twelve, 2, 128, out, in);
    LAUNCH(loop_trips, 2, 128, out, in);
    LAUNCH(loop_break, 2, 128, out, in);
    LAUNCH(loop_continue, 2, 128, out, in);
    LAUNCH(early_return, 2, 128, out, in);
    LAUNCH(ternary, 2, 128, out, in);
    LAUNCH(ternary_pointer, 2, 128, out, in, in + 777);
    LAUNCH(nested, 2, 128, out, in, 200);
    LAUNCH(lane_loop, 2, 128, out, in);
    LAUNCH(while_gcd, 2, 128, out, in);
    LAUNCH(one_lane, 2, 128, out, in);
    LAUNCH(first_thread, 3, 128, out, in);
    puts("done");
    return 0;
}
