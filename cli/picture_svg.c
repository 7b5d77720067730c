/* picture: an access drawn as SVG, the same two pictures as in the terminal with lane numbers in the cells. Plain
 * shapes and a <title> on every cell (a browser shows it under the pointer); no scripts, no fonts of our own; light and
 * dark backgrounds both work because the sheet is painted. */
#include "cli.h"
#include "picture.h"

#include <errno.h>
#include <string.h>

#define CELL 20
#define LEFT 84
#define TOP 78
#define GAP 10 /* between groups, and between sectors */

static void begin(FILE *out, const picture *p, unsigned width, unsigned height, const char *subtitle)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
            "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"11\">\n"
            "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n",
            width, height, width, height, width, height);
    fprintf(out, "<text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\" fill=\"#1b1f24\">%s</text>\n",
            p->title);
    fprintf(out, "<text x=\"12\" y=\"42\" fill=\"#57606a\">%s</text>\n", subtitle);
}

static void label(FILE *out, unsigned x, unsigned y, const char *anchor, const char *colour, const char *text)
{
    fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor, colour, text);
}

static void box(FILE *out, unsigned x, unsigned y, unsigned width, const char *fill, const char *text, const char *hint)
{
    fprintf(out, "<g><rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\" stroke=\"#ffffff\"/>", x, y, width,
            CELL, fill);
    if (*text)
        fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\" font-size=\"10\" fill=\"#1b1f24\">%s</text>",
                x + width / 2, y + 14, text);
    fprintf(out, "<title>%s</title></g>\n", hint);
}

/* ---- banks ---- */

/* First pass green, the others from yellow to red. */
static const char *pass_fill(unsigned pass)
{
    static const char *const fill[] = {"#f0f2f4", "#8fd19e", "#ffe08a", "#ffc078",
                                       "#ff9f68", "#ff7f5c", "#f8625a", "#ee4b55"};
    return fill[pass < 8 ? pass : 7];
}

static unsigned bank_lane(FILE *out, const picture *p, const lw_bank_mark *m, unsigned y)
{
    for (uint32_t b = 0; b < p->banks->banks; b++) {
        bool hit = b >= m->bank && b < m->bank + (uint32_t)m->banks;
        long long offset = p->access->offset[m->lane];
        box(out, LEFT + b * CELL, y, CELL, pass_fill(hit ? m->pass : 0), hit ? text_of("%u", m->pass) : "",
            hit ? text_of("lane %u, byte %lld, bank %u: pass %u", m->lane, offset, b, m->pass) : text_of("bank %u", b));
    }
    label(out, LEFT - 8, y + 14, "end", "#57606a", text_of("lane %u", m->lane));
    return y + CELL;
}

static unsigned bank_group(FILE *out, const picture *p, uint32_t group, unsigned y)
{
    uint8_t sum[32] = {0};
    unsigned start = y, most = 0;
    for (size_t i = 0; i < p->banks->mark_count; i++) {
        const lw_bank_mark *m = &p->banks->marks[i];
        if (m->group != group) continue;
        for (uint32_t b = m->bank; b < m->bank + (uint32_t)m->banks && b < 32; b++)
            if (m->pass > sum[b]) sum[b] = m->pass;
        if (m->pass > most) most = m->pass;
        y = bank_lane(out, p, m, y);
    }
    if (y == start) return y;
    y += 4;
    for (uint32_t b = 0; b < p->banks->banks; b++)
        box(out, LEFT + b * CELL, y, CELL, pass_fill(sum[b]), sum[b] ? text_of("%u", sum[b]) : "",
            text_of("bank %u: %u passes", b, sum[b]));
    label(out, LEFT - 8, y + 14, "end", "#1b1f24", "passes");
    label(out, LEFT + p->banks->banks * CELL + 8, y + 14, "start", "#1b1f24", text_of("max %u", most));
    return y + CELL + 2 * GAP;
}

static void banks_svg(FILE *out, const picture *p)
{
    unsigned groups = p->banks->groups, width = LEFT + p->banks->banks * CELL + 84;
    unsigned height = TOP + (unsigned)p->banks->mark_count * CELL + groups * (CELL + 4 + 2 * GAP) + GAP, y = TOP;
    if (width < 560) width = 560;
    begin(out, p, width, height,
          text_of("lanes against banks of %u bytes; a number is the pass in which the bank serves the lane: "
                  "different numbers in a column conflict",
                  p->banks->bank_bytes));
    for (uint32_t b = 0; b < p->banks->banks; b++)
        label(out, LEFT + b * CELL + CELL / 2, TOP - 6, "middle", "#57606a", text_of("%u", b));
    label(out, LEFT - 8, TOP - 6, "end", "#57606a", "bank");
    for (uint32_t g = 0; g < groups; g++) y = bank_group(out, p, g, y);
}

/* ---- bytes: cells of 4 bytes, or as wide as the lanes access if that is less ---- */

static const char *lane_words(uint32_t lanes)
{
    unsigned count = (unsigned)__builtin_popcount(lanes), first = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    return count == 0 ? "" : count == 1 ? text_of("%u", first) : text_of("%u+", first);
}

static const char *byte_fill(uint32_t lanes, bool moved)
{
    static const char *const used[] = {"#8fd19e", "#a9dcb5"};
    return lanes ? used[__builtin_ctz(lanes) & 1] : moved ? "#ffe08a" : "#f0f2f4";
}

static void byte_row(FILE *out, const picture *p, int64_t line, unsigned y)
{
    uint32_t step = p->access->op->bytes < 4 ? p->access->op->bytes : 4, width = CELL * step / 4, lanes[128];
    bool used[128];
    for (uint32_t b = 0; b < 128; b++) lanes[b] = picture_lanes_at(p->access, line * 128 + b), used[b] = lanes[b] != 0;
    for (uint32_t b = 0; b < 128; b += step) {
        bool moved = false;
        uint32_t from = b / p->granule * p->granule;
        for (uint32_t k = from; k < from + p->granule; k++) moved |= used[k];
        const char *what = lanes[b] ? text_of("lane %s", lane_words(lanes[b]))
                           : moved  ? "moved, not used"
                                    : "not moved";
        box(out, LEFT + b / step * width + b / 32 * GAP, y, width, byte_fill(lanes[b], moved),
            width >= CELL / 2 ? lane_words(lanes[b]) : "", text_of("byte %lld: %s", (long long)line * 128 + b, what));
    }
    label(out, LEFT - 8, y + 14, "end", "#57606a", text_of("%lld", (long long)line * 128));
}

static void bytes_svg(FILE *out, const picture *p)
{
    picture_bytes bytes;
    picture_lines(p->access, &bytes);
    unsigned width = LEFT + 32 * CELL + 3 * GAP + 24, height = TOP + bytes.line_count * (CELL + 4) + 2 * GAP, y = TOP;
    begin(out, p, width, height,
          "bytes against 32-byte sectors (blocks) and 128-byte lines (rows); green: used, with the lane; yellow: moved "
          "only");
    label(out, LEFT - 8, TOP - 6, "end", "#57606a", "byte");
    for (unsigned b = 0; b < 128; b += 16)
        label(out, LEFT + b / 4 * CELL + b / 32 * GAP, TOP - 6, "start", "#57606a", text_of("+%u", b));
    for (uint32_t i = 0; i < bytes.line_count; i++, y += CELL + 4) byte_row(out, p, bytes.line[i], y);
}

bool picture_svg(const char *file, const picture *p)
{
    FILE *out = strcmp(file, "-") ? fopen(file, "w") : stdout;
    if (!out) return false;
    if (p->banks) banks_svg(out, p);
    else bytes_svg(out, p);
    fputs("</svg>\n", out);
    bool fine = !ferror(out);
    return out == stdout ? !fflush(out) && fine : !fclose(out) && fine;
}
