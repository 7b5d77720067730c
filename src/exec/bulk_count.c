/* bulk_count.c: how a card counts what bulk copies read and write in global memory (tests/hw/h100-more-tensor-copies.csv and
 * h200-multicasts.csv). */
#include "exec/bulk_count.h"

enum { LINE = 128, SECTOR = 32, READ_LEAST = 2 * SECTOR, FILLED_LEAST = 3 * SECTOR };

void exec_tell_bulk(exec_ctx *x, const code_insn *i, const exec_bulk_side *s)
{
    uint64_t at[32], to[32];
    if (!exec_wants_access(x, i)) return;
    for (uint32_t l = 0; l < 32; l++) {
        at[l] = s->address;
        to[l] = s->other;
    }
    exec_access a = {.mask = 1u << s->lane,
                     .space = (uint8_t)s->space,
                     .shape = EVENT_UNIFORM,
                     .op = (uint8_t)(s->op + 1),
                     .one_lane = true,
                     .flags = s->flags,
                     .only = s->only,
                     .bytes_total = s->bytes,
                     .async = s->async,
                     .address = at,
                     .address2 = s->one_sided ? NULL : to};
    exec_emit_access(x, i, &a);
}

static void flush(exec_bulk_teller *t)
{
    exec_bulk_side side = {.op = t->op,
                           .space = EVENT_GLOBAL,
                           .lane = t->lane,
                           .bytes = t->bytes,
                           .address = t->address,
                           .other = t->other,
                           .async = t->number,
                           .flags = t->flags | (t->filled ? EVENT_FILLED : 0),
                           .only = t->bytes ? t->only : EVENT_COUNTED + 1};
    if (t->bytes || !t->flags) exec_tell_bulk(t->x, t->insn, &side);
    t->flags = EVENT_PART;
    t->bytes = 0;
}

void exec_bulk_tell_row(exec_bulk_teller *t, uint64_t address, uint32_t bytes)
{
    bool follows = t->bytes && t->address + t->bytes == address && t->bytes + bytes > t->bytes;
    if (!bytes) return;
    if (t->bytes && !follows) flush(t);
    if (!t->bytes) t->address = address;
    t->bytes += bytes;
}

/* Bytes that are read, or filled. */
static void count_piece(exec_bulk_teller *t, uint64_t address, uint32_t bytes, bool filled)
{
    if (bytes && t->bytes && t->filled != filled) flush(t);
    if (bytes) t->filled = filled;
    exec_bulk_tell_row(t, address, bytes);
}

/* 128 bytes at a time, each with all sectors that it touches, what is filled beyond the tensor's edges as if it were read; rows beyond along
 * other dimensions as if they began with a sector. */
static void count_row(exec_bulk_teller *t, const exec_tensor_row *row, uint32_t row_bytes)
{
    uint64_t begin = row->beyond ? row->whole & ~(uint64_t)(SECTOR - 1) : row->whole, end = begin + row_bytes;
    bool whole = begin % SECTOR == 0;
    for (uint64_t a = begin, b; a < end; a = b) {
        b = whole ? end : LW_MIN(a + LINE, end);
        uint64_t from = row->bytes ? row->address & ~(uint64_t)(SECTOR - 1) : b;
        uint64_t to = row->bytes ? lw_round_up(row->address + row->bytes, SECTOR) : b;
        from = LW_MIN(LW_MAX(from, a), b);
        to = LW_MIN(LW_MAX(to, from), b);
        if (!whole && t->bytes) flush(t);
        count_piece(t, a, (uint32_t)(from - a), true);
        count_piece(t, from, (uint32_t)(to - from), false);
        count_piece(t, to, (uint32_t)(b - to), true);
    }
    if (!whole && t->bytes) flush(t);
}

static void count_run(exec_bulk_teller *t)
{
    if (t->run_bytes) count_row(t, &t->run, t->run_bytes);
    t->run_bytes = 0;
}

void exec_bulk_count_row(exec_bulk_teller *t, const exec_tensor_row *row, uint32_t row_bytes)
{
    bool joins = row->follows && t->run_bytes && t->run.whole + t->run_bytes == row->whole;
    if (!joins) {
        count_run(t);
        t->run = *row;
    } else if (row->bytes) {
        if (!t->run.bytes) {
            t->run.skip = t->run_bytes;
            t->run.address = row->address;
        }
        t->run.bytes += row->bytes;
    }
    t->run_bytes += row_bytes;
}

void exec_bulk_flush(exec_bulk_teller *t)
{
    count_run(t);
    if (t->bytes || !t->flags) flush(t);
}

/* A piece by itself: all sectors that it touches, of what is filled as if it began with one; or more. */
static void count_apart(exec_bulk_teller *t, uint64_t address, uint32_t bytes, bool filled)
{
    uint64_t begin = address & ~(uint64_t)(SECTOR - 1), end = lw_round_up((filled ? begin : address) + bytes, SECTOR);
    if (t->bytes) flush(t);
    count_piece(t, begin, LW_MAX((uint32_t)(end - begin), (uint32_t)(filled ? FILLED_LEAST : READ_LEAST)), filled);
    flush(t);
}

/* Pieces end with the 128 bytes of shared memory that they lie in, those that are read also with those of global memory. */
static void count_pieces(exec_bulk_teller *t, uint64_t address, uint32_t bytes, uint64_t shared, bool filled)
{
    for (uint32_t k = 0, n; k < bytes; k += n) {
        uint64_t at = filled ? 0 : (address + k) % LINE;
        n = LW_MIN(bytes - k, (uint32_t)(LINE - LW_MAX((shared + k) % LINE, at)));
        count_apart(t, address + k, n, filled);
    }
}

void exec_bulk_count_cast(exec_bulk_teller *t, const exec_tensor_row *row, uint32_t row_bytes, uint64_t shared)
{
    uint32_t front = row->bytes ? row->skip : row_bytes, end = front + row->bytes;
    count_pieces(t, row->whole, front, shared, true);
    count_pieces(t, row->address, row->bytes, shared + front, false);
    count_pieces(t, row->whole + end, row_bytes - end, shared + end, true);
}
