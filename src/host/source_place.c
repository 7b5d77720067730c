/* Where an instruction stands for a person: the innermost frame that is not in a toolkit or system header (atomicAdd,
 * shuffles and the like are inlined from one), else the leaf; without line information the line of the PTX text. */
#include <string.h>

#include "host/source_priv.h"

static bool contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* Headers of the toolkit, wherever it lies, and of the system, and what nvcc generates around a source. A user's own
 * folder named "cuda" is not one. */
bool host_is_toolkit_file(const char *f)
{
    if (!strncmp(f, "/usr/include/", 13) || !strncmp(f, "/usr/lib/", 9)) return true;
    if (contains(f, "/targets/") && contains(f, "/include/")) return true;
    if (!strncmp(f, "/usr/local/cuda", 15) && contains(f, "/include/")) return true;
    static const char *const parts[] = {"/include/cccl/",       "/include/crt/",
                                        "/include/nv/",         "/include/cuda/std/",
                                        "/include/cub/",        "/include/thrust/",
                                        "/sm_20_intrinsics",    "/sm_30_intrinsics",
                                        "/sm_32_intrinsics",    "/sm_60_atomic_functions",
                                        "/cuda_fp16.hpp",       "/cuda_bf16.hpp",
                                        "/cuda_fp8.hpp",        "/device_atomic_functions",
                                        "/cooperative_groups/", "/clang-include/",
                                        ".cudafe1.stub.c",      ".cudafe1.cpp"};
    for (size_t i = 0; i < LW_COUNT(parts); i++)
        if (contains(f, parts[i])) return true;
    return false;
}

const ptx_line *host_visible_frame(const ptx_line *leaf)
{
    const ptx_line *l = leaf;
    while (l && (!l->file || host_is_toolkit_file(l->file))) l = l->inlined_at;
    /* compilers give line 0 to what they merged from several lines: it stands behind one of them */
    if (leaf && leaf->before && (l ? l : leaf)->line == 0) return host_visible_frame(leaf->before);
    return l ? l : leaf;
}

/* Mangled name of the function that a frame lies in. */
const char *host_frame_function(const ptx_line *frame, const ptx_function *function)
{
    return frame && frame->function ? frame->function : function->name;
}
