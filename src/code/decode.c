/* decode.c: one function of a kernel: PTX instructions -> micro-operations over virtual registers. Regular instructions
 * are decoded here straight from their row; irregular ones by decode_<id>() in decode_mem.c, decode_ctrl.c,
 * decode_async.c and decode_misc.c. */
#include "code/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- regular rows */
/* A regular row has a result and as many sources as its columns say, and an immediate at the end if it allows one. */
static void decode_alu(decoder *d, const code_row *r, uint32_t mods)
{
    uint32_t want = 1u + r->sources + (r->mods & M_IMM ? 1 : 0);
    if (d->in->operand_count != want) {
        bool extremum = !strncmp(r->key, "min.", 4) || !strncmp(r->key, "max.", 4);
        if (extremum && d->in->operand_count == want + 1) decode_refuse(d, REFUSED_THREE_SOURCES);
        else decode_problem(d, "'%s' takes %u operands, %u given", d->in->mnemonic, want, d->in->operand_count);
        return;
    }
    code_ref s[3] = {CODE_NO_REF, CODE_NO_REF, CODE_NO_REF};
    for (uint32_t k = 0; k < r->sources; k++)
        s[k] = r->form == ROW_PRED ? decode_source_pred(d, &d->ops[k + 1])
                                   : decode_source(d, &d->ops[k + 1], (lane_type)r->lane[k + 1]);
    int64_t imm = 0;
    if ((r->mods & M_IMM) && !decode_is_int(&d->ops[want - 1], &imm))
        decode_problem(d, "the last operand of '%s' must be an integer constant", d->in->mnemonic);
    code_ref to = decode_result(d, &d->ops[0], (lane_type)r->lane[0]);
    code_insn *i = decode_emit(d, (code_op)r->op);
    i->d = to;
    i->a = s[0];
    i->b = s[1];
    i->c = s[2];
    i->alu.imm = imm;
    i->alu.mods = (uint16_t)mods;
    decode_flush(d);
}

/* ---------------------------------------------------------------- one instruction, one function */
/* Are all modifiers those of the irregular row? Names the first that is not. */
static bool words_known(decoder *d, const code_row *r, const decode_parts *p)
{
    for (uint32_t k = 1; k < p->count && r->how != OWN_WORDS; k++) {
        if (r->how == TYPES_AND && decode_part_type(p, k) != PTX_NO_TYPE) continue;
        if (!decode_known_part(d, p, k, r->words)) return false;
    }
    return true;
}

/* Irregular rows and opcodes with a decoder of their own (mov, setp, testp) go there; the rest is done from the row
 * alone. */
static void decode_one(decoder *d, uint32_t k)
{
    decode_parts p = decode_split(d->in->mnemonic);
    decode_found found = decode_find_row(&d->image->rows, &p);
    const code_row *r = found.row;
    const code_row *opcode = decode_row_of_opcode(&d->image->rows, &p);
    d->row = r;
    d->mods = found.mods;
    if (!r) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
    } else if (found.bad) {
        decode_problem(d, "'.%s' is not allowed on '%s'", found.bad, d->in->mnemonic);
    } else if (r->form == ROW_REFUSED) {
        decode_problem(d, "'%s': %s", d->in->mnemonic, r->why);
    } else if (decode_contracted(d, k)) {
        return;
    } else if (r->form == ROW_IRREGULAR) {
        if (words_known(d, r, &p)) r->decode(d);
    } else if (opcode) {
        opcode->decode(d);
    } else {
        decode_alu(d, r, d->mods);
    }
}

/* Instructions that end a basic block. */
static bool ends_block(const ptx_insn *in)
{
    static const char *const names[] = {"bra", "brx", "ret", "exit", "trap", "call"};
    decode_parts p = decode_split(in->mnemonic);
    for (size_t k = 0; k < LW_COUNT(names); k++)
        if (decode_part_is(&p, 0, names[k])) return true;
    return false;
}

static void find_leaders(decoder *d)
{
    const ptx_function *f = d->f;
    d->leader = lw_alloc(f->insn_count + 1);
    d->leader[0] = 1;
    for (size_t k = 0; k < f->label_count; k++) d->leader[f->labels[k].insn] = 1;
    for (size_t k = 0; k < f->insn_count; k++)
        if (ends_block(&f->insns[k])) d->leader[k + 1] = 1;
}

/* Formals, returns and locals of a function in each thread's local memory; shared locals are placed per kernel. */
static void lay_out_frame(decoder *d)
{
    const ptx_function *f = d->f;
    uint64_t at = 0, arrays = 0;
    d->local_alignment = 16;
    d->param_offset = LW_NEW_ARRAY(d->arena, uint32_t, f->param_count + 1);
    d->return_offset = LW_NEW_ARRAY(d->arena, uint32_t, f->return_count + 1);
    d->local_offset = LW_NEW_ARRAY(d->arena, uint64_t, f->local_count + 1);
    for (size_t k = 0; !f->is_entry && k < f->param_count + f->return_count; k++) {
        bool is_param = k < f->param_count;
        const ptx_variable *v = is_param ? f->params[k] : f->returns[k - f->param_count];
        at = lw_round_up(at, LW_MAX(v->alignment, 8u));
        *(is_param ? &d->param_offset[k] : &d->return_offset[k - f->param_count]) = (uint32_t)at;
        at += v->bytes ? v->bytes : ptx_type_bytes(v->type) * v->vector;
    }
    for (size_t k = 0; k < f->local_count; k++) {
        const ptx_variable *v = f->locals[k];
        if (v->space != PTX_LOCAL && v->space != PTX_PARAM) continue;
        at = lw_round_up(at, LW_MAX(v->alignment, 1u));
        d->local_alignment = LW_MAX(d->local_alignment, v->alignment);
        d->local_offset[k] = at;
        at += v->bytes;
        if (v->space != PTX_LOCAL) continue;
        d->body->uses_local = true;
        arrays = lw_round_up(arrays, LW_MAX(v->alignment, 1u)) + v->bytes;
    }
    d->local_used = (uint32_t)at;
    d->local_arrays = (uint32_t)arrays;
    d->local_bytes = (uint32_t)lw_round_up(at, 16);
}

static void take_operands(decoder *d)
{
    static const ptx_operand none = {.kind = PTX_OP_NONE, .reg = -1, .component = -1};
    uint32_t n = LW_MIN((uint32_t)d->in->operand_count, (uint32_t)PTX_MAX_OPERANDS);
    for (uint32_t k = 0; k < PTX_MAX_OPERANDS; k++) d->ops[k] = k < n ? d->in->operands[k] : none;
}

/* Every basic block begins with a block micro-operation, also the empty one at the end: labels and joins need a place
 * to point to. A site is made for each PTX instruction, whether it gives micro-operations or none. */
static void decode_insns(decoder *d)
{
    const ptx_function *f = d->f;
    kernel_builder *b = d->builder;
    d->uop_of_insn = lw_alloc((f->insn_count + 1) * sizeof *d->uop_of_insn);
    d->block_of_insn = lw_alloc((f->insn_count + 1) * sizeof *d->block_of_insn);
    uint32_t block = 0;
    for (size_t k = 0; k <= f->insn_count; k++) {
        /* the end has no site of its own */
        d->site = (uint32_t)b->sites.count - (k == f->insn_count && b->sites.count);
        d->uop_of_insn[k] = (uint32_t)d->insns.count;
        if (d->leader[k] || k == f->insn_count) {
            block = d->kernel->block_count++;
            d->in = NULL;
            code_insn *i = decode_emit_unguarded(d, OP_block);
            i->block.index = block;
            i->block.cycles = CODE_CLOCK_BLOCK;
            decode_last_info(d)->ptx_insn = (uint32_t)k;
        }
        d->block_of_insn[k] = block;
        if (k == f->insn_count) break;
        d->in = &f->insns[k];
        take_operands(d);
        lw_vec_push(&b->sites,
                    ((code_site){.module = d->module, .function = f, .insn = d->in, .block = block, .exact = true}));
        size_t first = d->insns.count;
        decode_one(d, (uint32_t)k);
        decode_flush(d);
        for (size_t u = first; u < d->infos.count; u++) d->infos.items[u].ptx_insn = (uint32_t)k;
    }
    /* falling off the end returns */
    d->in = NULL;
    d->site = b->sites.count ? (uint32_t)b->sites.count - 1 : 0;
    decode_emit_unguarded(d, f->is_entry ? OP_exit : OP_ret);
    decode_last_info(d)->ptx_insn = (uint32_t)f->insn_count;
}

/* Control flow goes first: the plan needs targets and spin loops, liveness needs the edges. The plan goes before the
 * slots, as it follows values by their virtual registers. */
lw_status decode_function(kernel_builder *b, code_function *out, const image_function *from, lw_error *error)
{
    decoder d = {.kernel = b->kernel,
                 .body = (struct code_body *)b->kernel->body,
                 .arena = &b->kernel->arena,
                 .image = b->image,
                 .module = from->module,
                 .f = from->function,
                 .out = out,
                 .carry = -1,
                 .builder = b};
    for (size_t k = 0; k < d.f->register_count; k++)
        lw_vec_push(&d.vregs, ((vreg){(uint8_t)ptx_type_bytes(d.f->registers[k].type)}));
    find_leaders(&d);
    d.contract = code_contract(d.module, d.f);
    if (d.contract) d.factors = lw_alloc(d.f->insn_count * sizeof *d.factors);
    lay_out_frame(&d);
    decode_insns(&d);
    lw_status status = LW_OK;
    if (!b->problems.count) {
        plan_sink(&d);
        out->insn_count = (uint32_t)d.insns.count;
        out->insns = lw_arena_alloc_aligned(d.arena, d.insns.count * sizeof(code_insn), 64);
        out->local_used = d.local_used;
        out->local_arrays = d.local_arrays;
        out->local_bytes = d.local_bytes;
        out->local_alignment = d.local_alignment;
        status = code_control_flow(&d, error);
        if (status == LW_OK) {
            plan_apply(&d);
            code_assign_slots(&d);
        }
        memcpy(out->insns, d.insns.items, d.insns.count * sizeof(code_insn));
    }
    free(d.uop_of_insn);
    free(d.block_of_insn);
    free(d.leader);
    free(d.contract);
    free(d.factors);
    lw_vec_free(&d.insns);
    lw_vec_free(&d.infos);
    lw_vec_free(&d.vregs);
    return status;
}
