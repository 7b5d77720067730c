/* advice: the sentence under a line that costs more than its ideal: why, and what usually mends it. It is computed from
 * the counters alone, so it speaks of averages over the line's warp instructions: W passes (wavefronts) or S sectors
 * each, by L lanes of B bytes. One function per kind of memory; the first pattern that fits speaks. */
#include "report/report.h"

#include <math.h>
#include <string.h>

/* Averages over the warp instructions of a row. */
typedef struct averages {
    double actual, ideal; /* wavefronts or sectors */
    double lanes;
    double ratio; /* actual / ideal */
    uint32_t bytes;
} averages;

static bool near(double a, double b) { return fabs(a - b) <= 0.02 * fabs(b); }
static bool whole(double x) { return fabs(x - round(x)) < 0.01; }

/* 16 -> "16", 3.42 -> "3.4". */
static const char *number(lw_arena *arena, double x)
{
    return whole(x) || x >= 100 ? lw_arena_printf(arena, "%.0f", x) : lw_arena_printf(arena, "%.1f", x);
}

static const char *shared_atomic(const averages *a, lw_arena *arena)
{
    if (a->actual >= 0.9 * a->lanes * (a->ideal >= 2 ? 2 : 1) && a->lanes > 1.5)
        return lw_arena_printf(
            arena,
            "The %s lanes of a warp update one word, or words of one bank, one after the other. Combine "
            "them first (__reduce_add_sync, __match_any_sync), or keep a copy per warp.",
            number(arena, a->lanes));
    return lw_arena_printf(arena,
                           "On average %s passes for each warp: lanes meet on one word or bank and are served in turn. "
                           "Combine equal lanes first (__match_any_sync), or keep several copies of the counters.",
                           number(arena, a->actual));
}

static const char *shared_wide(const averages *a, lw_arena *arena)
{
    return lw_arena_printf(
        arena,
        "Each access takes %s passes instead of %s: lanes that are served together use different words "
        "of one bank. Let neighbouring lanes use neighbouring %u-byte elements, or pad the rows by %u bytes.",
        number(arena, a->actual), number(arena, a->ideal), a->bytes, a->bytes);
}

static const char *shared_plain(const averages *a, lw_arena *arena)
{
    const char *passes = number(arena, a->actual), *ideal = number(arena, a->ideal);
    if (a->bytes > 4 || a->ideal > 1.5) return shared_wide(a, arena);
    if (!whole(a->actual) || !lw_is_power_of_2((uint64_t)round(a->actual)))
        return lw_arena_printf(
            arena,
            "Each access takes %s passes on average instead of %s: lanes access different words of one bank. The "
            "stride "
            "changes from one execution to the next, as in a loop that doubles it, or the indices are irregular. Let "
            "neighbouring "
            "lanes use neighbouring words every time, or pad the rows.",
            passes, ideal);
    if (a->actual < 3)
        return lw_arena_printf(
            arena,
            "Each access takes 2 passes instead of %s: two lanes access different words of one bank, as with a stride "
            "of 2 words, or where two rows of a narrow tile overlap. Make the stride odd, or choose a row length that "
            "puts a warp's rows into different banks.",
            ideal);
    return lw_arena_printf(
        arena,
        "Each access takes %s passes instead of %s: %s lanes access %s rows of one bank, as in a column of a tile or "
        "with a large even stride. Pad the row by 1 word (2 if lanes also span columns) or swizzle the column index.",
        passes, ideal, passes, passes);
}

static const char *shared_advice(const result_row *row, const averages *a, lw_arena *arena)
{
    if (!strcmp(row->op, "atomic") || !strcmp(row->op, "reduction")) return shared_atomic(a, arena);
    if (!strcmp(row->op, "matrix"))
        return lw_arena_printf(
            arena,
            "%s passes instead of %s: the 16-byte rows of a matrix lie in the same banks. Pad the row of "
            "the tile by 16 bytes, or XOR the 16-byte column with the row number.",
            number(arena, a->actual), number(arena, a->ideal));
    return shared_plain(a, arena);
}

static const char *constant_advice(const averages *a, lw_arena *arena)
{
    return lw_arena_printf(arena,
                           "The lanes of a warp read %s different addresses of constant memory, which serves one at a "
                           "time. Keep what lanes index differently in shared or global memory.",
                           number(arena, a->actual));
}

static const char *sector_atomic(const averages *a, lw_arena *arena)
{
    return lw_arena_printf(
        arena,
        "Each warp's update becomes %s sector operations instead of %s: lanes that meet on one address are "
        "served one by one. Sum in the warp or the block first, then update memory once.",
        number(arena, a->actual), number(arena, a->ideal));
}

static const char *sector_strided(const averages *a, lw_arena *arena)
{
    double apart = round(a->actual * 32 / (a->lanes * a->bytes)), wasted = 100 - 100 / a->ratio;
    if (apart < 2) /* lanes that share addresses, or several instructions in one line */
        return lw_arena_printf(
            arena,
            "%s times the sectors needed: %.0f %% of what is moved is not used. Let neighbouring threads "
            "use neighbouring addresses, from an aligned start.",
            number(arena, a->ratio), wasted);
    return lw_arena_printf(
        arena,
        "%s times the sectors needed: the lanes' %u-byte elements lie about %s apart, so %.0f %% of what is "
        "moved is not used. Make them neighbours (array per field, wider access, shared-memory tile).",
        number(arena, a->ratio), a->bytes, number(arena, apart), wasted);
}

/* A block narrower than a warp, so that the warp's lanes are pieces of several rows, none a whole number of sectors. */
static bool takes_pieces(const uint32_t block[3], const averages *a)
{
    return block && block[0] < 32 && block[1] * block[2] > 1 && a->lanes > block[0] && block[0] * a->bytes % 32;
}

/* The lanes of an execution differ in number and are few: branches have parted the warp before it gets here. A guard
 * such as if (i < 8) lets the same number through each time. */
static bool is_split(const averages *a) { return a->lanes < 16 && !whole(a->lanes); }

static const char *split_warp(const averages *a, lw_arena *arena)
{
    return lw_arena_printf(
        arena,
        "An average of %.3g of the 32 lanes of a warp execute this together: branches before it have split the warps, "
        "and each part accesses sectors of its own, %.3g times the sectors needed. Let the lanes of a warp take the "
        "same branches, or join them again before this line (__syncwarp()).",
        a->lanes, a->ratio);
}

/* Sectors of local memory, where word k of 32 lanes is one line, if all lanes that are on, beside each other, use one index. */
static double least_of_stack(const averages *a) { return ceil(a->lanes / 8) * fmax(a->bytes / 4.0, 1); }

static const char *sector_advice(const result_row *row, const uint32_t block[3], const averages *a, lw_arena *arena)
{
    if (!strcmp(row->space, "local") && a->lanes < 1.5)
        return "One lane of the warp uses its own array, and a sector of 32 bytes holds the words of eight lanes. "
               "Where "
               "it matters, let the other lanes share the work, or move the array to shared memory.";
    if (!strcmp(row->space, "local") && a->actual <= 1.02 * least_of_stack(a))
        return lw_arena_printf(
            arena,
            "%s of the 32 lanes of a warp use their own arrays together, and a sector of 32 bytes holds a word of each "
            "of eight "
            "lanes. Where it matters, let the other lanes share the work, or move the array to shared memory.",
            number(arena, a->lanes));
    if (!strcmp(row->space, "local"))
        return lw_arena_printf(
            arena,
            "A thread's own array is indexed differently by the lanes of a warp: %s sectors instead of %s. "
            "Use indices that are equal in all lanes (unroll the loop), or move it to shared memory.",
            number(arena, a->actual), number(arena, a->ideal));
    if (!strcmp(row->op, "atomic") || !strcmp(row->op, "reduction")) return sector_atomic(a, arena);
    if (a->lanes > 1.5 && a->actual >= 0.95 * a->lanes)
        return lw_arena_printf(
            arena,
            "Each lane touches %s: %s times the bytes needed are moved. Let neighbouring threads use "
            "neighbouring addresses, or go through a shared-memory tile.",
            near(a->actual, a->lanes) ? "a 32-byte sector of its own" : "sectors of its own", number(arena, a->ratio));
    if (takes_pieces(block, a) && a->actual <= 1.05 * ceil(a->lanes / block[0]) * ceil(block[0] * a->bytes / 32.0))
        return lw_arena_printf(
            arena,
            "%s sectors instead of %s: the block is %u threads wide, so that a warp takes pieces of %.0f rows. "
            "Make the block 32 wide, or let a thread take several elements of a row.",
            number(arena, a->actual), number(arena, a->ideal), block[0], ceil(a->lanes / block[0]));
    if (is_split(a)) return split_warp(a, arena);
    if (a->actual - a->ideal <= 1.02)
        return lw_arena_printf(
            arena,
            "%s sectors instead of %s: the range of a warp begins inside a sector. Align its start to 32 "
            "bytes (row pitch, offset of the first element).",
            number(arena, a->actual), number(arena, a->ideal));
    return sector_strided(a, arena);
}

/* Capabilities below 5.0. */
static const char *transaction_advice(const counter_set *c, const averages *a, lw_arena *arena)
{
    double used = 100.0 * (double)c->value[COUNTER_BYTES_USEFUL] / (double)c->value[COUNTER_BYTES_MOVED];
    return lw_arena_printf(arena,
                           "%s transactions for a warp instead of %s; %.0f %% of the bytes moved were asked for. Let "
                           "neighbouring threads use neighbouring addresses, from an aligned start.",
                           number(arena, a->actual), number(arena, a->ideal), used);
}

const char *report_advice(const result_row *row, const uint32_t block[3], lw_arena *arena)
{
    if (row->advice) return row->advice;
    const counter_set *c = &row->counters;
    report_measure m = report_measure_of(c);
    if (!m.has_ideal || m.actual <= m.ideal || !row->space || !row->op) return NULL;
    if (m.actual - m.ideal < m.ideal / 200) return NULL; /* half a percent: "1.6 instead of 1.6" */
    bool requests = c->present >> COUNTER_REQUESTS & 1 && strcmp(m.unit, "requests");
    counter_id each = requests ? COUNTER_REQUESTS : COUNTER_INST_EXECUTED;
    double n = (double)c->value[each], lanes = (double)c->value[COUNTER_LANES];
    if (n <= 0 || lanes <= 0 || !m.ideal || !row->bytes_per_lane) return NULL;
    if (n > (double)m.ideal) n = (double)m.ideal; /* an access that faulted is executed, but never served */
    averages a = {(double)m.actual / n, (double)m.ideal / n, lanes / n, (double)m.actual / (double)m.ideal,
                  row->bytes_per_lane};
    if (!strcmp(m.unit, "transactions")) return transaction_advice(c, &a, arena);
    if (!strcmp(m.unit, "requests")) return constant_advice(&a, arena);
    return strcmp(m.unit, "wavefronts") ? sector_advice(row, block, &a, arena) : shared_advice(row, &a, arena);
}
