/* picture: an access drawn with letters. Banks: one row a lane, one column a bank; a cell holds the pass in which the
 * lane is served there (1-9, a-w), so that different numbers in one column are a conflict and equal ones a broadcast.
 * Bytes: one row a 128-byte line, two bytes a letter, sectors between bars. Fits 80 columns. */
#include "cli.h"
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_LEAST 40
#define WIDTH_UNKNOWN 80
#define RESET "\033[0m"
#define DIM "\033[2m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define RED "\033[1;31m"

picture_look picture_look_of(FILE *file)
{
    terminal t = terminal_of(file);
    return (picture_look){t.colour, t.unicode, t.width < WIDTH_LEAST ? WIDTH_UNKNOWN : t.width};
}

static void paint(FILE *out, const picture_look *look, const char *colour, const char *text)
{
    if (look->colour && colour) fprintf(out, "%s%s" RESET, colour, text);
    else fputs(text, out);
}

/* ---- banks ---- */

static const char *pass_colour(unsigned pass) { return pass == 0 ? DIM : pass == 1 ? GREEN : pass == 2 ? YELLOW : RED; }

static const char *pass_text(unsigned pass, const picture_look *look)
{
    static const char digits[] =
        "0\0001\0002\0003\0004\0005\0006\0007\0008\0009\0a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0"
        "o\0p\0q\0r\0s\0t\0u\0v\0w";
    if (pass) return digits + 2 * (pass < 33 ? pass : 32);
    return look->unicode ? "·" : ".";
}

static void bank_row(FILE *out, const lw_bank_map *map, const uint8_t pass[32], const picture_look *look)
{
    for (uint32_t b = 0; b < map->banks; b++) {
        fputc(' ', out);
        paint(out, look, pass_colour(pass[b]), pass_text(pass[b], look));
    }
}

static void bank_heading(FILE *out, const lw_bank_map *map)
{
    fprintf(out, "%-9s", "bank");
    for (uint32_t b = 0; b < map->banks; b += 4) fprintf(out, b + 4 < map->banks ? " %-7u" : " %u\n", b);
}

static const char *group_name(const picture *p, uint32_t group)
{
    uint32_t groups = p->banks->groups;
    static const char *const names[] = {"first", "second", "third", "fourth"};
    if (p->access->op->matrices) return text_of("matrix %u", group);
    if (groups == 2) return text_of("%s half-warp", names[group]);
    if (groups == 4 && p->banks->banks == 32) return text_of("%s quarter", names[group]);
    return text_of("request %u", group);
}

/* One group of lanes and its sum. */
static void bank_group(FILE *out, const picture *p, uint32_t group, const picture_look *look)
{
    const lw_bank_map *map = p->banks;
    uint8_t sum[32] = {0};
    unsigned most = 0;
    for (size_t i = 0; i < map->mark_count; i++) {
        const lw_bank_mark *m = &map->marks[i];
        uint8_t row[32] = {0};
        if (m->group != group) continue;
        for (uint32_t b = m->bank; b < m->bank + (uint32_t)m->banks && b < 32; b++) {
            row[b] = m->pass;
            if (m->pass > sum[b]) sum[b] = m->pass;
        }
        if (m->pass > most) most = m->pass;
        fprintf(out, "lane %-4u", m->lane);
        bank_row(out, map, row, look);
        fputc('\n', out);
    }
    if (!most) return;
    fprintf(out, "%-9s", "passes");
    bank_row(out, map, sum, look);
    fprintf(out, "\n%-9s %s%u pass%s\n", "", map->groups > 1 ? text_of("%s: ", group_name(p, group)) : "", most,
            most == 1 ? "" : "es");
}

static void banks_text(FILE *out, const picture *p, const picture_look *look)
{
    fprintf(out, "lanes against banks of %u bytes (a number: the pass in which the bank serves the lane)\n",
            p->banks->bank_bytes);
    bank_heading(out, p->banks);
    for (uint32_t g = 0; g < p->banks->groups; g++) bank_group(out, p, g, look);
}

/* ---- bytes ---- */

/* Local memory interleaves the words of the lanes: word w of lane i lies at (w * 32 + i) * 4. */
static int64_t byte_at(const lw_access *a, uint32_t lane, uint32_t k)
{
    int64_t at = a->offset[lane] + k;
    return strcmp(a->op->space, "local") ? at : (at / 4 * 32 + lane) * 4 + at % 4;
}

uint32_t picture_lanes_at(const lw_access *a, int64_t byte)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < LW_LANES; i++)
        for (uint32_t k = 0; a->offset[i] >= 0 && k < a->op->bytes; k++)
            if (byte_at(a, i, k) == byte) lanes |= 1u << i;
    return lanes;
}

void picture_lines(const lw_access *a, picture_bytes *out)
{
    out->line_count = 0;
    for (uint32_t i = 0; i < LW_LANES; i++)
        for (uint32_t k = 0; a->offset[i] >= 0 && k < a->op->bytes; k++) {
            int64_t line = byte_at(a, i, k) / 128;
            uint32_t at = 0;
            while (at < out->line_count && out->line[at] < line) at++;
            if (at < out->line_count && out->line[at] == line) continue;
            memmove(&out->line[at + 1], &out->line[at], (out->line_count - at) * sizeof *out->line);
            out->line[at] = line;
            out->line_count++;
        }
}

/* "0-15 31" */
static char *lane_list(uint32_t lanes)
{
    char *text = text_of("%s", "");
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t first = i;
        if (!(lanes >> i & 1)) continue;
        while (i < 31 && lanes >> (i + 1) & 1) i++;
        text = first == i ? text_of("%s%s%u", text, *text ? " " : "", i)
                          : text_of("%s%s%u-%u", text, *text ? " " : "", first, i);
    }
    return text;
}

/* Used bytes of one line, one bit each. */
static uint32_t used_bytes(const lw_access *a, int64_t line, bool used[128])
{
    uint32_t lanes = 0;
    for (int b = 0; b < 128; b++) {
        uint32_t here = picture_lanes_at(a, line * 128 + b);
        used[b] = here != 0;
        lanes |= here;
    }
    return lanes;
}

static void byte_cell(FILE *out, const bool *used, bool moved, const picture_look *look)
{
    static const char *const ascii[] = {"+", "+", "#"}, *const blocks[] = {"▌", "▐", "█"};
    const char *const *mark = look->unicode ? blocks : ascii;
    if (used[0] || used[1]) paint(out, look, GREEN, mark[used[0] && used[1] ? 2 : used[0] ? 0 : 1]);
    else paint(out, look, moved ? YELLOW : NULL, !moved ? " " : look->unicode ? "░" : ".");
}

static void byte_line(FILE *out, const picture *p, int64_t line, const picture_look *look)
{
    bool used[128];
    uint32_t lanes = used_bytes(p->access, line, used);
    fprintf(out, "%10lld ", (long long)line * 128);
    for (uint32_t b = 0; b < 128; b += 2) {
        bool moved = false;
        uint32_t granule = b / p->granule * p->granule;
        for (uint32_t k = granule; k < granule + p->granule; k++) moved |= used[k];
        if (b % 32 == 0) fputs(look->unicode ? "│" : "|", out);
        byte_cell(out, used + b, moved, look);
    }
    fputs(look->unicode ? "│" : "|", out);
    if (look->width >= 100) fprintf(out, " lanes %s", lane_list(lanes));
    fputc('\n', out);
}

static void bytes_text(FILE *out, const picture *p, const picture_look *look)
{
    picture_bytes bytes;
    const char *used = look->unicode ? "█" : "#", *waste = look->unicode ? "░" : ".";
    bool constant = !strcmp(p->access->op->space, "constant");
    fprintf(out, "bytes against 32-byte sectors, one 128-byte line a row (%s used%s)\n", used,
            constant ? ""
                     : text_of(", %s %s but not used", waste,
                               strcmp(p->access->op->op, "store") ? "fetched" : "in a sector touched"));
    picture_lines(p->access, &bytes);
    for (uint32_t i = 0; i < bytes.line_count; i++) byte_line(out, p, bytes.line[i], look);
}

void picture_text(FILE *out, const picture *p, const picture_look *look)
{
    if (p->banks) banks_text(out, p, look);
    else bytes_text(out, p, look);
}
