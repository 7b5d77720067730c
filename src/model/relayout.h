/* relayout: which other layouts of an array in global memory are worth counting, and how many sectors its accesses touch with them.
 * The array is an allocation; offsets in model_layout count from its begin. */
#ifndef LW_MODEL_RELAYOUT_H
#define LW_MODEL_RELAYOUT_H

#include "device/profile.h"
#include "model/layout.h"
#include "model/trace.h"

/* All accesses of a launch: the traces of its host threads. */
typedef struct model_traces {
    model_trace *const *items;
    size_t count;
} model_traces;

typedef struct model_block {
    uint64_t begin, bytes;
    /* By instruction: bytes of a lane as PTX has them. An access of more is one that the assembler made of several. */
    const uint8_t *parts;
    uint32_t narrow, wide; /* bytes: the least and the most of its accesses, as PTX has them */
    bool fixed;            /* only its begin may move: where it ends, or what rows it has, is not proven */
} model_block;

typedef LW_VEC(model_layout) model_relayouts;

/* Layouts by the distances between lanes, and between warps one behind the other, of accesses that touch more sectors than they must. */
void model_relayouts_of(const model_traces *traces, const model_block *block, const device_profile *device,
                        model_relayouts *out);
/* Sectors of the array's accesses, added up by instruction (insns of them). layout NULL: as it is. false: an access is not
 * aligned with the layout; *insn says which. */
bool model_relayout_count(const model_traces *traces, const model_block *block, const model_layout *layout,
                          const device_profile *device, uint32_t insns, uint64_t *by_insn, uint32_t *insn);

#endif
