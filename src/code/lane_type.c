/* lane_type.c: what a lane of a register holds, as the rows of insns.def name it. */
#include "code/decode.h"

uint32_t code_lane_bytes(lane_type t)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2, 2, 4, 4, 0, 16};
    return bytes[t];
}

bool code_lane_is_signed(lane_type t) { return t == LANE_s8 || t == LANE_s16 || t == LANE_s32 || t == LANE_s64; }

lane_type code_lane_of_bytes(uint32_t bytes)
{
    switch (bytes) {
    case 1: return LANE_u8;
    case 2: return LANE_u16;
    case 4: return LANE_u32;
    case 8: return LANE_u64;
    default: return LANE_b128;
    }
}

lane_type code_signed_lane_of_bytes(uint32_t bytes)
{
    switch (bytes) {
    case 1: return LANE_s8;
    case 2: return LANE_s16;
    case 4: return LANE_s32;
    default: return LANE_s64;
    }
}

lane_type code_lane_of(ptx_type t)
{
    switch (t) {
    case PTX_PRED: return LANE_pred;
    case PTX_F16: return LANE_h16;
    case PTX_BF16: return LANE_b16;
    case PTX_F16X2: return LANE_h32;
    case PTX_BF16X2: return LANE_b32;
    case PTX_F32: return LANE_f32;
    case PTX_F64: return LANE_f64;
    default: break;
    }
    bool is_signed = ptx_type_class(t) == 'S';
    switch (ptx_type_bytes(t)) {
    case 1: return is_signed ? LANE_s8 : LANE_u8;
    case 2: return is_signed ? LANE_s16 : LANE_u16;
    case 4: return is_signed ? LANE_s32 : LANE_u32;
    case 8: return is_signed ? LANE_s64 : LANE_u64;
    case 16: return LANE_b128;
    default: return LANE_none;
    }
}
