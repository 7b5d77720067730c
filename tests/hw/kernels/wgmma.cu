// nvcc: -gencode arch=compute_90a,code=compute_90a
/* What wgmma's operands in shared memory cost: one product, or two, of one warpgroup or two, for sizes, swizzles, types and ways
 * in which operands lie there. What the matrices hold does not matter. */
#define MMA "wgmma.mma_async.sync.aligned."
#define METADATA ""
#define DEPTH "k16"
#include "wgmma_operands.h"

HALF(n8, 8, 4, SHARED, ", 1, 1, 0, 0")
HALF(n16, 16, 8, SHARED, ", 1, 1, 0, 0")
HALF(n24, 24, 12, SHARED, ", 1, 1, 0, 0")
HALF(n32, 32, 16, SHARED, ", 1, 1, 0, 0")
HALF(n64, 64, 32, SHARED, ", 1, 1, 0, 0")
HALF(n128, 128, 64, SHARED, ", 1, 1, 0, 0")
HALF(n256, 256, 128, SHARED, ", 1, 1, 0, 0")
HALF(registers8, 8, 4, REGISTERS, ", 1, 1, 0")
HALF(registers64, 64, 32, REGISTERS, ", 1, 1, 0")
HALF(registers128, 128, 64, REGISTERS, ", 1, 1, 0")
HALF(turned_a, 64, 32, SHARED, ", 1, 1, 1, 0")
HALF(turned_b, 64, 32, SHARED, ", 1, 1, 0, 1")
HALF(turned_both, 128, 64, SHARED, ", 1, 1, 1, 1")
PRODUCT(twice, "m64n64k16.f32.f16.f16", 32, SHARED, ", 1, 1, 0, 0", TWICE)
PRODUCT(bytes, "m64n64k32.s32.s8.s8", 32, SHARED, "", ONCE)
PRODUCT(fp8, "m64n64k32.f32.e4m3.e4m3", 32, SHARED, ", 1, 1", ONCE)
PRODUCT(tf32, "m64n64k8.f32.tf32.tf32", 32, SHARED, ", 1, 1", ONCE)

int main(void) {
    out = device_words<int>(1024, true);
    const unsigned long long a128 = matrix(0, 16, 1024, 1), b128 = matrix(8192, 16, 1024, 1);
    run(n8, 128, a128, b128);
    run(n16, 128, a128, b128);
    run(n24, 128, a128, b128);
    run(n32, 128, a128, b128);
    run(n64, 128, a128, b128);
    run(n128, 128, a128, b128);
    run(n256, 128, a128, b128);
    run(registers8, 128, a128, b128);
    run(registers64, 128, a128, b128);
    run(registers128, 128, a128, b128);
    run(n64, 128, matrix(0, 16, 512, 2), matrix(8192, 16, 512, 2));
    run(n64, 128, matrix(0, 16, 256, 3), matrix(8192, 16, 256, 3));
    run(n64, 128, matrix(0, 128, 256, 0), matrix(8192, 128, 256, 0));
    run(n64, 128, matrix(0, 2048, 128, 0), matrix(8192, 2048, 128, 0));
    run(n64, 128, matrix(0, 144, 288, 0), matrix(8192, 144, 288, 0));
    run(n64, 128, a128, matrix(8192, 16, 256, 3));
    run(n64, 128, a128 + 2, b128 + 2);
    run(n64, 128, a128, a128);
    run(n64, 128, matrix(0, 16, 0, 1), matrix(8192, 16, 0, 1));
    run(turned_a, 128, matrix(0, 8192, 1024, 1), b128);
    run(turned_b, 128, a128, matrix(8192, 8192, 1024, 1));
    run(turned_both, 128, matrix(0, 8192, 1024, 1), matrix(8192, 2048, 1024, 1));
    run(turned_b, 128, a128, matrix(8192, 128, 1024, 0));
    run(twice, 128, a128, b128);
    run(bytes, 128, a128, b128);
    run(fp8, 128, a128, b128);
    run(tf32, 128, a128, b128);
    run(n64, 256, a128, b128);
    run(n128, 256, a128, b128);
    puts("done");
    return 0;
}
