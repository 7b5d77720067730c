/* candidates: which other layouts of an array are worth counting, and what the kept accesses cost with them. */
#ifndef LW_MODEL_CANDIDATES_H
#define LW_MODEL_CANDIDATES_H

#include "model/layout.h"
#include "model/recount.h"

typedef struct model_array {
    uint32_t begin, bytes; /* in the block's shared memory */
    uint32_t element;      /* bytes */
    /* By instruction: bytes of a lane as PTX has them. An access of more is one that the assembler made of several. */
    const uint8_t *parts;
} model_array;

typedef LW_VEC(model_layout) model_layouts;

/* All addresses of the access lie in the array. */
bool model_array_has(const model_array *array, const model_access *access);

/* Layouts by the distances between lanes that meet in a bank, the most costly first: none if nothing costs more than its
 * ideal. */
void model_candidates(const model_accesses *accesses, const model_array *array, model_pricer *pricer,
                      model_layouts *out);

/* With another layout the assembler joins no accesses that are not aligned then; of others it is not known, and they cost what
 * the worse of the two costs. */
/* Wavefronts of the array's accesses, added up by instruction. layout NULL: as it is. false: an access is not aligned with
 * the layout, or is torn apart; *insn says which. */
bool model_recount(const model_accesses *accesses, const model_array *array, const model_layout *layout,
                   model_pricer *pricer, uint64_t *by_insn, uint32_t *insn);

#endif
