/* kernel.c: one entry function and everything it can reach -> code_kernel. First a scan over the call graph places the
 * shared variables and queues the functions, then each is decoded; problems of all of them are reported together. */
#include "code/invariants.h"
#include "code/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No device has more: a slot of the shared window; a thread's local memory; a kernel's parameters. */
enum { SHARED_LIMIT = 16 << 20, LOCAL_LIMIT = 512 << 10, PARAM_LIMIT = 32764 };

static void add_problem(kernel_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_problem(kernel_builder *b, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    code_add_problem(b, "", text);
}

/* ---------------------------------------------------------------- the scan */
static void put_shared(kernel_builder *b, const ptx_variable *v, uint32_t offset)
{
    lw_arena *arena = &b->kernel->arena;
    const ptx_variable **key = lw_arena_alloc(arena, sizeof *key);
    *key = v;
    lw_map_put(&b->shared_offset, (const char *)key, sizeof *key, (void *)(uintptr_t)(offset + 1));
    event_variable variable = {lw_arena_strdup(arena, v->name), offset, (uint32_t)v->bytes};
    lw_vec_push(&b->shared_variables, variable);
    lw_vec_push(&b->shared_alignments, LW_MAX(v->alignment, 1u));
}

/* Static variables get their offset when they are first met; dynamic ones are kept until all static ones have theirs.
 * */
static void place_shared(kernel_builder *b, const ptx_variable *v)
{
    const image_variable *r = !v->scope ? code_resolve_variable(b->image, v) : NULL;
    if (r) v = r->variable;
    if (lw_map_get(&b->shared_offset, (const char *)&v, sizeof v)) return;
    for (size_t k = 0; k < b->dynamic_shared.count; k++)
        if (b->dynamic_shared.items[k] == v) return;
    if (v->unsized || (v->linkage == PTX_EXTERN && !v->bytes)) {
        lw_vec_push(&b->dynamic_shared, v);
        b->dynamic_alignment = LW_MAX(b->dynamic_alignment, v->alignment);
        b->kernel->uses_dynamic_shared = true;
        return;
    }
    b->shared_bytes = (uint32_t)lw_round_up(b->shared_bytes, LW_MAX(v->alignment, 1u));
    if (b->shared_bytes + v->bytes > SHARED_LIMIT) {
        add_problem(b, "shared variable '%s' of %llu bytes is too large", v->name, (unsigned long long)v->bytes);
        return;
    }
    put_shared(b, v, b->shared_bytes);
    b->shared_bytes += (uint32_t)v->bytes;
}

static void scan_operand(kernel_builder *b, const ptx_operand *o)
{
    if (o->variable && o->variable->space == PTX_SHARED) place_shared(b, o->variable);
    if (o->kind == PTX_OP_FUNCTION) {
        const image_function *f = code_resolve_function(b->image, o->function);
        if (f && !f->function->is_declaration && !f->function->is_entry) code_queue_function(b, f);
    }
    for (uint32_t k = 0; k < o->item_count; k++) scan_operand(b, &o->items[k]);
}

bool code_is_fence(const char *mnemonic)
{
    if (!strncmp(mnemonic, "membar.proxy", 12)) return false;
    return !strncmp(mnemonic, "membar.", 7) || !strncmp(mnemonic, "fence.sc", 8) ||
           !strncmp(mnemonic, "fence.acq_rel", 13);
}

/* What is needed before anything is decoded: the shared variables, and the functions that may be called. */
static void scan_function(kernel_builder *b, const ptx_function *f)
{
    uint64_t local = 0;
    for (size_t k = 0; k < f->local_count; k++)
        if (f->locals[k]->space == PTX_LOCAL || f->locals[k]->space == PTX_PARAM)
            local += f->locals[k]->bytes + f->locals[k]->alignment;
    for (size_t k = 0; !f->is_entry && k < f->param_count; k++) {
        local += f->params[k]->bytes + f->params[k]->alignment;
        if (f->params[k]->space == PTX_REG)
            add_problem(b, "function '%s': parameters in registers are not supported", f->name);
    }
    for (size_t k = 0; k < f->return_count; k++) {
        local += f->returns[k]->bytes + f->returns[k]->alignment;
        if (f->returns[k]->space == PTX_REG)
            add_problem(b, "function '%s': results in registers are not supported", f->name);
    }
    if (local > LOCAL_LIMIT)
        add_problem(b, "the local variables of '%s' take more than %u bytes", f->name, LOCAL_LIMIT);
    for (size_t k = 0; k < f->local_count; k++)
        if (f->locals[k]->space == PTX_SHARED) place_shared(b, f->locals[k]);
    for (size_t n = 0; n < f->insn_count; n++) {
        const ptx_insn *in = &f->insns[n];
        for (uint32_t k = 0; k < in->operand_count; k++) scan_operand(b, &in->operands[k]);
        if (!strncmp(in->mnemonic, "call", 4)) {
            uint32_t at = in->operand_count && in->operands[0].kind == PTX_OP_LIST && in->operand_count > 1 ? 1 : 0;
            if (in->operand_count > at && in->operands[at].kind == PTX_OP_REG) b->uses_indirect = true;
        }
        b->has_fence |= code_is_fence(in->mnemonic);
        if (b->uses_indirect) code_queue_taken(b);
    }
}

/* All extern arrays begin at one place, behind the static variables (CUDA C++ Programming Guide: __shared__). */
static void place_dynamic_shared(kernel_builder *b)
{
    b->kernel->static_shared_bytes = b->shared_bytes;
    b->kernel->dynamic_shared_alignment = LW_MAX(b->dynamic_alignment, 16u);
    uint32_t at = (uint32_t)lw_round_up(b->shared_bytes, b->kernel->dynamic_shared_alignment);
    for (size_t k = 0; k < b->dynamic_shared.count; k++) put_shared(b, b->dynamic_shared.items[k], at);
}

/* ---------------------------------------------------------------- layouts */
static void lay_out_params(kernel_builder *b)
{
    code_kernel *k = b->kernel;
    const ptx_function *f = k->entry;
    code_param *p = LW_NEW_ARRAY(&k->arena, code_param, f->param_count + 1);
    uint64_t at = 0;
    for (size_t n = 0; n < f->param_count; n++) {
        const ptx_variable *v = f->params[n];
        uint32_t align = LW_MAX(v->alignment, 1u);
        at = lw_round_up(at, align);
        p[n] = (code_param){(uint32_t)at, (uint32_t)v->bytes, align};
        at += v->bytes;
    }
    if (at > PARAM_LIMIT)
        add_problem(b, "the parameters have %llu bytes, at most %u are possible", (unsigned long long)at, PARAM_LIMIT);
    k->params = p;
    k->param_count = (uint32_t)f->param_count;
    k->param_bytes = (uint32_t)at;
}

/* Deepest chain of frames below each function; functions on a cycle are recursive. */
static uint32_t stack_depth(kernel_builder *b, code_function *f, uint8_t *state)
{
    if (state[f->index] == 2) return f->stack_bytes;
    if (state[f->index] == 1) {
        f->recursive = true;
        return 0;
    }
    state[f->index] = 1;
    uint32_t deepest = 0;
    for (uint32_t u = 0; u < f->insn_count; u++) {
        if (f->insns[u].op != OP_call) continue;
        const code_call *c = f->insns[u].call;
        if (!c->callee) {
            f->recursive = true;
            continue;
        }
        uint32_t below = stack_depth(b, b->functions.items[c->callee->index], state);
        if (c->callee->recursive) f->recursive = true;
        deepest = LW_MAX(deepest, below);
    }
    f->stack_bytes = LW_MIN(f->local_bytes + deepest, UINT32_C(1) << 30);
    state[f->index] = 2;
    return f->stack_bytes;
}

/* What the launch bounds leave to a thread of 64 Ki registers: the assembler spills to stay below it. */
static uint32_t register_limit(const ptx_function *f)
{
    const uint32_t *t = f->reqntid[0] ? f->reqntid : f->maxntid;
    uint32_t limit = f->maxnreg ? LW_MIN(f->maxnreg, 255u) : 255u;
    uint64_t threads = (uint64_t)LW_MAX(t[0], 1u) * LW_MAX(t[1], 1u) * LW_MAX(t[2], 1u);
    if (!t[0]) return limit;
    uint64_t each = 65536 / (lw_round_up(threads, 32) * LW_MAX(f->minnctapersm, 1u)) / 8 * 8; /* allocated by eights */
    return (uint32_t)LW_MAX(LW_MIN(each, limit), 16u);
}

/* Does the assembler spill? The machine code says so, if there is some: its stack is deeper than the arrays of PTX. */
static bool may_spill(const kernel_builder *b)
{
    if (b->frames) return plan_frames_spill(b);
    if (b->options.stack_known) return b->options.stack_bytes > b->functions.items[0]->stack_bytes;
    return b->kernel->registers + 6 > register_limit(b->kernel->entry);
}

/* What is known once all functions are decoded: stack depth, registers, rules of the plan for the whole kernel,
 * layouts. */
static void finish_kernel(kernel_builder *b)
{
    code_kernel *k = b->kernel;
    struct code_body *body = (struct code_body *)k->body;
    code_function **list = LW_NEW_ARRAY(&k->arena, code_function *, b->functions.count);
    memcpy(list, b->functions.items, b->functions.count * sizeof *list);
    body->functions = list;
    body->function_count = (uint32_t)b->functions.count;
    body->uses_indirect = b->uses_indirect;
    code_file *files[4] = {NULL, &body->launch, &body->block, &body->warp};
    for (uint32_t f = 1; f < 4; f++) {
        code_fill *fills = LW_NEW_ARRAY(&k->arena, code_fill, b->fills[f].count + 1);
        if (b->fills[f].count) memcpy(fills, b->fills[f].items, b->fills[f].count * sizeof *fills);
        *files[f] = (code_file){LW_MAX(b->file_bytes[f], 64u), (uint32_t)b->fills[f].count, fills};
    }
    for (uint32_t f = 0; f < body->function_count; f++) k->registers = LW_MAX(k->registers, list[f]->live_registers);
    uint8_t *state = lw_alloc(body->function_count);
    stack_depth(b, list[0], state);
    free(state);
    if (!k->no_count_plan) {
        if (b->uses_runtime) plan_mark_kernel(b, PLAN_DEVICE_RUNTIME);
        if (list[0]->recursive && !plan_frames_known(b)) plan_mark_kernel(b, PLAN_CALLS);
        if (may_spill(b)) plan_mark_kernel(b, PLAN_SPILLS);
    }
    code_site *sites = LW_NEW_ARRAY(&k->arena, code_site, b->sites.count + 1);
    if (b->sites.count) memcpy(sites, b->sites.items, b->sites.count * sizeof *sites);
    k->sites = sites;
    k->site_count = (uint32_t)b->sites.count;
    code_parting *partings = LW_NEW_ARRAY(&k->arena, code_parting, b->partings.count + 1);
    if (b->partings.count) memcpy(partings, b->partings.items, b->partings.count * sizeof *partings);
    k->partings = partings;
    k->parting_count = (uint32_t)b->partings.count;
    event_insn *insns = code_event_insns(&k->arena, k->image, sites, k->site_count);
    code_note_variables(b, insns);
    k->event_insns = insns;
    event_variable *variables = LW_NEW_ARRAY(&k->arena, event_variable, b->shared_variables.count + 1);
    if (b->shared_variables.count)
        memcpy(variables, b->shared_variables.items, b->shared_variables.count * sizeof *variables);
    k->shared_variables = variables;
    k->shared_variable_count = (uint32_t)b->shared_variables.count;
    k->local_bytes = list[0]->local_bytes;
    k->registers = LW_MIN(LW_MAX(k->registers + 6, 16u), register_limit(k->entry));
}

static void free_builder(kernel_builder *b)
{
    lw_vec_free(&b->functions);
    lw_vec_free(&b->queue);
    lw_vec_free(&b->sites);
    lw_vec_free(&b->partings);
    lw_vec_free(&b->doubts);
    lw_vec_free(&b->dynamic_shared);
    lw_vec_free(&b->shared_variables);
    lw_vec_free(&b->shared_alignments);
    for (uint32_t f = 0; f < 4; f++) lw_vec_free(&b->fills[f]);
    lw_map_free(&b->fill_index);
    lw_map_free(&b->shared_offset);
    lw_vec_free(&b->problems);
}

static lw_status build(kernel_builder *b, lw_error *error)
{
    const image_function *entry = code_resolve_function(b->image, b->kernel->entry);
    if (!entry) return lw_fail(error, LW_NOT_FOUND, "kernel '%s' is not in the image", b->kernel->entry->name);
    code_queue_function(b, entry);
    for (size_t k = 0; k < b->queue.count; k++) scan_function(b, b->queue.items[k]->function);
    place_dynamic_shared(b);
    plan_frames(b);
    for (size_t k = 0; k < b->queue.count; k++)
        LW_TRY(decode_function(b, b->functions.items[k], b->queue.items[k], error));
    if (b->problems.count) return code_problems_fail(b, error);
    finish_kernel(b);
    code_check_kernel(b->kernel);
    return LW_OK;
}

lw_status code_kernel_build(code_kernel **out, const code_image *image, const ptx_function *entry,
                            const code_options *options, lw_error *error)
{
    *out = NULL;
    code_kernel *k = lw_alloc(sizeof *k);
    k->name = lw_arena_strdup(&k->arena, entry->name);
    k->entry = entry;
    k->image = image;
    k->no_count_plan = options && options->count_ptx;
    k->body = LW_NEW(&k->arena, struct code_body);
    kernel_builder b = {.kernel = k, .image = image};
    if (options) b.options = *options;
    lay_out_params(&b);
    lw_status status = build(&b, error);
    free_builder(&b);
    if (status == LW_OK) *out = k;
    else code_kernel_free(k);
    return status;
}

void code_kernel_free(code_kernel *kernel)
{
    if (!kernel) return;
    lw_arena arena = kernel->arena;
    free(kernel);
    lw_arena_free(&arena);
}

const code_function *code_function_at(const code_kernel *kernel, uint64_t address)
{
    const struct code_body *b = kernel->body;
    for (uint32_t k = 0; k < b->function_count; k++)
        if (b->functions[k]->address == address) return b->functions[k];
    return NULL;
}
