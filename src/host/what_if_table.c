/* What recounts of shared and of global arrays have in common: names, whether anything is gained, the order of the table, and the
 * sentences below the lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/source_priv.h"
#include "host/finding_priv.h"
#include "host/what_if_priv.h"

enum {
    LEAST_GAIN = 20, /* 1/20 of what the array costs: below that nothing is recommended */
    MOST_SHOWN = 64  /* layouts of one array in the table */
};

const char *host_what_if_short_name(lw_arena *arena, const char *mangled)
{
    char *name = host_demangle(mangled);
    char *last = name;
    for (char *at = strstr(name, "::"); at; at = strstr(at + 2, "::")) last = at + 2;
    const char *kept = lw_arena_strdup(arena, last);
    free(name);
    return kept;
}

const char *host_what_if_place(const recount *r, uint32_t insn)
{
    const char *file;
    uint32_t line;
    host_source_of(r->kernel->code, insn, &file, &line);
    const char *base = file ? strrchr(file, '/') : NULL;
    return lw_arena_printf(r->arena, "%s:%u", base ? base + 1 : file ? file : "?", line);
}

const char *host_what_if_text(lw_arena *arena, lw_text *text)
{
    const char *copy = lw_arena_strndup(arena, text->data, text->size);
    lw_text_free(text);
    return copy;
}

/* ---- PTX ---- */
/* Bytes of the type that an instruction ends with: 4 of "ld.shared.v2.f32"; 0: it does not say. */
static uint32_t type_bytes(const char *mnemonic)
{
    const char *type = strrchr(mnemonic, '.');
    size_t letters = type ? strcspn(type, "0123456789") : 0;
    return letters ? (uint32_t)strtoul(type + letters, NULL, 10) / 8 : 0;
}

static uint32_t lanes_vector(const char *mnemonic)
{
    if (strstr(mnemonic, ".v2.")) return 2;
    if (strstr(mnemonic, ".v4.")) return 4;
    return strstr(mnemonic, ".v8.") ? 8 : 1;
}

uint32_t host_what_if_parts(const char *mnemonic, uint32_t *element)
{
    *element = type_bytes(mnemonic);
    return *element * lanes_vector(mnemonic);
}

/* ---- rows ---- */
void host_what_if_sum_rows(const recount *r, const uint64_t *by_insn, uint64_t *by_row)
{
    memset(by_row, 0, r->launch->row_count * sizeof *by_row);
    for (uint32_t k = 0; k < r->kernel->code->site_count; k++)
        if (by_insn[k] && r->row_of[k]) by_row[r->row_of[k] - 1] += by_insn[k];
}

const char *host_what_if_no_gain(const recount *r, const result_what_if *w)
{
    for (size_t k = 0; k < r->launch->row_count; k++)
        if (r->row_after[k] > r->row_before[k]) return lw_arena_printf(r->arena, "line %u gets worse", r->rows[k].line);
    if (w->after >= w->before) return "nothing is gained";
    if (w->before - w->after < w->before / LEAST_GAIN) return "hardly anything is gained";
    return NULL;
}

/* ---- the table ---- */
static int by_worth(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (!a->what.refused != !b->what.refused) return a->what.refused ? 1 : -1;
    if (a->what.after != b->what.after) return a->what.after < b->what.after ? -1 : 1;
    return a->layout < b->layout ? -1 : a->layout > b->layout;
}

void host_what_if_sort(ranked_list *list) { qsort(list->items, list->count, sizeof *list->items, by_worth); }

void host_what_if_show(recount *r, ranked_list *list)
{
    for (size_t k = 0; k < list->count && k < MOST_SHOWN; k++) lw_vec_push(&r->table, list->items[k].what);
    lw_vec_free(list);
}

/* ---- advice ---- */
/* Below half a percent it would be "-0 %", which says nothing. */
static const char *saved_time(const recount *r, const result_what_if *w)
{
    double left = w->seconds_before > 0 ? w->seconds_after / w->seconds_before : 1;
    return left < 0.995 ? lw_arena_printf(r->arena, ", -%.0f %% predicted time", 100 * (1 - left)) : "";
}

/* 17408 -> "17,408" */
static const char *grouped(lw_arena *arena, uint64_t n)
{
    const char *tail = "";
    for (; n >= 1000; n /= 1000) tail = lw_arena_printf(arena, ",%03u%s", (uint32_t)(n % 1000), tail);
    return lw_arena_printf(arena, "%u%s", (uint32_t)n, tail);
}

void host_what_if_advise(const recount *r, const result_what_if *best, uint32_t element, const char *what,
                         const char *more)
{
    counter_id counted = best->global ? COUNTER_SECTORS : COUNTER_WAVEFRONTS;
    counter_id least = best->global ? COUNTER_SECTORS_IDEAL : COUNTER_WAVEFRONTS_IDEAL;
    const char *about = best->exact ? "" : "~";
    for (size_t k = 0; k < r->launch->row_count; k++) {
        result_row *row = &r->rows[k];
        if (r->row_after[k] >= r->row_before[k]) continue;
        double actual = (double)row->counters.value[counted], ideal = (double)row->counters.value[least];
        double then = actual - (double)(r->row_before[k] - r->row_after[k]);
        row->advice = lw_arena_printf(
            r->arena,
            "Counted: with %s (%u-byte element i at %s) %.1fx -> %s%.1fx here, no line worse, %s -> %s %s%s%s.", what,
            element, best->index, actual / ideal, about, then / ideal, grouped(r->arena, best->before),
            grouped(r->arena, best->after), best->global ? "sectors" : "wavefronts", saved_time(r, best), more);
    }
}
