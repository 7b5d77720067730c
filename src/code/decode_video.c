/* decode_video.c: scalar and SIMD video instructions: one micro-operation each, whose descriptor (video_op of
 * ptx/semantics_video.h) holds operation, types, selectors and saturation.
 *
 *   vadd.dtype.atype.btype[.sat][.op2] d[.sel], a[.sel], b[.sel][, c]      vset.atype.btype.cmp ...
 *   vmad.dtype.atype.btype[.po][.sat][.shr7|.shr15] d, [-]a[.sel], [-]b[.sel], [-]c
 *   vadd2.dtype.atype.btype[.sat][.add] d[.mask], a[.sel], b[.sel], c      likewise vadd4, vset2 ... */
#include "code/decode.h"
#include "ptx/semantics.h"

#include <string.h>

#define SIMD_SELECTOR 10 /* and above: ptx_operand.component of ".h10", ".b3210" */

/* The index of the one of these words that the mnemonic has, 0 if none. */
static uint8_t word_of(const decode_parts *p, const char *const *words, size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (decode_parts_have(p, words[k])) return (uint8_t)k;
    return 0;
}

static void parse_modifiers(decoder *d, const decode_parts *p, video_op *v)
{
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const seconds[] = {"", "add", "min", "max"};
    uint32_t type = v->kind == VIDEO_SET ? 1 : 0; /* vset has no type for d */
    for (uint32_t k = 1; k < p->count; k++) {
        ptx_type t = decode_part_type(p, k);
        if (t != PTX_S32 && t != PTX_U32) continue;
        bool is_signed = t == PTX_S32;
        if (type == 0) v->d_signed = is_signed;
        else if (type == 1) v->a_signed = is_signed;
        else v->b_signed = is_signed;
        type++;
    }
    decode_known_parts(d, p, 1, "s32 u32 sat wrap clamp po shr7 shr15 eq ne lt le gt ge add min max");
    if (type != 3) decode_problem(d, "the types of '%s' do not fit the instruction", d->in->mnemonic);
    v->saturate = decode_parts_have(p, "sat");
    v->wrap = decode_parts_have(p, "wrap");
    v->plus_one = decode_parts_have(p, "po");
    if (decode_parts_have(p, "shr7")) v->shift = 7;
    if (decode_parts_have(p, "shr15")) v->shift = 15;
    v->compare = word_of(p, compares, LW_COUNT(compares));
    v->second = word_of(p, seconds, LW_COUNT(seconds));
}

/* components .b0-.b3 = 4..7 and .h0 .h1 = 8, 9 -> 1..6 */
static uint8_t scalar_part(const ptx_operand *o)
{
    return o->component >= 4 && o->component < SIMD_SELECTOR ? (uint8_t)(o->component - 3) : 0;
}

static void simd_lanes(const ptx_operand *o, const video_op *v, uint32_t first, uint8_t lanes[4])
{
    for (uint32_t k = 0; k < v->parts; k++)
        lanes[k] = (uint8_t)(o->component >= SIMD_SELECTOR ? (o->imm >> 4 * k & 15) % (2 * v->parts) : first + k);
}

static uint8_t simd_mask(const ptx_operand *o, const video_op *v)
{
    if (o->component >= 4 && o->component < 8) return (uint8_t)(1 << (o->component - 4));
    if (o->component == 8 || o->component == 9) return (uint8_t)(1 << (o->component - 8));
    if (o->component < SIMD_SELECTOR) return (uint8_t)((1 << v->parts) - 1);
    uint8_t mask = 0;
    for (uint32_t k = 0; k < (uint32_t)(o->imm >> 16 & 15); k++) mask |= (uint8_t)(1 << (o->imm >> 4 * k & 3));
    return mask;
}

/* The register of an operand without its selector. */
static ptx_operand whole(const ptx_operand *o)
{
    ptx_operand r = *o;
    if (r.kind == PTX_OP_REG) {
        r.component = -1;
        r.imm = 0;
    }
    r.negated = false;
    return r;
}

/* Forms whose results on cc 9.0 (ptxas 13.0 expands them) are not what the ISA says: refused. */
static bool is_doubtful(const video_op *v)
{
    bool shifts = v->kind == VIDEO_SHL || v->kind == VIDEO_SHR, all_signed = v->d_signed && v->a_signed && v->b_signed;
    if (v->parts > 1) return false;
    if (v->d_part == 6 || (v->d_part && v->saturate) || (v->second > VIDEO_SECOND_ADD && (shifts || !all_signed)))
        return true;
    if (v->kind == VIDEO_MAD) return !(v->a_signed && v->b_signed) && (v->saturate || v->shift);
    return v->saturate && (shifts || !v->d_signed);
}

static void decode_video(decoder *d, video_kind kind, uint32_t parts_count)
{
    decode_parts p = decode_split(d->in->mnemonic);
    video_op *v = lw_arena_alloc(d->arena, sizeof *v);
    *v = (video_op){.kind = (uint8_t)kind, .parts = (uint8_t)parts_count};
    parse_modifiers(d, &p, v);
    uint32_t count = d->in->operand_count;
    if (count < 3 || count > 4) {
        decode_problem(d, "'%s' takes 3 or 4 operands, %u given", d->in->mnemonic, count);
        return;
    }
    const ptx_operand *o = d->ops;
    if (parts_count == 1) {
        v->d_part = scalar_part(&o[0]);
        v->a_part = scalar_part(&o[1]);
        v->b_part = scalar_part(&o[2]);
        v->negate_product = o[1].negated != o[2].negated;
        v->negate_c = count > 3 && o[3].negated;
        if (count == 3 && (v->d_part || v->second || kind == VIDEO_MAD))
            decode_problem(d, "'%s' needs a fourth operand", d->in->mnemonic);
    } else {
        simd_lanes(&o[1], v, 0, v->a_lane);
        simd_lanes(&o[2], v, parts_count, v->b_lane);
        v->mask = simd_mask(&o[0], v);
    }
    if (is_doubtful(v)) decode_refuse(d, REFUSED_DOUBTFUL_VIDEO);
    ptx_operand to = whole(&o[0]), x = whole(&o[1]), y = whole(&o[2]), z = {.kind = PTX_OP_INT};
    if (count > 3) z = whole(&o[3]);
    code_ref a = decode_source(d, &x, LANE_u32);
    code_ref b = decode_source(d, &y, LANE_u32);
    code_ref c = decode_source(d, &z, LANE_u32);
    code_ref r = decode_result(d, &to, LANE_u32);
    code_insn *i = decode_emit(d, OP_video);
    i->d = r;
    i->a = a;
    i->b = b;
    i->c = c;
    i->video = v;
    decode_flush(d);
}

void decode_vadd(decoder *d) { decode_video(d, VIDEO_ADD, 1); }
void decode_vsub(decoder *d) { decode_video(d, VIDEO_SUB, 1); }
void decode_vabsdiff(decoder *d) { decode_video(d, VIDEO_ABSDIFF, 1); }
void decode_vmin(decoder *d) { decode_video(d, VIDEO_MIN, 1); }
void decode_vmax(decoder *d) { decode_video(d, VIDEO_MAX, 1); }
void decode_vshl(decoder *d) { decode_video(d, VIDEO_SHL, 1); }
void decode_vshr(decoder *d) { decode_video(d, VIDEO_SHR, 1); }
void decode_vmad(decoder *d) { decode_video(d, VIDEO_MAD, 1); }
void decode_vset(decoder *d) { decode_video(d, VIDEO_SET, 1); }
void decode_vadd2(decoder *d) { decode_video(d, VIDEO_ADD, 2); }
void decode_vsub2(decoder *d) { decode_video(d, VIDEO_SUB, 2); }
void decode_vavrg2(decoder *d) { decode_video(d, VIDEO_AVRG, 2); }
void decode_vabsdiff2(decoder *d) { decode_video(d, VIDEO_ABSDIFF, 2); }
void decode_vmin2(decoder *d) { decode_video(d, VIDEO_MIN, 2); }
void decode_vmax2(decoder *d) { decode_video(d, VIDEO_MAX, 2); }
void decode_vset2(decoder *d) { decode_video(d, VIDEO_SET, 2); }
void decode_vadd4(decoder *d) { decode_video(d, VIDEO_ADD, 4); }
void decode_vsub4(decoder *d) { decode_video(d, VIDEO_SUB, 4); }
void decode_vavrg4(decoder *d) { decode_video(d, VIDEO_AVRG, 4); }
void decode_vabsdiff4(decoder *d) { decode_video(d, VIDEO_ABSDIFF, 4); }
void decode_vmin4(decoder *d) { decode_video(d, VIDEO_MIN, 4); }
void decode_vmax4(decoder *d) { decode_video(d, VIDEO_MAX, 4); }
void decode_vset4(decoder *d) { decode_video(d, VIDEO_SET, 4); }
