/* caches: what a kernel does to L1, L2 and DRAM, and its time, as far as they were predicted: a line each. */
#include "report/text.h"

static uint64_t of(const result_launch *launch, counter_id id) { return launch->counters.value[id]; }

static void label(pen *p, const char *name)
{
    pen_to(p, 2);
    pen_cell(p, PEN_BOLD, 9, name);
}

static void hits(pen *p, uint64_t hit, uint64_t all)
{
    if (all) pen_put(p, PEN_PLAIN, "  %5.1f %% hit", 100.0 * (double)hit / (double)all);
    pen_line(p);
}

static void l1(pen *p, const result_launch *launch)
{
    char all[PEN_NUMBER];
    label(p, "L1");
    pen_cell(p, PEN_PLAIN, -12, pen_count(all, of(launch, COUNTER_L1_SECTORS)));
    pen_put(p, PEN_PLAIN, " sectors");
    hits(p, of(launch, COUNTER_L1_HIT_SECTORS), of(launch, COUNTER_L1_SECTORS));
}

static void l2(pen *p, const result_launch *launch)
{
    char text[PEN_NUMBER];
    uint64_t read = of(launch, COUNTER_L2_READ_SECTORS);
    uint64_t written = of(launch, COUNTER_L2_WRITE_SECTORS);
    uint64_t atomic = of(launch, COUNTER_L2_ATOMIC_SECTORS);
    label(p, "L2");
    pen_cell(p, PEN_PLAIN, -12, pen_count(text, read));
    pen_put(p, PEN_PLAIN, " sectors read, %s written", pen_count(text, written));
    if (atomic) pen_put(p, PEN_PLAIN, ", %s by atomics", pen_count(text, atomic));
    hits(p, of(launch, COUNTER_L2_HIT_SECTORS), read + written + atomic);
}

static void dram(pen *p, const result_launch *launch)
{
    char text[PEN_NUMBER];
    label(p, "DRAM");
    pen_cell(p, PEN_PLAIN, -13, pen_bytes(text, (double)of(launch, COUNTER_DRAM_READ_BYTES)));
    pen_put(p, PEN_PLAIN, " read, %s written", pen_bytes(text, (double)of(launch, COUNTER_DRAM_WRITE_BYTES)));
    pen_line(p);
}

/* The time of a kernel that no unit limits may go elsewhere: atomics at one place, one after the other. */
static const char *limited_by(report_page *page, const result_time *t)
{
    result_resource most = result_bottleneck(t), longest = most;
    const char *name = result_resource_names[most];
    if (most != RESULT_LATENCY && most != RESULT_LAUNCH)
        return lw_arena_printf(&page->arena, "%s (%.0f %% of its peak)", name, 100 * result_unit_share(t, most));
    for (int k = 0; k < RESULT_RESOURCES; k++)
        if (t->resource[k] > t->resource[longest]) longest = (result_resource)k;
    const char *taken = longest == most ? "" : lw_arena_printf(&page->arena, "%s: ", result_resource_names[longest]);
    return lw_arena_printf(&page->arena, "%s (%s%.0f %% of the time)", name, taken,
                           100 * t->resource[longest] / t->seconds);
}

static void predicted_time(report_page *page, const result_time *t)
{
    pen *p = &page->pen;
    char text[PEN_NUMBER];
    double count = (double)t->count;
    const char *wide = result_range_words[t->range];
    label(p, "time");
    pen_cell(p, PEN_PLAIN, -12, pen_time(text, t->seconds / count));
    pen_put(p, PEN_PLAIN, " predicted, %s", pen_time(text, t->low / count));
    pen_put(p, PEN_PLAIN, " to %s; limited by ", pen_time(text, t->high / count));
    pen_put(p, PEN_PLAIN, "%s", limited_by(page, t));
    pen_line(p);
    if (*wide) pen_wrap(p, PEN_PLAIN, 13, lw_arena_printf(&page->arena, "a wide range, as %s", wide));
}

/* "t.cu:41 causes 78 % of it; at its ideal the kernel would take 21 us instead of 84 us". */
static void slowest_line(report_page *page, const result_launch *launch)
{
    const double worth_saying = 0.1, saves_something = 0.02;
    const result_row *row = report_slowest(launch);
    const result_time *t = &launch->time;
    char now[PEN_NUMBER], then[PEN_NUMBER];
    if (!row || row->seconds < worth_saying * t->seconds) return;
    const char *text = lw_arena_printf(&page->arena, "%s:%u causes %.0f %% of it", text_file(page, row->file),
                                       row->line, 100 * row->seconds / t->seconds);
    double ideal = t->seconds - row->seconds_saved;
    if (row->seconds_saved > saves_something * t->seconds)
        text = lw_arena_printf(&page->arena, "%s; at its ideal the kernel would take %s instead of %s", text,
                               pen_time(then, ideal / (double)t->count), pen_time(now, t->seconds / (double)t->count));
    pen_wrap(&page->pen, PEN_PLAIN, 13, text);
}

/* What the kernel computes, and how fast that is at the predicted time. */
static void flops(report_page *page, const result_launch *launch)
{
    static const struct {
        counter_id id;
        const char *name;
    } kinds[] = {{COUNTER_FLOP_FP16, "fp16"},
                 {COUNTER_FLOP_FP32, "fp32"},
                 {COUNTER_FLOP_FP64, "fp64"},
                 {COUNTER_FLOP_TENSOR, "tensor"}};
    pen *p = &page->pen;
    char text[PEN_NUMBER];
    double bytes = (double)of(launch, COUNTER_DRAM_READ_BYTES) + (double)of(launch, COUNTER_DRAM_WRITE_BYTES);
    for (size_t k = 0; k < LW_COUNT(kinds); k++) {
        double all = (double)of(launch, kinds[k].id);
        if (all <= 0) continue;
        label(p, "FLOP");
        pen_cell(p, PEN_PLAIN, -12, pen_short(text, all));
        pen_put(p, PEN_PLAIN, " %s, %sFLOP/s", kinds[k].name, pen_short(text, all / launch->time.seconds));
        if (bytes > 0) pen_put(p, PEN_PLAIN, ", %s a byte of DRAM", pen_short(text, all / bytes));
        pen_line(p);
    }
}

void text_caches(report_page *page, const result_launch *launch)
{
    if (!(launch->counters.present >> COUNTER_L1_SECTORS & 1)) return;
    l1(&page->pen, launch);
    l2(&page->pen, launch);
    dram(&page->pen, launch);
    if (!launch->time.count) return;
    flops(page, launch);
    predicted_time(page, &launch->time);
    slowest_line(page, launch);
}
