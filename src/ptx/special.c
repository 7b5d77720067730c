/* special.c: the rows of special.def, and which of them a name means. */
#include "ptx/ptx_priv.h"

#include <string.h>

#define SHAPE_SCALAR .components = 0
#define SHAPE_VECTOR .components = 4
#define SHAPE_NUMBERED(n) .numbers = (n)

const ptx_special_row ptx_specials[PTX_SPECIAL_COUNT] = {
#define PTX_SPECIAL(id, text, of_type, shape, how_often, of_kernel, value)                                             \
    [PTX_SPECIAL_##id] = {.name = text,                                                                                \
                          .type = PTX_##of_type,                                                                       \
                          .changes = PTX_PER_##how_often,                                                              \
                          .makes = PTX_MAKES_##of_kernel,                                                              \
                          SHAPE_##shape},
#include "ptx/special.def"
#undef PTX_SPECIAL
};

/* The number of these digits, as registers are numbered: below `limit`, without leading zeros. */
static bool read_number(const char *digits, size_t size, uint32_t limit, int64_t *out)
{
    uint32_t value = 0;
    if (!size || size > 2 || (digits[0] == '0' && size > 1)) return false;
    for (size_t k = 0; k < size; k++) {
        if (digits[k] < '0' || digits[k] > '9') return false;
        value = value * 10 + (uint32_t)(digits[k] - '0');
    }
    *out = value;
    return value < limit;
}

/* Is `name` one of the registers of this row? */
static bool is_named(const ptx_special_row *row, const char *name, size_t size, int64_t *number)
{
    if (row->name[1] != name[1]) return false; /* most names are registers, whose first letter tells */
    if (!row->numbers) return !strncmp(row->name, name, size) && !row->name[size];
    size_t head = strcspn(row->name, "#");
    const char *tail = row->name + head + 1;
    size_t tail_size = strlen(tail);
    if (size <= head + tail_size || memcmp(name, row->name, head)) return false;
    if (memcmp(name + size - tail_size, tail, tail_size)) return false;
    return read_number(name + head, size - head - tail_size, row->numbers, number);
}

int ptx_special_find(const char *name, size_t size, int64_t *number)
{
    *number = 0;
    if (size < 2) return 0;
    for (int k = 0; k < PTX_SPECIAL_COUNT; k++)
        if (is_named(&ptx_specials[k], name, size, number)) return k + 1;
    *number = 0;
    return 0;
}
