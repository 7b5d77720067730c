/* Other layouts of a launch's arrays in global memory, counted. An array is an allocation that the kernel accesses: its name is the
 * argument that points to it. Only this launch is counted: other kernels and the host must follow the change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/caches_priv.h"
#include "host/what_if_priv.h"
#include "memory/memory.h"
#include "model/relayout.h"

enum { MOST_ARRAYS = 64, SMALL_ROW = 128 }; /* bytes: rows up to this are structures */

typedef struct global_array {
    mem_allocation at;
    model_block block;
    const char *name, *about;
    const char *unproven; /* why no other layout is counted; NULL: none of these reasons */
    bool joined;          /* the assembler has made one access of several */
    uint64_t *before;     /* sectors by instruction, as it is */
    uint64_t sum, ideal;
} global_array;

typedef struct global_work {
    recount *r;
    model_traces traces;
    uint8_t *parts; /* by instruction */
    global_array arrays[MOST_ARRAYS];
    uint32_t count;
    bool more; /* than MOST_ARRAYS */
} global_work;

/* ---- arrays ---- */
static bool has(const global_array *a, uint64_t address) { return address - a->at.address < a->at.bytes; }

/* The array of an address; NULL: it lies in none, or in one that is not the program's. */
static global_array *array_of(global_work *w, uint64_t address)
{
    for (uint32_t k = 0; k < w->count; k++)
        if (has(&w->arrays[k], address)) return &w->arrays[k];
    mem_allocation found;
    if (!mem_find(w->r->context->memory, address, &found) || mem_is_internal(found.kind) || found.kind == MEM_CONST_VAR)
        return NULL;
    if (w->count == MOST_ARRAYS) {
        w->more = true;
        return NULL;
    }
    global_array *a = &w->arrays[w->count++];
    *a = (global_array){.at = found};
    a->block = (model_block){.begin = found.address, .bytes = found.bytes, .parts = w->parts, .narrow = 16};
    if (found.bytes > UINT32_MAX) a->unproven = "it is larger than 4 GiB";
    return a;
}

/* What an access says about its array. */
static void look_at(global_work *w, const model_touch *t, const uint64_t address[32])
{
    uint32_t first = (uint32_t)__builtin_ctz(t->mask);
    global_array *a = array_of(w, address[first]);
    if (!a) return;
    if (t->space == EVENT_TEXTURE) a->unproven = "textures read it";
    else if (t->flags & EVENT_BULK) a->unproven = "bulk copies move it as one piece";
    else if (t->op == EVENT_COPY_READ || t->op == EVENT_COPY_WRITE) a->unproven = "asynchronous copies read it";
    for (uint32_t m = t->mask; m && !(t->flags & EVENT_BULK); m &= m - 1) {
        uint64_t last = address[__builtin_ctz(m)] + t->bytes - 1;
        if (has(a, address[__builtin_ctz(m)]) && has(a, last)) continue;
        global_array *other = array_of(w, address[__builtin_ctz(m)]);
        const char *place = host_what_if_place(w->r, t->insn);
        if (other && other != a)
            other->unproven = lw_arena_printf(w->r->arena, "%s accesses several arrays at once", place);
        a->unproven = lw_arena_printf(
            w->r->arena, other && other != a ? "%s accesses several arrays at once" : "%s goes beyond its end", place);
        return;
    }
    uint32_t element, part = host_what_if_parts(w->r->kernel->code->sites[t->insn].insn->mnemonic, &element);
    if (!element || part > t->bytes) element = part = t->bytes;
    w->parts[t->insn] = (uint8_t)part;
    a->joined |= part < t->bytes;
    a->block.narrow = LW_MIN(a->block.narrow, element);
    a->block.wide = LW_MAX(a->block.wide, part);
}

static void find_arrays(global_work *w)
{
    uint64_t address[32];
    for (size_t n = 0; n < w->traces.count; n++)
        for (size_t k = 0; k < model_trace_count(w->traces.items[n]); k++) {
            const model_touch *t = model_trace_at(w->traces.items[n], k, address);
            look_at(w, t, address);
        }
}

/* Arguments that point into the array: the first one's name. Two of them are two arrays, of which nobody knows where they end. */
static void name_array(global_work *w, global_array *a)
{
    const code_kernel *code = w->r->kernel->code;
    const uint8_t *image = w->r->facts->op->u.kernel.params;
    uint64_t known = 0;
    if (a->at.name[0]) a->name = host_what_if_short_name(w->r->arena, a->at.name);
    for (uint32_t k = 0; image && k < code->param_count; k++) {
        const code_param *p = &code->params[k];
        for (uint32_t at = 0; at + 8 <= p->bytes; at += 8) {
            uint64_t value;
            memcpy(&value, image + p->offset + at, sizeof value);
            if (!has(a, value) || value == known) continue;
            if (known) a->unproven = "several arguments point into it";
            known = value;
            if (value != a->at.address) a->block.fixed = true;
            if (a->name) continue;
            a->name = p->bytes == 8 ? lw_arena_printf(w->r->arena, "arg%u", k + 1)
                                    : lw_arena_printf(w->r->arena, "arg%u.byte%u", k + 1, at);
        }
    }
    if (!a->name) a->name = lw_arena_printf(w->r->arena, "block%llu", (unsigned long long)a->at.number);
    char about[400];
    mem_describe_block(w->r->context->memory, &a->at, about, sizeof about);
    a->about = lw_arena_strdup(w->r->arena, about);
}

/* ---- one layout ---- */
static result_what_if describe(const recount *r, const global_array *a, const model_layout *layout)
{
    lw_text now = {0}, then = {0}, index = {0};
    model_layout_now(layout, a->name, &now);
    if (layout->kind == MODEL_LAYOUT_TRANSPOSED && layout->pitch <= SMALL_ROW)
        lw_text_add(&then, "%s[%u][%u] (structure of arrays)", a->name, layout->pitch / layout->element,
                    layout->bytes / layout->pitch);
    else model_layout_then(layout, a->name, &then);
    model_layout_index(layout, &index);
    uint32_t blocks = r->launch->occupancy.blocks_per_sm;
    return (result_what_if){.array = a->name,
                            .about = a->about,
                            .now = host_what_if_text(r->arena, &now),
                            .then = host_what_if_text(r->arena, &then),
                            .index = host_what_if_text(r->arena, &index),
                            .global = true,
                            .exact = !a->joined,
                            .before = a->sum,
                            .blocks_before = blocks,
                            .blocks_after = blocks};
}

static void cap(counter_set *c, counter_id id, double most)
{
    if (c->present >> id & 1) c->value[id] = LW_MIN(c->value[id], (uint64_t)most);
}

/* What a row asks for if it touches so many sectors. L2 and DRAM are asked for no more than that; what caches save now is not
 * saved again. */
static void move_less(counter_set *c, uint64_t sectors)
{
    double ratio = (double)sectors / (double)LW_MAX(c->value[COUNTER_SECTORS], UINT64_C(1));
    c->value[COUNTER_SECTORS] = sectors;
    c->value[COUNTER_TAGS] = (uint64_t)(ratio * (double)c->value[COUNTER_TAGS]);
    cap(c, COUNTER_L2_READ_SECTORS, (double)sectors);
    cap(c, COUNTER_L2_WRITE_SECTORS, (double)sectors);
    cap(c, COUNTER_L2_ATOMIC_SECTORS, (double)sectors);
    cap(c, COUNTER_DRAM_READ_BYTES, 32.0 * (double)sectors);
    cap(c, COUNTER_DRAM_WRITE_BYTES, 32.0 * (double)sectors);
}

/* Of the launch with r->row_after; moved false: as it is. */
static double predict(const recount *r, bool moved)
{
    result_row *rows = lw_alloc((r->launch->row_count + 1) * sizeof *rows);
    result_launch launch = *r->launch;
    memcpy(rows, r->rows, r->launch->row_count * sizeof *rows);
    memset(&launch.counters, 0, sizeof launch.counters);
    for (size_t k = 0; k < launch.row_count; k++) {
        counter_set *c = &rows[k].counters;
        uint64_t saved = r->row_before[k] - r->row_after[k];
        if (moved && r->row_after[k] < r->row_before[k]) move_less(c, c->value[COUNTER_SECTORS] - saved);
        counter_set_add(&launch.counters, c);
    }
    launch.rows = rows;
    double seconds = host_time_of_launch(r->context, r->facts, &launch, rows).seconds;
    free(rows);
    return seconds;
}

/* Counts the array with a layout; by row: r->row_before and row_after. */
static result_what_if try_layout(const global_work *w, const global_array *a, const model_layout *layout)
{
    recount *r = w->r;
    result_what_if what = describe(r, a, layout);
    uint32_t insns = r->kernel->code->site_count, insn = 0;
    uint64_t *after = lw_alloc((insns + 1) * sizeof *after);
    if (model_relayout_count(&w->traces, &a->block, layout, r->context->device, insns, after, &insn)) {
        for (uint32_t k = 0; k < insns; k++) what.after += after[k];
        host_what_if_sum_rows(r, a->before, r->row_before);
        host_what_if_sum_rows(r, after, r->row_after);
        what.refused = host_what_if_no_gain(r, &what);
        if (r->launch->time.count && what.after <= what.before) {
            what.seconds_before = predict(r, false);
            what.seconds_after = predict(r, true);
        }
    } else {
        what.after = what.before;
        what.refused =
            lw_arena_printf(r->arena, "%s: accesses would not be aligned, or cross a row", host_what_if_place(r, insn));
    }
    free(after);
    return what;
}

/* How the sentence ends. A transposed array is another one: it may be what the program has to write. */
static const char *remark_on(const model_layout *layout)
{
    bool order = layout->kind == MODEL_LAYOUT_TRANSPOSED && layout->pitch > SMALL_ROW;
    return order ? "; if the order must stay, go through a tile in shared memory" : "";
}

static void try_layouts(const global_work *w, const global_array *a, const model_relayouts *layouts)
{
    ranked_list all = {0};
    for (size_t k = 0; k < layouts->count; k++) {
        ranked one = {try_layout(w, a, &layouts->items[k]), &layouts->items[k]};
        lw_vec_push(&all, one);
    }
    host_what_if_sort(&all);
    if (!all.items[0].what.refused) {
        ranked *best = &all.items[0];
        best->what = try_layout(w, a, best->layout); /* once more, for its rows */
        best->what.best = true;
        const char *what = lw_arena_printf(w->r->arena, "%s instead of %s", best->what.then, best->what.now);
        host_what_if_advise(w->r, &best->what, best->layout->element, what, remark_on(best->layout));
    }
    host_what_if_show(w->r, &all);
}

static void say_unproven(recount *r, const global_array *a, const char *why)
{
    result_what_if what = {.array = a->name,
                           .about = a->about,
                           .now = a->name,
                           .refused = why,
                           .global = true,
                           .before = a->sum,
                           .after = a->sum};
    lw_vec_push(&r->table, what);
}

/* ---- one array ---- */
static uint64_t dropped(const global_work *w)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < w->traces.count; k++) sum += model_trace_dropped(w->traces.items[k]);
    return sum;
}

/* Whether one of the rows that the array is accessed in is above its ideal. */
static bool is_costly(const recount *r, const global_array *a)
{
    host_what_if_sum_rows(r, a->before, r->row_before);
    for (size_t k = 0; k < r->launch->row_count; k++) {
        const counter_set *c = &r->rows[k].counters;
        if (r->row_before[k] && c->value[COUNTER_SECTORS] > c->value[COUNTER_SECTORS_IDEAL]) return true;
    }
    return false;
}

static void recount_array(global_work *w, global_array *a)
{
    recount *r = w->r;
    uint32_t insns = r->kernel->code->site_count, insn;
    model_relayouts layouts = {0};
    a->before = lw_alloc((insns + 1) * sizeof *a->before);
    model_relayout_count(&w->traces, &a->block, NULL, r->context->device, insns, a->before, &insn);
    for (uint32_t k = 0; k < insns; k++) a->sum += a->before[k];
    if (a->sum && is_costly(r, a)) {
        name_array(w, a);
        const char *why = dropped(w) ? "the launch has too many accesses to keep: try a smaller problem" : a->unproven;
        if (!why) model_relayouts_of(&w->traces, &a->block, r->context->device, &layouts);
        if (why) say_unproven(r, a, why);
        else if (layouts.count) try_layouts(w, a, &layouts);
    }
    lw_vec_free(&layouts);
    free(a->before);
    a->before = NULL;
}

void host_what_if_global(recount *r)
{
    global_work w = {.r = r, .traces = {r->seen->traces.items, r->seen->traces.count}};
    w.parts = lw_alloc(r->kernel->code->site_count + 1);
    find_arrays(&w);
    for (uint32_t k = 0; k < w.count; k++) recount_array(&w, &w.arrays[k]);
    free(w.parts);
}
