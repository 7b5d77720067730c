/* shared_matrix.c: the operands of wgmma in shared memory: where their pieces lie, and the events of reading them.
 *
 * A matrix is made of pieces of 16 bytes; eight of them, a core matrix, are told of as ldmatrix's are. */
#include "exec/shared_matrix.h"

#include <string.h>

void exec_shared_matrix_open(exec_ctx *x, code_ref descriptor, bool turned, exec_shared_matrix *out)
{
    static const uint8_t widths[] = {16, 128, 64, 32};
    uint64_t bits = LANES(uint64_t, descriptor)[0];
    out->start = (uint32_t)(bits & 0x3fff) << 4;
    out->leading = (uint32_t)(bits >> 16 & 0x3fff) << 4;
    out->stride = (uint32_t)(bits >> 32 & 0x3fff) << 4;
    out->base = (uint32_t)(bits >> 49 & 7);
    out->width = widths[bits >> 62];
    out->turned = turned;
}

/* 16 bytes: of a row, k from `piece` on; turned: of one k, rows from 8 x `major` on. The pattern is one of addresses, moved by
 * the base offset (seen on an H200). */
static uint32_t address_of(const exec_shared_matrix *s, uint32_t major, uint32_t piece)
{
    uint32_t at = s->start, w = s->width, across = w / 16;
    if (!s->turned) at += major % 8 * w + major / 8 * s->stride + piece * (w == 16 ? s->leading : 16);
    else if (w == 16) at += major * s->stride + piece / 8 * s->leading + piece % 8 * 16;
    else at += major % across * 16 + major / across * s->leading + piece % 8 * w + piece / 8 * s->stride;
    return at ^ (((at >> 7) - s->base) & (across - 1)) << 4;
}

static const uint8_t *piece_at(exec_ctx *x, const code_insn *i, const exec_shared_matrix *s, uint32_t major,
                               uint32_t piece)
{
    uint32_t at = address_of(s, major, piece);
    if (at + 16 <= x->shared_bytes) return x->shared + at;
    exec_fail(x, i, EXEC_SHARED_RANGE, 0, at, 16, false, "shared",
              "wgmma: its matrix at 0x%x ends at 0x%x, behind the block's %u bytes of shared memory", s->start, at + 16,
              (uint32_t)x->shared_bytes);
    return NULL;
}

bool exec_shared_matrix_read(exec_ctx *x, const code_insn *i, const exec_shared_matrix *s, uint32_t first,
                             uint32_t count, uint32_t deep, uint8_t rows[][128])
{
    uint32_t majors = s->turned ? count / 8 : count, pieces = deep * (s->turned ? 16 : 2);
    uint32_t from = s->turned ? first / 8 : first;
    for (uint32_t r = 0; r < majors; r++)
        for (uint32_t p = 0; p < pieces; p++) {
            const uint8_t *data = piece_at(x, i, s, from + r, p);
            if (!data) return false;
            if (!s->turned) memcpy(rows[r] + 16 * p, data, 16);
            for (uint32_t e = 0; s->turned && e < 8; e++) memcpy(rows[8 * r + e] + 2 * p, data + 2 * e, 2);
        }
    return true;
}

/* Lane 8c + n has piece n of core matrix c: rows 8 (c / 2) on, the first or second half of k. */
static uint64_t lane_address(const exec_matrix_reading *r, uint32_t lane)
{
    uint32_t eight = r->first / 8 + lane / 16, half = 2 * r->deep + (lane / 8 & 1), n = lane & 7;
    const exec_shared_matrix *s = r->matrix;
    return s->turned ? address_of(s, eight, 8 * half + n) : address_of(s, 8 * eight + n, half);
}

/* Rows that a lane's 16 undefined or defined bytes belong to, from r->first on. */
static uint32_t rows_of(const exec_matrix_reading *r, const event_undefined *u, uint32_t lane)
{
    uint32_t out = 0;
    for (uint32_t b = 0; b < 16; b++)
        if (u->bits[lane][b]) out |= 1u << (lane / 16 * 8 + (r->matrix->turned ? b / 2 : lane & 7));
    return out;
}

static void note_undefined(const exec_matrix_reading *r, const event_undefined *u, exec_product_unknown *out)
{
    uint32_t rows = 0;
    for (uint32_t m = u->lanes; m; m &= m - 1) rows |= rows_of(r, u, (uint32_t)__builtin_ctz(m));
    if (!rows) return;
    if (!out->any) out->origin = u->origin;
    out->any = true;
    if (r->is_b) out->columns[r->first / 32] |= rows << r->first % 32;
    else out->rows |= rows;
}

void exec_shared_matrix_tell(exec_ctx *x, const code_insn *i, const exec_matrix_reading *r, exec_product_unknown *out)
{
    uint64_t address[32];
    uint32_t lanes = 2 * r->count;
    if (!exec_wants_access(x, i)) return;
    for (uint32_t l = 0; l < lanes; l++) address[l] = lane_address(r, l);
    exec_access access = {.mask = lanes == 32 ? FULL_MASK : (1u << lanes) - 1,
                          .space = EVENT_SHARED,
                          .bytes = 16,
                          .matrices = (uint8_t)(lanes / 8),
                          .async = r->async,
                          .flags = r->part ? EVENT_PART : 0,
                          .only = r->counted ? 0 : EVENT_ACCESS + 1,
                          .address = address};
    exec_emit_access(x, i, &access);
    if (!r->counted && !r->part) { /* the warp's instruction all the same */
        access.matrices = 0;
        access.mask = FULL_MASK;
        access.one_lane = true;
        access.only = EVENT_COUNTED + 1;
        exec_emit_access(x, i, &access);
    }
    if (x->undefined && exec_wants(x, EVENT_ACCESS) && x->undefined->lanes) note_undefined(r, x->undefined, out);
}
