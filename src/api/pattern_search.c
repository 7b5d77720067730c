/* api: what would make an access cheaper: every change is tried, that is, counted by the same rules, and only what
 * helps is told. Shared memory: padding of rows, strides, structs or every so many bytes, and exclusive-or swizzles.
 * Global memory: alignment, one array per member, whole structs at once, ascending order, neighbouring elements.
 *
 * Limits: padding up to 128 bytes a row; swizzles index ^ (index >> S & mask) with S up to 16. */
#include "api/pattern_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAD_MOST 128
#define SHIFT_MOST 16

typedef struct search {
    const device_profile *device;
    const lw_access_options *options;
    const lw_access *from;
    uint64_t cost, ideal; /* of from */
    lw_remedy *out;
    size_t count;
} search;

/* A tried access. */
typedef struct trial {
    uint64_t cost, ideal;
    uint64_t other, other_ideal; /* of a tile taken the other way; 0 and 0 otherwise */
} trial;

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

static bool count(const search *s, const lw_access *a, uint64_t *cost, uint64_t *ideal)
{
    lw_access_counts counts;
    if (pattern_fits(s->device, a, NULL) || pattern_count_on(s->device, a, s->options, &counts, NULL)) return false;
    *cost = counts.cost, *ideal = counts.ideal;
    return true;
}

static lw_remedy *add(search *s, lw_remedy_kind kind, const lw_access *a, const trial *t, uint64_t bytes,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));
static lw_remedy *add(search *s, lw_remedy_kind kind, const lw_access *a, const trial *t, uint64_t bytes,
                      const char *format, ...)
{
    va_list args;
    if (s->count == LW_REMEDIES) return NULL;
    lw_remedy *r = &s->out[s->count++];
    *r = (lw_remedy){.kind = kind, .cost = t->cost, .ideal = t->ideal, .bytes = bytes, .access = *a};
    va_start(args, format);
    vsnprintf(r->text, sizeof r->text, format, args);
    va_end(args);
    return r;
}

static void append(lw_remedy *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(lw_remedy *r, const char *format, ...)
{
    size_t used = r ? strlen(r->text) : 0;
    va_list args;
    if (!r) return;
    va_start(args, format);
    vsnprintf(r->text + used, sizeof r->text - used, format, args);
    va_end(args);
}

static bool is_free(const trial *t) { return t->cost == t->ideal && t->other == t->other_ideal; }
static uint64_t excess(const trial *t) { return t->cost - t->ideal + t->other - t->other_ideal; }
static bool helps(const search *s, const trial *t) { return t->cost < s->cost; }

/* Counts a tile the way it is taken and the other way, both after `swizzle` (NULL: none). */
static bool try_access(const search *s, const lw_access *a, void (*change)(lw_access *a, const void *how),
                       const void *how, trial *t)
{
    lw_access own = *a, other = *a;
    *t = (trial){0, 0, 0, 0};
    if (change) change(&own, how);
    if (!count(s, &own, &t->cost, &t->ideal)) return false;
    if (a->layout != LW_LAYOUT_TILE || a->permuted) return true;
    other.by_column = !other.by_column;
    if (pattern_place(&other, NULL)) return true;
    if (change) change(&other, how);
    return count(s, &other, &t->other, &t->other_ideal);
}

/* ---- padding ---- */

static void set_padding(lw_access *a, const lw_access *from, uint32_t elements)
{
    *a = *from;
    if (a->layout == LW_LAYOUT_TILE) a->pitch += elements;
    else if (a->layout == LW_LAYOUT_STRUCT) a->struct_bytes += elements * a->struct_align;
    else a->stride += a->stride < 0 ? -(int64_t)elements : (int64_t)elements;
}

static void tell_padding(search *s, const lw_access *a, const trial *t, uint32_t elements)
{
    const lw_access *from = s->from;
    uint64_t bytes = (uint64_t)elements * from->op->bytes;
    lw_remedy *r;
    if (a->layout == LW_LAYOUT_TILE) {
        r = add(s, LW_REMEDY_PAD, a, t, bytes * a->rows, "pad the rows: tile[%u][%u] instead of tile[%u][%u]", a->rows,
                a->pitch, a->rows, from->pitch);
        if (t->other_ideal && t->other == t->other_ideal)
            append(r, "; by %s it is free too", a->by_column ? "row" : "column");
        else if (t->other_ideal)
            append(r, "; by %s it costs %llu then", a->by_column ? "row" : "column", (unsigned long long)t->other);
    } else if (a->layout == LW_LAYOUT_STRUCT) {
        bytes = (uint64_t)elements * from->struct_align;
        add(s, LW_REMEDY_PAD, a, t, bytes * a->lanes, "pad the struct: %u bytes instead of %u", a->struct_bytes,
            from->struct_bytes);
    } else {
        add(s, LW_REMEDY_PAD, a, t, bytes * a->lanes, "pad the pitch: a stride of %lld elements instead of %lld",
            (long long)a->stride, (long long)from->stride);
    }
}

static void search_padding(search *s)
{
    const lw_access *from = s->from;
    uint32_t unit = from->layout == LW_LAYOUT_STRUCT ? from->struct_align : from->op->bytes, best = 0;
    trial t, least = {0, 0, 0, 0};
    lw_access a;
    for (uint32_t n = 1; n * unit <= PAD_MOST; n++) {
        set_padding(&a, from, n);
        if (pattern_place(&a, NULL) || !try_access(s, &a, NULL, NULL, &t) || !helps(s, &t)) continue;
        if (!best || excess(&t) < excess(&least)) best = n, least = t;
        if (is_free(&t)) break;
    }
    if (!best) return;
    set_padding(&a, from, best);
    pattern_place(&a, NULL);
    tell_padding(s, &a, &least, best);
}

typedef struct gap {
    int64_t every, bytes;
} gap;

static void insert_gaps(lw_access *a, const void *how)
{
    const gap *g = how;
    for (uint32_t i = 0; i < LW_LANES; i++)
        if (a->offset[i] >= 0) a->offset[i] += a->offset[i] / g->every * g->bytes;
}

static int64_t last_byte(const lw_access *a)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < LW_LANES; i++) last = LW_MAX(last, a->offset[i] + (int64_t)a->op->bytes);
    return last;
}

/* Offsets of which nothing is known: padding behind every so many bytes. */
static void search_gaps(search *s)
{
    int64_t unit = s->from->op->bytes, last = last_byte(s->from), least = INT64_MAX;
    gap best = {0, 0};
    trial t, found = {0, 0, 0, 0};
    for (int64_t every = 4 * unit; every < last; every *= 2)
        for (int64_t bytes = unit; bytes <= 4 * unit; bytes += unit) {
            gap g = {every, bytes};
            int64_t price = (last + every - 1) / every * bytes;
            if (!try_access(s, s->from, insert_gaps, &g, &t) || !is_free(&t) || price >= least) continue;
            best = g, least = price, found = t;
        }
    if (!best.every) return;
    lw_access a = *s->from;
    insert_gaps(&a, &best);
    a.layout = LW_LAYOUT_OFFSETS;
    add(s, LW_REMEDY_PAD, &a, &found, (uint64_t)least,
        "leave %lld bytes free behind every %lld: index + index / %lld%s", (long long)best.bytes, (long long)best.every,
        (long long)(best.every / unit),
        best.bytes == unit       ? ""
        : best.bytes == 2 * unit ? " * 2"
        : best.bytes == 3 * unit ? " * 3"
                                 : " * 4");
}

/* ---- swizzles ---- */

typedef struct swizzle {
    uint32_t shift, mask;
} swizzle;

static void apply_swizzle(lw_access *a, const void *how)
{
    const swizzle *z = how;
    for (uint32_t i = 0; i < LW_LANES; i++) {
        if (a->offset[i] < 0) continue;
        int64_t index = a->offset[i] / a->op->bytes;
        a->offset[i] = (index ^ (index >> z->shift & z->mask)) * a->op->bytes;
    }
}

/* index ^ (index >> S & mask) loses nothing for S > 0, and elements stay in their block of mask + 1: rows of whole
 * blocks stay rows, in another order. */
static void tell_swizzle(search *s, swizzle z, const trial *t)
{
    lw_access a = *s->from;
    bool rows = a.layout == LW_LAYOUT_TILE && a.pitch == 1u << z.shift && !a.base;
    apply_swizzle(&a, &z);
    a.layout = LW_LAYOUT_OFFSETS;
    if (rows && z.mask + 1 >= s->from->rows)
        add(s, LW_REMEDY_SWIZZLE, &a, t, 0, "swizzle: tile[row][column ^ row] wherever it is read or written");
    else if (rows)
        add(s, LW_REMEDY_SWIZZLE, &a, t, 0, "swizzle: tile[row][column ^ (row & %u)] wherever it is read or written",
            z.mask);
    else
        add(s, LW_REMEDY_SWIZZLE, &a, t, 0, "swizzle: index ^ (index >> %u & %u) wherever it is read or written",
            z.shift, z.mask);
}

static void search_swizzles(search *s)
{
    trial t;
    uint32_t bits_most = 0;
    while (s->from->op->bytes << (bits_most + 1) <= 128) bits_most++;
    for (uint32_t bits = 1; bits <= bits_most; bits++)
        for (uint32_t shift = 1; shift <= SHIFT_MOST; shift++) {
            swizzle z = {shift, (1u << bits) - 1};
            if (s->from->layout == LW_LAYOUT_TILE && s->from->pitch % (z.mask + 1))
                continue; /* it would leave the row */
            if (!try_access(s, s->from, apply_swizzle, &z, &t) || !helps(s, &t) || !is_free(&t)) continue;
            tell_swizzle(s, z, &t);
            return;
        }
}

/* ---- layouts ---- */

static void tell(search *s, lw_remedy_kind kind, const lw_access *a, const char *text)
{
    trial t;
    if (try_access(s, a, NULL, NULL, &t) && t.cost < s->cost) add(s, kind, a, &t, 0, "%s", text);
}

/* One array per member. */
static void search_arrays(search *s)
{
    lw_access a = *s->from;
    a.layout = LW_LAYOUT_STRIDE;
    a.base = 0;
    if (!pattern_place(&a, NULL))
        tell(s, LW_REMEDY_SOA, &a, "one array per member (structure of arrays) instead of an array of structs");
}

/* The struct as one wide access: cheaper than its members one by one. */
static void search_whole(search *s)
{
    lw_access a = *s->from;
    char name[16], prefix[4] = "";
    trial t;
    snprintf(prefix, sizeof prefix, "%s", a.op->name);
    snprintf(name, sizeof name, "%s%u", prefix, 8 * a.struct_bytes);
    a.op = lw_access_op_find(name);
    a.member_offset = 0;
    if (!a.op || a.op->bytes <= s->from->op->bytes || a.base % a.op->bytes) return;
    if (pattern_place(&a, NULL) || !try_access(s, &a, NULL, NULL, &t)) return;
    uint64_t members = a.op->bytes / s->from->op->bytes;
    if (t.cost >= s->cost * members) return;
    add(s, LW_REMEDY_WHOLE, &a, &t, 0, "the whole struct at once, as one access of %u bytes%s (member by member: %llu)",
        a.op->bytes, s->from->struct_align < a.op->bytes ? ", with __align__ on the struct" : "",
        (unsigned long long)(s->cost * members));
}

/* The access moved so that its first byte lies at `first`. */
static void move_to(const lw_access *from, int64_t first, lw_access *out)
{
    int64_t least = INT64_MAX;
    *out = *from;
    for (uint32_t i = 0; i < LW_LANES; i++)
        if (from->offset[i] >= 0) least = LW_MIN(least, from->offset[i]);
    for (uint32_t i = 0; i < LW_LANES; i++)
        if (from->offset[i] >= 0) out->offset[i] += first - least;
    out->base += first - least;
}

/* The least alignment with which the access is cheaper wherever in 256 bytes it begins. */
static void search_alignment(search *s)
{
    lw_access a;
    trial t;
    for (int64_t to = 32; to <= 256; to *= 2) {
        bool fine = true;
        for (int64_t at = 256 - to; fine && at >= 0; at -= to) {
            move_to(s->from, at, &a);
            t = (trial){0, 0, 0, 0};
            fine = count(s, &a, &t.cost, &t.ideal) && helps(s, &t);
        }
        if (!fine) continue;
        add(s, LW_REMEDY_ALIGN, &a, &t, 0,
            "align: let the first byte lie on a multiple of %lld (base of the array; rows padded to a multiple of %lld "
            "bytes)",
            (long long)to, (long long)to);
        return;
    }
}

static int compare_offsets(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void search_order(search *s)
{
    lw_access a = *s->from;
    int64_t sorted[LW_LANES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < LW_LANES; i++)
        if (a.offset[i] >= 0) sorted[n++] = a.offset[i];
    qsort(sorted, n, sizeof *sorted, compare_offsets);
    for (uint32_t i = 0, k = 0; i < LW_LANES; i++)
        if (a.offset[i] >= 0) a.offset[i] = sorted[k++];
    a.layout = LW_LAYOUT_OFFSETS;
    tell(s, LW_REMEDY_ORDER, &a, "lanes in ascending order of address");
}

static void search_neighbours(search *s)
{
    lw_access a = *s->from;
    if (a.layout == LW_LAYOUT_TILE && a.by_column) {
        a.by_column = false;
        if (!pattern_place(&a, NULL))
            tell(s, LW_REMEDY_TIGHT, &a,
                 "by row: neighbouring lanes take neighbouring columns (transpose in shared memory)");
    } else if (a.layout == LW_LAYOUT_STRIDE && (a.stride > 1 || a.stride < -1)) {
        a.stride = 1;
        a.base -= a.base % (32 * a.op->bytes);
        if (!pattern_place(&a, NULL))
            tell(s, LW_REMEDY_TIGHT, &a, "neighbouring lanes take neighbouring elements (stride 1)");
    }
}

/* ---- words, where nothing can be moved ---- */

static bool names_equal(const lw_access *a)
{
    for (uint32_t i = 0; i < LW_LANES; i++)
        for (uint32_t k = 0; k < i; k++)
            if (a->offset[i] >= 0 && a->offset[i] == a->offset[k]) return true;
    return false;
}

static void hint(search *s)
{
    const char *op = s->from->op->op, *space = s->from->op->space;
    const trial none = {0, 0, 0, 0};
    bool changes = !is(op, "load") && !is(op, "store") && !is(op, "copy") && !s->from->op->matrices;
    if (changes && names_equal(s->from))
        add(s, LW_REMEDY_HINT, s->from, &none, 0,
            "lanes that name one address are served one by one: reduce over the warp first (__reduce_add_sync, "
            "shuffles), "
            "or give groups of lanes their own copies");
    else if (is(space, "constant"))
        add(s, LW_REMEDY_HINT, s->from, &none, 0,
            "constant memory serves one word a request: for an index that differs from lane to lane use shared or "
            "global memory");
    else if (is(space, "local"))
        add(s, LW_REMEDY_HINT, s->from, &none, 0,
            "index the array with the same value in all lanes, or keep it in shared memory or in registers");
    else if (!s->count)
        add(s, LW_REMEDY_HINT, s->from, &none, 0, "%s",
            is(space, "shared") ? "no padding and no swizzle makes it free: change which lane takes which element"
                                : "neighbouring lanes should take neighbouring elements: sort the indices, or stage "
                                  "through shared memory");
}

static bool before(const lw_remedy *a, const lw_remedy *b)
{
    bool a_free = a->cost == a->ideal && a->ideal, b_free = b->cost == b->ideal && b->ideal;
    bool a_hint = a->kind == LW_REMEDY_HINT, b_hint = b->kind == LW_REMEDY_HINT;
    if (a_hint != b_hint) return b_hint;
    if (a_free != b_free) return a_free;
    return a_free ? a->bytes < b->bytes : a->cost < b->cost;
}

static void sort(lw_remedy *r, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && before(&r[k], &r[k - 1]); k--) {
            lw_remedy swap = r[k];
            r[k] = r[k - 1], r[k - 1] = swap;
        }
}

static void search_all(search *s)
{
    const lw_access *a = s->from;
    bool shared = is(a->op->space, "shared");
    if (a->layout == LW_LAYOUT_STRUCT && (shared || is(a->op->space, "global"))) search_arrays(s), search_whole(s);
    if (shared) {
        bool has_pitch = a->layout != LW_LAYOUT_STRIDE || a->stride > 1 || a->stride < -1;
        if (a->layout == LW_LAYOUT_OFFSETS) search_gaps(s);
        else if (has_pitch) search_padding(s);
        if (a->layout != LW_LAYOUT_STRUCT) search_swizzles(s);
    } else if (is(a->op->space, "global")) {
        search_alignment(s);
        search_order(s);
        search_neighbours(s);
    }
    hint(s);
}

int lw_access_remedies(const char *device, const lw_access *access, const lw_access_options *options,
                       lw_remedy out[LW_REMEDIES], size_t *count_out, lw_message *message)
{
    device_profile profile;
    lw_access_counts now;
    *count_out = 0;
    if (pattern_device(device, &profile, message) || pattern_fits(&profile, access, message)) return 1;
    if (pattern_count_on(&profile, access, options, &now, message)) return 1;
    if (now.cost <= now.ideal) return 0;
    search s = {&profile, options, access, now.cost, now.ideal, out, 0};
    search_all(&s);
    sort(out, s.count);
    *count_out = s.count;
    return 0;
}
