#include "time/turns.h"

static void note_wait(cache_turns *t, cache_turn *turn, const cache_entry *e, uint32_t block, uint64_t time)
{
    bool same = !e->first && t->last_time == time && t->last_insn == e->insn && t->last_block == block;
    turn->pending--;
    turn->waited++;
    t->most = LW_MAX(t->most, turn->waited);
    t->lines++;
    t->loads += !same;
    t->last_time = time;
    t->last_insn = e->insn;
    t->last_block = block;
}

/* Whether a store of another block is on its way. */
static bool waits(const cache_turn *turn, uint32_t block, uint64_t time)
{
    uint64_t since = time - turn->stored_at;
    return turn->pending && turn->storer != block + 1 && since - 1 < CACHE_TURN;
}

void cache_turns_note(cache_turns *t, size_t place, const cache_entry *e, uint32_t block, uint64_t time)
{
    cache_turn *turn = &t->places[place];
    if (turn->line != cache_line_of(e)) *turn = (cache_turn){.line = cache_line_of(e)};
    if (e->kind == CACHE_LOAD && waits(turn, block, time)) note_wait(t, turn, e, block, time);
    if (e->kind != CACHE_STORE) return;
    if (time > turn->stored_at + CACHE_TURN) turn->pending = 0;
    turn->pending++;
    turn->storer = block + 1;
    turn->stored_at = time;
}
