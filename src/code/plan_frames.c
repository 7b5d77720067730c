/* The count plan: functions that machine code calls by CUDA's ABI, as they are called by address or call themselves. They
 * store registers of their caller when they begin, and load them back before they return: which, only the machine code
 * beside the PTX says. Execution tells of each such call, with its lanes.
 *
 * Functions that are called in no other way than directly keep out of each other's registers, and save none. */
#include "code/plan.h"

/* Functions that the assembler adds and calls for some operands; they, too, save registers if functions of the kernel do. */
static const struct {
    const char *name;
    code_slow_path path; /* CODE_SLOW_PATHS: it is not known when it is called */
} slow_paths[] = {
    {"__cuda_sm3x_div_rn_noftz_f32_slowpath", CODE_SLOW_DIV},
    {"__cuda_sm3x_div_rn_ftz_f32_slowpath", CODE_SLOW_DIV},
    {"__cuda_sm20_sqrt_rn_f32_slowpath", CODE_SLOW_SQRT},
    {"__cuda_sm20_sqrt_rn_ftz_f32_slowpath", CODE_SLOW_SQRT},
    {"__cuda_sm20_rcp_rn_f32_slowpath", CODE_SLOW_RCP},
    {"__cuda_sm20_rcp_rn_ftz_f32_slowpath", CODE_SLOW_RCP},
    {"__cuda_sm20_div_rn_f64_full", CODE_SLOW_PATHS},
    {"__cuda_sm20_dblrcp_rn_slowpath_v3", CODE_SLOW_PATHS},
    {"__cuda_sm20_dsqrt_rn_f64_mediumpath_v1", CODE_SLOW_PATHS},
    {"__cuda_sm20_div_s64", CODE_SLOW_PATHS},
    {"__cuda_sm20_div_u64", CODE_SLOW_PATHS},
    {"__cuda_sm20_rem_s64", CODE_SLOW_PATHS},
    {"__cuda_sm20_rem_u64", CODE_SLOW_PATHS},
};

enum { GRANULE = 8 }; /* frames begin at its multiples */

static bool saves_registers(const kernel_builder *b, const code_frame *frames)
{
    for (size_t k = 0; k < b->queue.count; k++)
        if (frames[k].found && frames[k].saves) return true;
    return b->uses_indirect && frames[0].found;
}

static void take_slow_paths(kernel_builder *b, const code_frame *frames)
{
    struct code_body *body = (struct code_body *)b->kernel->body;
    for (size_t k = 0; k < LW_COUNT(slow_paths); k++) {
        code_slow_path path = slow_paths[k].path;
        if (!frames[k].saves) continue;
        if (path == CODE_SLOW_PATHS || !frames[k].plain) b->frames_open = true;
        else body->slow[path].saves = frames[k].saves;
    }
}

void plan_frames(kernel_builder *b)
{
    size_t count = b->queue.count, slow = LW_COUNT(slow_paths);
    if (!b->options.frames || count < 2 || b->kernel->no_count_plan) return;
    code_frame *frames = LW_NEW_ARRAY(&b->kernel->arena, code_frame, count + slow);
    for (size_t k = 0; k < count; k++) frames[k].function = b->queue.items[k]->function->name;
    for (size_t k = 0; k < slow; k++) frames[count + k].function = slow_paths[k].name;
    b->options.frames(b->options.user, frames, count + slow);
    if (!saves_registers(b, frames)) return;
    b->frames = frames;
    for (size_t k = 0; k < count; k++) b->functions.items[k]->saves = frames[k].saves;
    take_slow_paths(b, &frames[count]);
}

bool plan_frames_known(const kernel_builder *b)
{
    for (size_t k = 0; b->frames && k < b->queue.count; k++)
        if (!b->frames[k].found || !b->frames[k].plain) return false;
    return b->frames && !b->frames_open;
}

bool plan_frame_keeps_arrays(const decoder *d)
{
    const code_frame *frame = &d->builder->frames[d->out->index];
    bool as_large = frame->arrays >= d->local_arrays && frame->arrays < d->local_arrays + GRANULE;
    return frame->found && frame->plain && as_large;
}

bool plan_frame_has_none(const decoder *d)
{
    const code_frame *frame = &d->builder->frames[d->out->index];
    return frame->found && !frame->arrays;
}

bool plan_frames_spill(const kernel_builder *b)
{
    for (size_t k = 0; k < b->queue.count; k++)
        if (b->frames[k].found && b->frames[k].arrays >= b->functions.items[k]->local_arrays + GRANULE) return true;
    return false;
}
