/* race_flags: what was released at places that threads synchronise by: words, mbarriers. */
#ifndef LW_CHECK_RACE_FLAGS_H
#define LW_CHECK_RACE_FLAGS_H

#include "check/race_know.h"

typedef struct race_flag {
    uint64_t key;         /* address + 1; 0: free */
    race_know *a, *b, *c; /* words: a for all, b for the block that is in `block` */
    uint32_t block;
} race_flag;

typedef struct race_flags {
    race_flag *slots; /* by hash; a power of two, at most half full */
    size_t capacity, count;
} race_flags;

race_flag *race_flag_find(const race_flags *f, uint64_t address); /* NULL: none */
race_flag *race_flag_make(race_flags *f, uint64_t address);
void race_flags_clear(race_flags *f);
static inline void race_flag_empty(race_flag *f)
{
    race_know_drop(f->a);
    race_know_drop(f->b);
    race_know_drop(f->c);
    f->a = f->b = f->c = NULL;
}

#endif
