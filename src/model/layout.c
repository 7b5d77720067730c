/* The layouts' arithmetic, and their names. */
#include "model/layout.h"

enum { BANK_LINE = 128 }; /* bytes of all banks */

/* Rows that share a line of all banks are swizzled alike: they do not meet in a bank. */
static uint32_t rows_of_line(const model_layout *l) { return l->pitch < BANK_LINE ? BANK_LINE / l->pitch : 1; }

/* Pieces that change places among themselves: those of a line of all banks, or of a shorter row. */
static uint32_t pieces(const model_layout *l) { return LW_MIN(l->pitch, (uint32_t)BANK_LINE) / l->unit; }

static uint32_t row_count(const model_layout *l) { return (l->bytes + l->pitch - 1) / l->pitch; }

uint64_t model_layout_at(const model_layout *l, uint64_t address)
{
    uint64_t offset = address - l->begin;
    if (l->kind == MODEL_LAYOUT_SHIFTED) return address + l->pad;
    uint64_t row = offset / l->pitch;
    uint64_t column = offset % l->pitch;
    if (l->kind == MODEL_LAYOUT_PADDED) return address + row * l->pad;
    if (l->kind == MODEL_LAYOUT_TRANSPOSED) {
        uint64_t element = column / l->element;
        return l->begin + (element * row_count(l) + row) * l->element + column % l->element;
    }
    uint64_t turn = row / rows_of_line(l) % pieces(l);
    return l->begin + row * l->pitch + (column ^ turn * l->unit);
}

bool model_layout_keeps(const model_layout *l, uint64_t address, uint32_t bytes)
{
    if (l->kind == MODEL_LAYOUT_SHIFTED) return model_layout_at(l, address) % bytes == 0;
    uint64_t column = (address - l->begin) % l->pitch;
    uint32_t together = l->pitch;
    if (l->kind == MODEL_LAYOUT_SWIZZLED) together = l->unit;
    if (l->kind == MODEL_LAYOUT_TRANSPOSED) together = l->element;
    return column % together + bytes <= together && model_layout_at(l, address) % bytes == 0;
}

uint32_t model_layout_bytes(const model_layout *l)
{
    if (l->kind == MODEL_LAYOUT_SHIFTED) return l->bytes + l->pad;
    return l->kind == MODEL_LAYOUT_PADDED ? l->bytes + row_count(l) * l->pad : l->bytes;
}

void model_layout_now(const model_layout *l, const char *name, lw_text *out)
{
    if (l->kind == MODEL_LAYOUT_SHIFTED) {
        lw_text_add(out, "%s", name);
        return;
    }
    lw_text_add(out, "%s[%u][%u]", name, row_count(l), l->pitch / l->element);
}

void model_layout_then(const model_layout *l, const char *name, lw_text *out)
{
    uint32_t columns = l->pitch / l->element;
    if (l->kind == MODEL_LAYOUT_PADDED)
        lw_text_add(out, "%s[%u][%u]", name, row_count(l), columns + l->pad / l->element);
    if (l->kind == MODEL_LAYOUT_SHIFTED) lw_text_add(out, "%s, begun %u B later", name, l->pad);
    if (l->kind == MODEL_LAYOUT_TRANSPOSED)
        lw_text_add(out, "%s[%u][%u], indices swapped", name, columns, row_count(l));
    if (l->kind != MODEL_LAYOUT_SWIZZLED) return;
    uint32_t together = l->unit / l->element;
    lw_text_add(out, "%s[r][c ^ ", name);
    if (rows_of_line(l) > 1) lw_text_add(out, "r / %u %% %u", rows_of_line(l), pieces(l));
    else lw_text_add(out, "r %% %u", pieces(l));
    if (together > 1) lw_text_add(out, " * %u", together);
    lw_text_add(out, "]");
}

void model_layout_index(const model_layout *l, lw_text *out)
{
    uint32_t columns = l->pitch / l->element;
    uint32_t pad = l->pad / l->element;
    if (l->kind == MODEL_LAYOUT_SHIFTED) lw_text_add(out, "i + %u", pad);
    else if (l->kind == MODEL_LAYOUT_PADDED && pad == 1) lw_text_add(out, "i + i / %u", columns);
    else if (l->kind == MODEL_LAYOUT_PADDED) lw_text_add(out, "i + i / %u * %u", columns, pad);
    else if (l->kind == MODEL_LAYOUT_TRANSPOSED)
        lw_text_add(out, "i %% %u * %u + i / %u", columns, row_count(l), columns);
    else {
        uint32_t apart = columns * rows_of_line(l);
        lw_text_add(out, "i ^ i / %u %% %u", apart, pieces(l));
        if (l->unit > l->element) lw_text_add(out, " * %u", l->unit / l->element);
    }
}
