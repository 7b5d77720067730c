/* print.h: inside model/: what calls of printf count, by instruction (print.c). */
#ifndef LW_MODEL_PRINT_H
#define LW_MODEL_PRINT_H

#include "model/model.h"

typedef struct model_prints model_prints; /* of one worker */

/* The call's counts, by the device's capability and printf_form, are added to *prints, which is made when the first comes. */
void model_prints_add(model_prints **prints, uint32_t cc, uint32_t form, const event_sync *event);
/* Those of `from` are added to *into. */
void model_prints_merge(model_prints **into, const model_prints *from);
void model_prints_each(model_prints *prints, void (*visit)(void *user, const model_call_result *print), void *user);
void model_prints_free(model_prints *prints);

#endif
