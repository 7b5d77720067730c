#include "time/turns.h"

static void note_wait(cache_turns *t, cache_turn *turn, const cache_entry *e, uint32_t block, uint64_t now)
{
    bool same = !e->first && t->last_now == now && t->last_insn == e->insn && t->last_block == block;
    turn->pending--;
    turn->waited++;
    t->most = LW_MAX(t->most, turn->waited);
    t->lines++;
    t->loads += !same;
    t->last_now = now;
    t->last_insn = e->insn;
    t->last_block = block;
}

void cache_turns_note(cache_turns *t, size_t place, const cache_entry *e, uint32_t block, uint64_t now)
{
    cache_turn *turn = &t->places[place];
    if (turn->line != cache_line_of(e)) *turn = (cache_turn){.line = cache_line_of(e)};
    if (now - turn->stored_at > CACHE_TURN) turn->pending = 0;
    if (e->kind == CACHE_LOAD && turn->pending && turn->storer != block + 1) note_wait(t, turn, e, block, now);
    if (e->kind != CACHE_STORE) return;
    turn->pending++;
    turn->storer = block + 1;
    turn->stored_at = now;
}
