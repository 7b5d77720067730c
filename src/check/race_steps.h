/* race_steps: where the two threads of a race synchronised since they last did so together, for drawing it (race_steps.c). */
#ifndef LW_CHECK_RACE_STEPS_H
#define LW_CHECK_RACE_STEPS_H

#include "check/race_worker.h"

/* A warp goes through a synchronisation: before race_block.h hears of it. */
void race_steps_pass(race_block *b, const event_sync *e);
/* The steps of both sides of a conflict of one block: prior is the slot of the earlier one, mine of the other. */
void race_steps_note(race_conflict *c, const race_block *b, race_slot prior, race_slot mine);
const char *race_step_name(const race_step *s);

#endif
