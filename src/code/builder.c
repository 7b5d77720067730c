/* builder.c: what the parts of one kernel's decoding share: the queue of functions to decode, and the list of everything
 * that is not supported. */
#include "code/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t code_queue_function(kernel_builder *b, const image_function *f)
{
    for (size_t k = 0; k < b->queue.count; k++)
        if (b->queue.items[k] == f) return (uint32_t)k;
    code_function *out = LW_NEW(&b->kernel->arena, code_function);
    out->ptx = f->function;
    out->index = (uint32_t)b->queue.count;
    out->address = f->address;
    lw_vec_push(&b->functions, out);
    lw_vec_push(&b->queue, f);
    return out->index;
}

/* Functions whose address is stored or moved somewhere: what an indirect call may reach. */
void code_queue_taken(kernel_builder *b)
{
    if (b->all_queued) return;
    b->all_queued = true;
    for (size_t k = 0; k < b->image->function_list.count; k++) {
        const image_function *g = b->image->function_list.items[k];
        const ptx_function *f = g->function;
        if (g->address_taken && !f->is_declaration && !f->is_entry) code_queue_function(b, g);
        for (size_t n = 0; n < f->insn_count; n++) {
            const ptx_insn *in = &f->insns[n];
            if (strncmp(in->mnemonic, "mov", 3) || in->operand_count < 2 || in->operands[1].kind != PTX_OP_FUNCTION)
                continue;
            const image_function *t = code_resolve_function(b->image, in->operands[1].function);
            if (t && !t->function->is_declaration && !t->function->is_entry) code_queue_function(b, t);
        }
    }
}

/* "prog.cu:6 (PTX line 51)": the source line if there is line information, and where it was inlined; else the line of
 * the PTX text, named so that nobody looks for it in a source file. */
static void describe_place(const decoder *d, lw_text *out)
{
    const char *name = d->module->name;
    size_t n = strlen(name);
    const ptx_line *leaf = d->in->source, *outer = leaf;
    while (outer && outer->inlined_at) outer = outer->inlined_at;
    if (leaf && leaf->file) {
        lw_text_add(out, "%s:%u (", leaf->file, leaf->line);
        if (outer != leaf && outer->file) lw_text_add(out, "used at %s:%u, ", outer->file, outer->line);
        lw_text_add(out, "PTX line %u)", d->in->line);
    } else if (n > 4 && !strcmp(name + n - 4, ".ptx")) {
        lw_text_add(out, "%s:%u:%u", name, d->in->line, d->in->column);
    } else {
        lw_text_add(out, "PTX line %u of %s", d->in->line, name);
    }
}

/* ---- what cannot run ---- */
#define MOST_PROBLEMS 40 /* as many different ones are listed; the others are counted */

void code_add_problem(kernel_builder *b, const char *place, const char *text)
{
    for (size_t i = 0; i < b->problems.count; i++) {
        if (strcmp(b->problems.items[i].text, text)) continue;
        b->problems.items[i].count++;
        return;
    }
    lw_arena *arena = &b->kernel->arena;
    kernel_problem problem = {lw_arena_strdup(arena, place), lw_arena_strdup(arena, text), 1};
    lw_vec_push(&b->problems, problem);
}

void decode_problem(decoder *d, const char *format, ...)
{
    lw_text place = {0};
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    describe_place(d, &place);
    lw_text_add(&place, ": ");
    code_add_problem(d->builder, place.data, text);
    lw_text_free(&place);
}

lw_status code_problems_fail(const kernel_builder *b, lw_error *error)
{
    lw_text list = {0};
    size_t count = b->problems.count;
    size_t shown = LW_MIN(count, (size_t)MOST_PROBLEMS);
    for (size_t i = 0; i < shown; i++) {
        const kernel_problem *p = &b->problems.items[i];
        lw_text_add(&list, "  %s%s", p->place, p->text);
        if (p->count > 1) lw_text_add(&list, " (%u times; this is the first)", p->count);
        lw_text_add(&list, "\n");
    }
    if (shown < count) lw_text_add(&list, "  and %zu more\n", count - shown);
    lw_status status = lw_fail(error, LW_UNSUPPORTED, "kernel '%s' cannot run (%zu problem%s):\n%s", b->kernel->name,
                               count, count == 1 ? "" : "s", list.data);
    lw_text_free(&list);
    return status;
}
