/* bulk_count.c: how a card counts what bulk copies read and write in global memory (tests/hw/h100-more-tensor-copies.csv and
 * h200-more-tensor-copies.csv). */
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

/* Bytes that are read, or filled: a piece by itself, which is told with the one before where no sector belongs to both. */
static void count_piece(exec_bulk_teller *t, uint64_t address, uint32_t bytes, bool filled)
{
    if (!bytes) return;
    if (t->bytes && (t->filled != filled || address % SECTOR)) flush(t);
    t->filled = filled;
    exec_bulk_tell_row(t, address, bytes);
}

/* What is filled counts as the sectors that it touches in shared memory: its address as if it lay there. */
static uint64_t filled_at(uint64_t address, uint64_t shared)
{
    return (address & ~(uint64_t)(LINE - 1)) + shared % LINE;
}

/* Of a multicast: pieces that are read end with the 128 bytes of global memory, too, and each counts for itself all
 * sectors that it touches, or more. */
static void count_cast_part(exec_bulk_teller *t, uint64_t address, uint32_t bytes, uint64_t shared, bool filled)
{
    for (uint32_t k = 0, n; k < bytes; k += n) {
        uint64_t at = filled ? filled_at(address, shared + k) : address + k, begin = at & ~(uint64_t)(SECTOR - 1);
        n = LW_MIN(bytes - k, (uint32_t)(LINE - LW_MAX((shared + k) % LINE, at % LINE)));
        uint32_t sectors = (uint32_t)(lw_round_up(at + n, SECTOR) - begin);
        if (t->bytes) flush(t);
        count_piece(t, begin, LW_MAX(sectors, (uint32_t)(filled ? FILLED_LEAST : READ_LEAST)), filled);
        flush(t);
    }
}

/* A part of a row, read or filled: pieces that end with the 128 bytes of shared memory that they lie in. */
static void count_part(exec_bulk_teller *t, uint64_t address, uint32_t bytes, uint64_t shared, bool filled)
{
    if (t->cast) {
        count_cast_part(t, address, bytes, shared, filled);
        return;
    }
    for (uint32_t k = 0, n; k < bytes; k += n) {
        n = LW_MIN(bytes - k, (uint32_t)(LINE - (shared + k) % LINE));
        count_piece(t, filled ? filled_at(address, shared + k) : address + k, n, filled);
    }
}

void exec_bulk_count_row(exec_bulk_teller *t, const exec_tensor_row *row, uint32_t row_bytes, uint64_t shared)
{
    uint32_t front = row->bytes ? row->skip : row_bytes, end = front + row->bytes;
    count_part(t, row->whole, front, shared, true);
    count_part(t, row->address, row->bytes, shared + front, false);
    count_part(t, row->whole + end, row_bytes - end, shared + end, true);
}

static void count_run(exec_bulk_teller *t)
{
    count_part(t, t->run, t->run_bytes, t->run_shared, t->run_filled);
    t->run_bytes = 0;
}

/* Slices that follow each other along W are one part, those that are filled apart. */
void exec_bulk_count_slice(exec_bulk_teller *t, const exec_tensor_row *row, uint32_t bytes, uint64_t shared)
{
    bool filled = !row->bytes;
    bool behind = filled || t->run + t->run_bytes == row->address;
    if (!row->follows || t->run_filled != filled || !behind) count_run(t);
    if (!t->run_bytes) {
        t->run = filled ? row->whole : row->address;
        t->run_shared = shared;
        t->run_filled = filled;
    }
    t->run_bytes += bytes;
}

void exec_bulk_flush(exec_bulk_teller *t)
{
    count_run(t);
    if (t->bytes || !t->flags) flush(t);
}
