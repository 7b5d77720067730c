/* texture_kernel.h: for tests of textures and surfaces: kernels of one instruction, and what 32 lanes get of it. */
#ifndef LW_TEXTURE_KERNEL_H
#define LW_TEXTURE_KERNEL_H

#include "unit.h"

#include "host/host.h"
#include "host/services_priv.h"

/* ---------------------------------------------------------------- kernels of one instruction */
/* One warp; lane l finds its coordinates and values in words 8 l to 8 l + 7 of the input, %r0 to %r7 (as floats %f0 to
 * %f7), and leaves %o0 to %o3 in words 4 l to 4 l + 3 of the output. `object` is in %rd0. */
static inline host_module *module_of(const char *instruction)
{
    static const char before[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out)\n{\n"
        ".reg .b32 %r<8>; .reg .b32 %o<4>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .b16 %h<4>; .reg .pred %p<2>;\n"
        "mov.u32 %o0, %tid.x;\nld.param.u64 %rd0, [object];\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"
        "mad.wide.u32 %rd1, %o0, 32, %rd1;\nmad.wide.u32 %rd2, %o0, 16, %rd2;\n"
        "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1];\nld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1+16];\n"
        "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];\nld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%rd1+16];\n"
        "mov.b32 %o0, 0;\nmov.b32 %o1, 0;\nmov.b32 %o2, 0;\nmov.b32 %o3, 0;\n";
    static const char after[] = "\nst.global.v4.u32 [%rd2], {%o0, %o1, %o2, %o3};\nret;\n}\n";
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", before, instruction, after);
    host_part part = {"texture.ptx", text, strlen(text)};
    host_module *m = NULL;
    lw_error error = {0};
    if (host_module_load(host_get(), &part, 1, &m, &error)) printf("    %s\n    %s\n", instruction, error.message);
    return m;
}

typedef union words {
    uint32_t u[32][8];
    float f[32][8];
} words;

static inline uint64_t device_buffer(uint64_t bytes)
{
    uint64_t a = 0;
    CHECK_EQ_INT(host_malloc(host_get(), bytes, MEM_DEVICE, 0, &a), 0);
    return a;
}

/* Runs the instruction once; returns the launch's error. */
static inline host_error run_one(const char *instruction, uint64_t object, const words *in, uint32_t out[32][4])
{
    host_context *c = host_get();
    host_module *m = module_of(instruction);
    host_kernel *k = NULL;
    if (!m) return HOST_INVALID_VALUE;
    host_error error = host_module_kernel(m, "k", &k);
    uint64_t from = device_buffer(sizeof *in), to = device_buffer(512);
    memcpy(mem_storage(from), in, sizeof *in);
    void *params[] = {&object, &from, &to};
    host_launch_config g = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = host_stream_resolve(c, NULL, false)};
    if (!error) error = host_launch(k, &g, params, NULL, 0);
    if (!error) error = host_synchronize(c);
    if (error) return error; /* the context is gone */
    memcpy(out, mem_storage(to), 512);
    host_free(c, from);
    host_free(c, to);
    host_module_unload(c, m);
    return 0;
}

static uint32_t seed = 1;
static uint32_t draw(void) { return (seed = seed * 1664525u + 1013904223u) >> 8; }

static inline uint8_t *bytes_of(const host_array *a) { return mem_storage(a->address); }

#endif
