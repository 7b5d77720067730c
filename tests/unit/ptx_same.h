/* Is one PTX module tree equal to another? Names and places in the text are not compared: printing changes them. */
#ifndef LW_TESTS_PTX_SAME_H
#define LW_TESTS_PTX_SAME_H

#include "ptx/module.h"

#include <string.h>

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_variable(const ptx_variable *a, const ptx_variable *b)
{
    bool same = a->space == b->space && a->type == b->type && a->vector == b->vector && a->alignment == b->alignment &&
                a->bytes == b->bytes && a->unsized == b->unsized && a->is_pointer == b->is_pointer &&
                a->managed == b->managed && a->linkage == b->linkage && a->index == b->index && !a->init == !b->init &&
                a->address_count == b->address_count && !a->scope == !b->scope;
    if (same && a->init) same = !memcmp(a->init, b->init, a->bytes);
    for (size_t i = 0; same && i < a->address_count; i++) {
        const ptx_init_address *x = &a->addresses[i], *y = &b->addresses[i];
        same = x->offset == y->offset && x->bytes == y->bytes && x->shift == y->shift && x->generic == y->generic &&
               x->addend == y->addend && !x->variable == !y->variable && !x->function == !y->function &&
               (!x->variable || same_text(x->variable->name, y->variable->name)) &&
               (!x->function || same_text(x->function->name, y->function->name));
    }
    return same;
}

static bool same_variables(const ptx_variable *const *a, size_t an, const ptx_variable *const *b, size_t bn)
{
    bool same = an == bn;
    for (size_t i = 0; same && i < an; i++) same = same_variable(a[i], b[i]);
    return same;
}

static bool same_prototype(const ptx_prototype *a, const ptx_prototype *b)
{
    bool same = !a == !b;
    if (!a || !same) return same;
    same = a->param_count == b->param_count && a->return_count == b->return_count;
    for (size_t i = 0; same && i < a->param_count; i++) same = same_variable(&a->params[i], &b->params[i]);
    for (size_t i = 0; same && i < a->return_count; i++) same = same_variable(&a->returns[i], &b->returns[i]);
    return same;
}

static bool same_targets(const ptx_targets *a, const ptx_targets *b)
{
    bool same = !a == !b;
    if (!a || !same) return same;
    same = a->count == b->count && !a->functions == !b->functions;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->functions ? same_text(a->functions[i]->name, b->functions[i]->name) : a->labels[i] == b->labels[i];
    return same;
}

static bool same_operand(const ptx_operand *a, const ptx_operand *b)
{
    bool same = a->kind == b->kind && a->negated == b->negated && a->is_unsigned == b->is_unsigned &&
                a->reg == b->reg && a->component == b->component && a->special == b->special && a->imm == b->imm &&
                a->item_count == b->item_count && !a->variable == !b->variable && !a->function == !b->function &&
                (!a->variable || same_variable(a->variable, b->variable)) &&
                (!a->function || same_text(a->function->name, b->function->name)) &&
                same_prototype(a->prototype, b->prototype) && same_targets(a->targets, b->targets);
    for (uint32_t i = 0; same && i < a->item_count; i++) same = same_operand(&a->items[i], &b->items[i]);
    return same;
}

static bool same_line(const ptx_line *a, const ptx_line *b)
{
    for (; a && b; a = a->inlined_at, b = b->inlined_at)
        if (!same_text(a->file, b->file) || a->line != b->line || a->column != b->column ||
            !same_text(a->function, b->function))
            return false;
    return !a && !b;
}

static bool same_insn(const ptx_insn *a, const ptx_insn *b)
{
    bool same = same_text(a->mnemonic, b->mnemonic) && a->guard == b->guard && a->guard_negated == b->guard_negated &&
                a->operand_count == b->operand_count && same_line(a->source, b->source);
    for (int i = 0; same && i < a->operand_count; i++) same = same_operand(&a->operands[i], &b->operands[i]);
    return same;
}

static bool same_directives(const ptx_function *a, const ptx_function *b)
{
    return a->is_entry == b->is_entry && a->is_declaration == b->is_declaration && a->noreturn == b->noreturn &&
           a->linkage == b->linkage && !memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) &&
           !memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) && a->minnctapersm == b->minnctapersm &&
           a->maxnctapersm == b->maxnctapersm && a->maxnreg == b->maxnreg &&
           !memcmp(a->reqnctapercluster, b->reqnctapercluster, sizeof a->reqnctapercluster) &&
           a->maxclusterrank == b->maxclusterrank && a->explicitcluster == b->explicitcluster && a->index == b->index;
}

static bool same_function(const ptx_function *a, const ptx_function *b)
{
    bool same = same_text(a->name, b->name) && same_directives(a, b) &&
                same_variables(a->params, a->param_count, b->params, b->param_count) &&
                same_variables(a->returns, a->return_count, b->returns, b->return_count) &&
                same_variables(a->locals, a->local_count, b->locals, b->local_count) &&
                a->register_count == b->register_count && a->insn_count == b->insn_count &&
                a->label_count == b->label_count;
    for (size_t i = 0; same && i < a->register_count; i++)
        same = a->registers[i].type == b->registers[i].type && a->registers[i].vector == b->registers[i].vector;
    for (size_t i = 0; same && i < a->insn_count; i++) same = same_insn(&a->insns[i], &b->insns[i]);
    for (size_t i = 0; same && i < a->label_count; i++) same = a->labels[i].insn == b->labels[i].insn;
    return same;
}

#endif
