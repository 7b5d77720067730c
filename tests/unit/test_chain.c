/* Blocks that wait for what others hand on. */
#include "time/chain.h"
#include "unit.h"

enum { STORE, POLL };
static const event_insn insns[] = {[STORE] = {.part = 0}, [POLL] = {.polls = true}};
static const event_launch launch = {.insns = insns, .insn_count = 2};

static void note(cache_notes *notes, uint32_t block, uint32_t insn, uint64_t word, uint32_t loads)
{
    uint64_t address[32] = {UINT64_C(0x7f0000000000) + 4 * word};
    event_memory e = {.launch = &launch,
                      .insn = insn,
                      .space = EVENT_GLOBAL,
                      .op = insn == POLL ? EVENT_LOAD : EVENT_STORE,
                      .bytes = 4,
                      .mask = 1,
                      .address = address,
                      .block = block};
    cache_chain_note(notes, &e, loads);
}

static cache_chain chain_of(cache_notes *notes)
{
    cache_chain c = cache_chain_of(notes);
    lw_vec_free(&notes->list);
    return c;
}

/* A sum that goes from block to block, which load a value in between. */
UNIT_CASE(blocks_that_hand_on_wait_one_after_the_other)
{
    cache_notes notes = {0};
    for (uint32_t b = 0; b < 10; b++) {
        if (b) note(&notes, b, POLL, b, 5);
        note(&notes, b, STORE, b + 1, 6);
    }
    cache_chain c = chain_of(&notes);
    CHECK_EQ_INT(c.links, 9);
    CHECK_EQ_INT(c.loads, 8);
}

/* Each first says what it has itself, for those that look back over many. */
UNIT_CASE(blocks_that_look_back_wait_for_none)
{
    cache_notes notes = {0};
    for (uint32_t b = 0; b < 10; b++) {
        note(&notes, b, STORE, b + 1, 0);
        if (b) note(&notes, b, POLL, b, 0);
        note(&notes, b, STORE, b + 1, 0);
    }
    CHECK_EQ_INT(chain_of(&notes).links, 1);
}

UNIT_CASE(a_word_of_all_blocks_is_no_chain)
{
    cache_notes notes = {0};
    for (uint32_t b = 0; b < 10; b++) {
        note(&notes, b, STORE, 0, 0);
        note(&notes, b, POLL, 0, 0);
    }
    CHECK_EQ_INT(chain_of(&notes).links, 0);
}

/* Two that wait for each other: each for what the other has stored before. */
UNIT_CASE(chains_may_go_to_and_fro)
{
    cache_notes notes = {0};
    note(&notes, 1, STORE, 1, 0);
    note(&notes, 1, POLL, 2, 0);
    note(&notes, 1, STORE, 3, 0);
    note(&notes, 0, POLL, 1, 0);
    note(&notes, 0, STORE, 2, 0);
    note(&notes, 0, POLL, 3, 0);
    CHECK_EQ_INT(chain_of(&notes).links, 3);
}

UNIT_CASE(launches_that_poll_may_have_chains)
{
    static const event_launch none = {.insns = insns, .insn_count = 1};
    CHECK(cache_chain_may(&launch));
    CHECK(!cache_chain_may(&none));
    CHECK(!cache_chain_may(NULL));
}

UNIT_MAIN()
