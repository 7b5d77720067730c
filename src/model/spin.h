/* model, internal: atomics of shared memory that are loops of loads and compare-and-swaps. */
#ifndef LW_MODEL_SPIN_H
#define LW_MODEL_SPIN_H

#include "model/rules.h"

/* Is an atomic of shared memory of that kind such a loop? */
bool model_is_loop(const event_memory *event);
/* The same of an access, whose space is looked at, too. */
bool model_spins(const event_memory *event);
/* Counts the swaps in site, and the loads in the site site->loads further on, which counts shared loads. */
void model_spin_count(model_site *site, const event_memory *event);
/* What a worker's loops share; free() it. */
model_spin *model_spin_create(void);

#endif
