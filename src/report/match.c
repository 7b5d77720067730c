/* match: pairs the kernels and lines of two runs. Files are paired by their name; if one file of a kernel is left on each side, it was
 * renamed, or is a variant. Lines of one file that have their text in both runs are aligned by the longest common subsequence of texts; what is left between two aligned lines is paired in order, kind by kind: edited lines. */
#include "report/match.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CELLS                                                                                                     \
    (4u << 20) /* of the table of a common subsequence; files with more counted lines are matched by number */

static bool same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static const char *base_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* ---- kernels ---- */

static bool same_shape(const result_launch *a, const result_launch *b)
{
    return !memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block) &&
           !memcmp(a->cluster, b->cluster, sizeof a->cluster) && a->dynamic_shared_bytes == b->dynamic_shared_bytes;
}

/* The first launch of `before` that is not taken and is this one; SIZE_MAX: there is none. */
static size_t find_launch(const result_set *before, const bool *taken, const result_launch *l, bool shape)
{
    for (size_t i = 0; i < before->launches.count; i++) {
        const result_launch *b = &before->launches.items[i];
        if (!taken[i] && same(b->kernel, l->kernel) && (!shape || same_shape(b, l))) return i;
    }
    return SIZE_MAX;
}

static size_t match_kernels(const result_set *before, const result_set *after, lw_arena *arena, match_kernel *out)
{
    size_t count = 0;
    bool *taken = LW_NEW_ARRAY(arena, bool, before->launches.count + 1);
    for (size_t i = 0; i < after->launches.count; i++) out[count++].after = &after->launches.items[i];
    for (int shape = 1; shape >= 0; shape--) { /* all equal configurations first */
        for (size_t i = 0; i < after->launches.count; i++) {
            size_t at = out[i].before ? SIZE_MAX : find_launch(before, taken, out[i].after, shape);
            if (at == SIZE_MAX) continue;
            taken[at] = true;
            out[i].before = &before->launches.items[at];
        }
    }
    for (size_t i = 0; i < before->launches.count; i++)
        if (!taken[i]) out[count++].before = &before->launches.items[i];
    return count;
}

/* ---- lines ---- */

/* A line of one run, with the rows of it. */
typedef struct match_place {
    const char *file;
    uint32_t line;
    const char *source;
    const result_row *first;
    struct match_place *other; /* the line of the other run */
} match_place;

typedef struct place_list {
    match_place *items;
    size_t count;
} place_list;

static int compare_places(const void *left, const void *right)
{
    const match_place *a = left;
    const match_place *b = right;
    int c = strcmp(base_of(a->file), base_of(b->file));
    if (!c) c = strcmp(a->file, b->file);
    return c ? c : (a->line > b->line) - (a->line < b->line);
}

static place_list places_of(const result_launch *launch, lw_arena *arena)
{
    place_list list = {LW_NEW_ARRAY(arena, match_place, launch->row_count + 1), 0};
    for (size_t i = 0; i < launch->row_count; i++) {
        const result_row *r = &launch->rows[i];
        list.items[i] = (match_place){.file = r->file, .line = r->line, .source = r->source, .first = r};
    }
    if (launch->row_count) qsort(list.items, launch->row_count, sizeof *list.items, compare_places);
    for (size_t i = 0; i < launch->row_count; i++)
        if (!list.count || compare_places(&list.items[list.count - 1], &list.items[i]))
            list.items[list.count++] = list.items[i];
    return list;
}

/* The places of the file that begins at `begin`. */
static place_list file_at(const place_list *all, size_t begin)
{
    size_t end = begin;
    while (end < all->count && !strcmp(base_of(all->items[end].file), base_of(all->items[begin].file))) end++;
    return (place_list){all->items + begin, end - begin};
}

static void join(match_place *a, match_place *b)
{
    a->other = b;
    b->other = a;
}

static void by_number(const place_list *a, const place_list *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count && !a->items[i].other; k++)
            if (a->items[i].line == b->items[k].line && !b->items[k].other) join(&a->items[i], &b->items[k]);
}

static bool all_known(const place_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (!list->items[i].source) return false;
    return true;
}

/* The longest common subsequence of the texts. length[i][k]: of the rests from i and k on. */
static void by_text(const place_list *a, const place_list *b)
{
    size_t width = b->count + 1;
    uint32_t *length = lw_alloc((a->count + 1) * width * sizeof *length);
    for (size_t i = a->count; i-- > 0;) {
        for (size_t k = b->count; k-- > 0;) {
            bool equal = !strcmp(a->items[i].source, b->items[k].source);
            uint32_t down = length[(i + 1) * width + k];
            uint32_t right = length[i * width + k + 1];
            length[i * width + k] = equal ? length[(i + 1) * width + k + 1] + 1 : LW_MAX(down, right);
        }
    }
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (!strcmp(a->items[i].source, b->items[k].source)) join(&a->items[i++], &b->items[k++]);
        else if (length[(i + 1) * width + k] >= length[i * width + k + 1]) i++;
        else k++;
    }
    free(length);
}

/* Lines without counterpart between two that have one: in order, those of one kind. */
static void edited(const place_list *a, const place_list *b)
{
    for (size_t i = 0, low = 0; i < a->count; i++) {
        match_place *from = &a->items[i];
        if (from->other) low = (size_t)(from->other - b->items) + 1;
        for (size_t k = low; k < b->count && !from->other && !b->items[k].other; k++) {
            const result_row *x = from->first;
            const result_row *y = b->items[k].first;
            if (!same(x->space, y->space) || !same(x->op, y->op)) continue;
            join(from, &b->items[k]);
            low = k + 1;
        }
    }
}

static void match_files(const place_list *x, const place_list *y)
{
    bool texts = all_known(x) && all_known(y) && (x->count + 1) * (y->count + 1) <= MOST_CELLS;
    if (!texts) by_number(x, y);
    if (texts) by_text(x, y);
    if (texts) edited(x, y);
}

/* The file of `all` that is called as `file`; empty: there is none. */
static place_list namesake(const place_list *all, const char *file)
{
    for (size_t i = 0; i < all->count;) {
        place_list x = file_at(all, i);
        if (!strcmp(base_of(x.items[0].file), base_of(file))) return x;
        i += x.count;
    }
    return (place_list){0};
}

/* The only file of `all` without a namesake in `other`; empty: there is none, or there are several. */
static place_list left_over(const place_list *all, const place_list *other)
{
    place_list found = {0};
    for (size_t i = 0; i < all->count;) {
        place_list x = file_at(all, i);
        i += x.count;
        if (namesake(other, x.items[0].file).count) continue;
        if (found.count) return (place_list){0};
        found = x;
    }
    return found;
}

static void match_places(const place_list *a, const place_list *b)
{
    for (size_t i = 0; i < a->count;) {
        place_list x = file_at(a, i);
        i += x.count;
        place_list y = namesake(b, x.items[0].file);
        if (y.count) match_files(&x, &y);
    }
    place_list x = left_over(a, b);
    place_list y = left_over(b, a);
    if (x.count && y.count) match_files(&x, &y);
}

static const match_place *place_of(const place_list *list, const result_row *row)
{
    match_place key = {.file = row->file, .line = row->line};
    return list->count ? bsearch(&key, list->items, list->count, sizeof key, compare_places) : NULL;
}

/* ---- rows ---- */

static size_t find_row(const result_launch *before, const bool *taken, const match_place *place, const result_row *row,
                       bool width)
{
    if (!place || !place->other) return SIZE_MAX;
    for (size_t i = 0; i < before->row_count; i++) {
        const result_row *r = &before->rows[i];
        bool here = r->line == place->other->line && !strcmp(r->file, place->other->file);
        bool kind = same(r->space, row->space) && same(r->op, row->op) && same(r->dir, row->dir);
        if (!taken[i] && here && kind && (!width || r->bytes_per_lane == row->bytes_per_lane)) return i;
    }
    return SIZE_MAX;
}

static void match_rows(match_kernel *k, lw_arena *arena)
{
    static const result_launch none = {0};
    const result_launch *before = k->before ? k->before : &none;
    const result_launch *after = k->after ? k->after : &none;
    place_list a = places_of(before, arena);
    place_list b = places_of(after, arena);
    bool *taken = LW_NEW_ARRAY(arena, bool, before->row_count + 1);
    match_places(&a, &b);
    k->rows = LW_NEW_ARRAY(arena, match_row, before->row_count + after->row_count + 1);
    k->row_count = after->row_count;
    for (size_t i = 0; i < after->row_count; i++) k->rows[i].after = &after->rows[i];
    for (int width = 1; width >= 0; width--) { /* the same width first: a line may have become wider */
        for (size_t i = 0; i < after->row_count; i++) {
            const result_row *row = &after->rows[i];
            if (k->rows[i].before) continue;
            size_t at = find_row(before, taken, place_of(&b, row), row, width);
            if (at == SIZE_MAX) continue;
            taken[at] = true;
            k->rows[i].before = &before->rows[at];
        }
    }
    for (size_t i = 0; i < before->row_count; i++)
        if (!taken[i]) k->rows[k->row_count++].before = &before->rows[i];
}

bool report_match_renamed(const match_row *r)
{
    return r->before && r->after && strcmp(base_of(r->before->file), base_of(r->after->file));
}

size_t report_match(const result_set *before, const result_set *after, lw_arena *arena, match_kernel **out)
{
    *out = LW_NEW_ARRAY(arena, match_kernel, before->launches.count + after->launches.count + 1);
    size_t count = match_kernels(before, after, arena, *out);
    for (size_t i = 0; i < count; i++) match_rows(&(*out)[i], arena);
    return count;
}
