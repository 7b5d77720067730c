/* calls.h: inside model/: what calls access by themselves, by instruction (calls.c). */
#ifndef LW_MODEL_CALLS_H
#define LW_MODEL_CALLS_H

#include "model/model.h"
#include "model/rules.h"

typedef struct model_calls model_calls; /* of one worker */

/* A HEAP_CALL, SAVE or RESTORE is added to *calls, which is made when the first comes. */
void model_calls_add(model_calls **calls, const event_sync *event);
void model_calls_merge(model_calls **into, const model_calls *from);
/* taken: of the device heap when the launch began, model_options.heap_taken. */
void model_calls_each(model_calls *calls, uint32_t cc, uint64_t taken,
                      void (*visit)(void *user, const model_call_result *call), void *user);
bool model_calls_again(const model_calls *calls); /* see model_call_doubt() */
void model_calls_free(model_calls *calls);

#endif
