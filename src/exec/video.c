/* video.c: the executor of all video instructions: lane by lane, as their descriptor says. They are rare: nvcc writes
 * plain integer code for its SIMD intrinsics. */
#include "exec/exec_priv.h"
#include "ptx/semantics.h"

void run_video(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const video_op *v = i->video;
    u32 *d = LANES(u32, i->d);
    const u32 *a = LANES(u32, i->a), *b = LANES(u32, i->b), *c = LANES(u32, i->c);
    for (u32 l = 0; l < 32; l++)
        if (mask >> l & 1) d[l] = video(v, a[l], b[l], c[l]);
}
