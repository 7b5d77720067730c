/* race_flags.c: a table by address. */
#include "check/race_flags.h"

#include <stdlib.h>

static size_t slot_of(const race_flags *f, uint64_t key)
{
    size_t k = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (f->capacity - 1);
    while (f->slots[k].key && f->slots[k].key != key) k = (k + 1) & (f->capacity - 1);
    return k;
}

race_flag *race_flag_find(const race_flags *f, uint64_t address)
{
    if (!f->count) return NULL;
    race_flag *found = &f->slots[slot_of(f, address + 1)];
    return found->key ? found : NULL;
}

static void grow(race_flags *f)
{
    race_flags old = *f;
    f->capacity = old.capacity ? old.capacity * 2 : 16;
    f->slots = lw_alloc(f->capacity * sizeof *f->slots);
    for (size_t k = 0; k < old.capacity; k++)
        if (old.slots[k].key) f->slots[slot_of(f, old.slots[k].key)] = old.slots[k];
    free(old.slots);
}

race_flag *race_flag_make(race_flags *f, uint64_t address)
{
    if (f->count * 2 >= f->capacity) grow(f);
    race_flag *flag = &f->slots[slot_of(f, address + 1)];
    if (!flag->key) {
        flag->key = address + 1;
        f->count++;
    }
    return flag;
}

void race_flags_clear(race_flags *f)
{
    for (size_t k = 0; k < f->capacity; k++)
        if (f->slots[k].key) race_flag_empty(&f->slots[k]);
    free(f->slots);
    *f = (race_flags){0};
}
