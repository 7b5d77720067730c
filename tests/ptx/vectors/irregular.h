/* irregular.h: statements of instructions that are no regular row: video, extended precision, bfi, packed and combined
 * comparisons, width adaptation. Each reads %r11 %r12 %r13 (or %d11 ...) and writes %r10 (%d10); %r14.. %d14.. %h10..
 * %p0.. are free. Shared by the generator, the recorder and the test. */
#ifndef LW_TEST_VECTOR_IRREGULAR_H
#define LW_TEST_VECTOR_IRREGULAR_H

#include <stdint.h>
#include <stdio.h>

#include "inputs.h"

enum { IRREGULAR_COUNT = 32 };

typedef struct irregular {
    const char *text;
    uint8_t bytes; /* of the operands and the result: 4 or 8 */
    uint8_t class; /* of the operands */
} irregular;

static const irregular irregular_fixed[] = {
    {"shr.u32 %r14, %r13, 8; bfi.b32 %r10, %r11, %r12, %r13, %r14;", 4, CLASS_INT},
    {"and.b32 %r13, %r13, 31; shr.u32 %r14, %r12, 7; and.b32 %r14, %r14, 63; bfi.b32 %r10, %r11, %r12, %r13, %r14;", 4,
     CLASS_INT},
    {"cvt.u32.u64 %r13, %d13; shr.u32 %r14, %r13, 8; bfi.b64 %d10, %d11, %d12, %r13, %r14;", 8, CLASS_INT},
    {"cvt.u32.u64 %r13, %d13; shr.u32 %r14, %r13, 7; and.b32 %r13, %r13, 63; and.b32 %r14, %r14, 127; "
     "bfi.b64 %d10, %d11, %d12, %r13, %r14;",
     8, CLASS_INT},
    {"add.cc.u32 %r14, %r11, %r12; addc.u32 %r10, %r13, %r13;", 4, CLASS_INT},
    {"add.cc.u32 %r14, %r11, %r12; addc.cc.u32 %r15, %r14, %r13; addc.u32 %r10, %r15, %r14;", 4, CLASS_INT},
    {"sub.cc.u32 %r14, %r11, %r12; subc.u32 %r10, %r13, %r14;", 4, CLASS_INT},
    {"sub.cc.s32 %r14, %r11, %r12; subc.cc.s32 %r15, %r13, %r14; subc.s32 %r10, %r11, %r15;", 4, CLASS_INT},
    {"add.cc.u64 %d14, %d11, %d12; addc.cc.u64 %d15, %d13, %d14; addc.u64 %d10, %d15, %d11;", 8, CLASS_INT},
    {"sub.cc.s64 %d14, %d11, %d12; subc.cc.s64 %d15, %d13, %d14; subc.s64 %d10, %d11, %d15;", 8, CLASS_INT},
    {"mad.lo.cc.u32 %r14, %r11, %r12, %r13; madc.hi.u32 %r10, %r11, %r12, %r14;", 4, CLASS_INT},
    {"mad.hi.cc.u32 %r14, %r11, %r12, %r13; madc.lo.cc.u32 %r15, %r11, %r13, %r14; madc.hi.u32 %r10, %r12, %r13, %r15;",
     4, CLASS_INT},
    {"mad.lo.cc.s32 %r14, %r11, %r12, %r13; madc.hi.cc.s32 %r15, %r11, %r12, %r14; addc.u32 %r10, %r15, %r14;", 4,
     CLASS_INT},
    {"mad.lo.cc.u64 %d14, %d11, %d12, %d13; madc.hi.u64 %d10, %d11, %d12, %d14;", 8, CLASS_INT},
    {"mad.lo.cc.s64 %d14, %d11, %d12, %d13; madc.hi.s64 %d10, %d11, %d12, %d14;", 8, CLASS_INT},
    {"setp.lt.u32 %p1, %r11, %r13; lop3.or.b32 %r10|%p0, %r11, %r12, %r13, 0x96, %p1; @%p0 add.u32 %r10, %r10, 1;", 4,
     CLASS_INT},
    {"setp.lt.u32 %p1, %r11, %r13; lop3.and.b32 %r10|%p0, %r11, %r12, %r13, 0x80, %p1; @%p0 add.u32 %r10, %r10, 1;", 4,
     CLASS_INT},
    {"set.lt.u32.s32 %r10, %r11, %r12;", 4, CLASS_INT},
    {"set.hs.f32.u32 %f14, %r11, %r12; mov.b32 %r10, %f14;", 4, CLASS_INT},
    {"set.neu.u32.f32 %r10, %r11, %r12;", 4, CLASS_F32},
    {"set.lt.ftz.f32.f32 %f14, %r11, %r12; mov.b32 %r10, %f14;", 4, CLASS_F32},
    {"setp.ne.u32 %p1, %r13, 0; set.ge.and.u32.s32 %r10, %r11, %r12, %p1;", 4, CLASS_INT},
    {"setp.ne.b64 %p1, %d13, 0; set.ge.xor.s32.f64 %r14, %d11, %d12, !%p1; cvt.s64.s32 %d10, %r14;", 8, CLASS_F64},
    {"setp.lt.s32 %p1, %r13, 0; setp.gt.or.s32 %p0|%p2, %r11, %r12, %p1; selp.u32 %r10, 1, 0, %p0; @%p2 add.u32 %r10, "
     "%r10, 2;",
     4, CLASS_INT},
    {"setp.lt.s32 %p1, %r13, 0; setp.le.and.u32 %p1|%p2, %r11, %r12, !%p1; selp.u32 %r10, 1, 0, %p1; @%p2 add.u32 "
     "%r10, %r10, 2;",
     4, CLASS_INT},
    {"set.lt.f16x2.f16x2 %r10, %r11, %r12;", 4, CLASS_H16X2},
    {"set.geu.u32.f16x2 %r10, %r11, %r12;", 4, CLASS_H16X2},
    {"set.eq.ftz.s32.f16x2 %r10, %r11, %r12;", 4, CLASS_H16X2},
    {"set.ne.bf16x2.bf16x2 %r10, %r11, %r12;", 4, CLASS_B16X2},
    {"set.leu.u32.bf16x2 %r10, %r11, %r12;", 4, CLASS_B16X2},
    {"setp.lt.s32 %p1, %r13, 0; set.gt.and.f16x2.f16x2 %r10, %r11, %r12, %p1;", 4, CLASS_H16X2},
    {"setp.lt.s32 %p1, %r13, 0; setp.lt.xor.f16x2 %p1|%p2, %r11, %r12, %p1; selp.u32 %r10, 1, 0, %p1; @%p2 add.u32 "
     "%r10, %r10, 2;",
     4, CLASS_H16X2},
    {"setp.lt.s32 %p1, %r13, 0; setp.nan.or.bf16x2 %p2|%p1, %r11, %r12, %p1; selp.u32 %r10, 1, 0, %p1; @%p2 add.u32 "
     "%r10, %r10, 2;",
     4, CLASS_B16X2},
    {"mov.b32 {%h10, %h11}, %r11; mov.b32 {%h12, %h13}, %r12; set.gt.u32.f16 %r14, %h10, %h12; set.gt.f16.f16 %h14, "
     "%h11, %h13; "
     "mov.b32 %r15, {%h14, %h10}; xor.b32 %r10, %r14, %r15;",
     4, CLASS_H16X2},
    {"mov.b32 {%h10, %h11}, %r11; mov.b32 {%h12, %h13}, %r12; set.gt.s32.bf16 %r14, %h10, %h12; set.gtu.bf16.bf16 "
     "%h14, %h11, %h13; "
     "mov.b32 %r15, {%h14, %h10}; xor.b32 %r10, %r14, %r15;",
     4, CLASS_B16X2},
    {"mov.b32 {%h10, %h11}, %r11; cvt.s32.s8 %r10, %h10;", 4, CLASS_INT},
    {"cvt.s8.s32 %r10, %r11;", 4, CLASS_INT},
    {"cvt.u8.s32 %r10, %r11;", 4, CLASS_INT},
    {"cvt.sat.s8.s32 %r10, %r11;", 4, CLASS_INT},
    {"cvt.u32.u8 %r10, %r11;", 4, CLASS_INT},
    {"cvt.s32.s16 %r10, %r11;", 4, CLASS_INT},
    {"cvt.rzi.s8.f32 %r10, %r11;", 4, CLASS_F32},
    {"cvt.rzi.u8.f32 %r10, %r11;", 4, CLASS_F32},
    {"cvt.rzi.s16.f64 %r10, %d11; cvt.s64.s32 %d10, %r10;", 8, CLASS_F64},
    {"cvt.rn.f32.s8 %f10, %r11; mov.b32 %r10, %f10;", 4, CLASS_INT},
    {"cvt.s64.s16 %d10, %d11;", 8, CLASS_INT},
    {"prmt.b32 %r10, %r11, %r12, 0x5410;", 4, CLASS_INT},
    {"prmt.b32 %r10, %r11, %r12, 0xba98;", 4, CLASS_INT},
};

/* Forms of one video instruction; %s stands for name and types. */
static const char *const video_scalar_forms[] = {
    "%s %%r10, %%r11, %%r12;",
    "%s %%r10, %%r11.b1, %%r12.h1;",
    "%s.add %%r10, %%r11, %%r12, %%r13;",
    "%s.min %%r10, %%r11.h0, %%r12.b3, %%r13;",
    "%s.max %%r10, %%r11, %%r12.b0, %%r13;",
    "%s %%r10.b2, %%r11, %%r12, %%r13;",
    "%s %%r10.h1, %%r11.b2, %%r12.h0, %%r13;",
    "%s %%r10.h0, %%r11, %%r12, %%r13;",
};
static const char *const video_mad_forms[] = {
    "%s %%r10, %%r11, %%r12, %%r13;",
    "%s %%r10, %%r11.b1, %%r12.h1, %%r13;",
    "%s.shr7 %%r10, %%r11.h0, %%r12.h0, %%r13;",
    "%s.shr15 %%r10, %%r11, %%r12.b3, %%r13;",
};
static const char *const video_simd_forms[2][4] = {
    {"%s %%r10, %%r11, %%r12, %%r13;", "%s.add %%r10, %%r11, %%r12, %%r13;",
     "%s %%r10.h1, %%r11.h03, %%r12.h21, %%r13;", "%s.add %%r10.h10, %%r11.h20, %%r12.h13, %%r13;"},
    {"%s %%r10, %%r11, %%r12, %%r13;", "%s.add %%r10, %%r11, %%r12, %%r13;",
     "%s %%r10.b20, %%r11.b7531, %%r12.b0246, %%r13;", "%s.add %%r10.b321, %%r11.b4040, %%r12.b1357, %%r13;"},
};

typedef void (*irregular_visit)(void *user, const irregular *i);

static void visit_forms(const char *name, const char *const *forms, size_t count, irregular_visit visit, void *user)
{
    char text[160];
    for (size_t k = 0; k < count; k++) {
        snprintf(text, sizeof text, forms[k], name);
        visit(user, &(irregular){text, 4, CLASS_INT});
    }
}
#define FORMS(table) (table), sizeof(table) / sizeof((table)[0])

static void each_video(irregular_visit visit, void *user)
{
    static const char *const scalar[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
    static const char *const simd[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"};
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const modes[] = {".clamp", ".wrap"}, *const sats[] = {"", ".sat"}, *const pos[] = {"", ".po"};
    char name[64];
    for (int t = 0; t < 8; t++) {
        char d = t & 1 ? 's' : 'u', a = t & 2 ? 's' : 'u', b = t & 4 ? 's' : 'u';
        for (int sat = 0; sat < 2; sat++) {
            for (int k = 0; k < 5; k++) {
                snprintf(name, sizeof name, "%s.%c32.%c32.%c32%s", scalar[k], d, a, b, sats[sat]);
                visit_forms(name, FORMS(video_scalar_forms), visit, user);
            }
            for (int k = 0; k < 6; k++)
                for (int n = 0; n < 2; n++) {
                    snprintf(name, sizeof name, "%s%d.%c32.%c32.%c32%s", simd[k], 2 + 2 * n, d, a, b, sats[sat]);
                    visit_forms(name, FORMS(video_simd_forms[n]), visit, user);
                }
            for (int k = 0; k < 4 && b == 'u'; k++) {
                snprintf(name, sizeof name, "%s.%c32.%c32.u32%s%s", k & 1 ? "vshr" : "vshl", d, a, sats[sat],
                         modes[k >> 1]);
                visit_forms(name, FORMS(video_scalar_forms), visit, user);
            }
            for (int po = 0; po < 2; po++) {
                snprintf(name, sizeof name, "vmad.%c32.%c32.%c32%s%s", d, a, b, pos[po], sats[sat]);
                visit_forms(name, FORMS(video_mad_forms), visit, user);
            }
        }
        for (int k = 0; k < 6 && d == 'u'; k++) {
            snprintf(name, sizeof name, "vset.%c32.%c32.%s", a, b, compares[k]);
            visit_forms(name, FORMS(video_scalar_forms), visit, user);
            for (int n = 0; n < 2; n++) {
                snprintf(name, sizeof name, "vset%d.%c32.%c32.%s", 2 + 2 * n, a, b, compares[k]);
                visit_forms(name, FORMS(video_simd_forms[n]), visit, user);
            }
        }
    }
    static const char *const negated[] = {
        "vmad.s32.s32.s32 %r10, -%r11, %r12, %r13;", "vmad.s32.u32.u32 %r10, %r11, -%r12, %r13;",
        "vmad.s32.s32.u32.sat.shr7 %r10, %r11.h0, %r12.h1, -%r13;", "vmad.s32.s32.s32.shr15 %r10, -%r11, %r12, %r13;"};
    for (size_t k = 0; k < sizeof negated / sizeof negated[0]; k++) visit(user, &(irregular){negated[k], 4, CLASS_INT});
}

static void each_irregular(irregular_visit visit, void *user)
{
    for (size_t k = 0; k < sizeof irregular_fixed / sizeof irregular_fixed[0]; k++) visit(user, &irregular_fixed[k]);
    each_video(visit, user);
}

/* Operand k of vector n: spread over the edge combinations and the random values. */
static inline uint64_t irregular_input(const irregular *i, uint32_t k, uint32_t n)
{
    return vector_input((enum vector_class)i->class, 3, k, n * 37 % 307);
}

/* The text of a kernel around a statement; `name` its number. */
static inline void irregular_kernel(FILE *out, const irregular *i, const char *name)
{
    const char *file = i->bytes == 4 ? "r" : "d";
    fprintf(
        out,
        ".visible .entry %s(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"
        ".reg .b16 %%h<20>; .reg .b32 %%r<20>; .reg .b64 %%d<20>; .reg .f32 %%f<20>; .reg .f64 %%g<20>; .reg .pred "
        "%%p<4>;\n"
        "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%ntid.x; mov.u32 %%r2, %%tid.x; mad.lo.u32 %%r0, %%r0, %%r1, %%r2;\n"
        "mul.wide.u32 %%d1, %%r0, %u;\n",
        name, i->bytes);
    for (uint32_t k = 0; k < 3; k++)
        fprintf(out, "ld.param.u64 %%d0, [p%u]; add.u64 %%d0, %%d0, %%d1; ld.global.b%u %%%s%u, [%%d0];\n", k,
                8 * i->bytes, file, 11 + k);
    fprintf(out,
            "{ %s } // %s\nld.param.u64 %%d0, [p3]; add.u64 %%d0, %%d0, %%d1; st.global.b%u [%%d0], %%%s10;\nret;\n}\n",
            i->text, i->text, 8 * i->bytes, file);
}

#endif
