/* check.c: what compiling and linking PTX finds at once, before any kernel is decoded: opcodes that the language does
 * not have, and names that code uses and nobody defines. Programs that load PTX at run time get these as errors of the
 * load; what exists and is not supported stays an error of the kernel that needs it.
 *
 * Limits: an irregular instruction is known by its opcode, its modifiers are looked at by its decoder; for targets
 * above sm_90, whose own instructions the table does not list, opcodes alone are looked at. */
#include "code/decode.h"

#include <string.h>

typedef struct check_state {
    const code_image *image;
    lw_map opcodes; /* first parts of all rows */
    lw_map named;   /* symbols already in problems */
    lw_text problems;
} check_state;

static void index_opcodes(lw_map *map)
{
    for (size_t k = 0; k < code_row_count; k++)
        lw_map_put(map, code_rows[k].key, strcspn(code_rows[k].key, "."), (void *)&code_rows[k]);
}

static bool opcode_exists(const check_state *s, const ptx_module *m, const char *mnemonic)
{
    enum { NEWEST_TARGET = 90 };
    decode_parts p = decode_split(mnemonic);
    if (!lw_map_get(&s->opcodes, p.part[0], p.size[0])) return false;
    return m->sm > NEWEST_TARGET || decode_find_row(&s->image->rows, &p).row;
}

static lw_status check_opcodes(const check_state *s, const ptx_module *m, const ptx_function *f, lw_error *error)
{
    const char *seen[64] = {NULL}; /* equal mnemonics are one string: most instructions need no second look */
    for (size_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        const char **known = &seen[(uintptr_t)in->mnemonic / 8 % LW_COUNT(seen)];
        if (*known == in->mnemonic) continue;
        if (!opcode_exists(s, m, in->mnemonic))
            return ptx_fail_at(m, in->line, in->column, error, LW_SYNTAX, "unknown instruction '%s'", in->mnemonic);
        *known = in->mnemonic;
    }
    return LW_OK;
}

static void undefined(check_state *s, const char *name, const ptx_function *user, const ptx_module *m)
{
    if (lw_map_get(&s->named, name, strlen(name))) return;
    lw_map_put(&s->named, name, strlen(name), s);
    lw_text_add(&s->problems, "  undefined reference to '%s' in '%s' (%s)\n", name, user->name, m->name);
}

/* Functions of the device runtime (launches from kernels and the like) are refused by name when a kernel needs them. */
static bool is_runtime_name(const char *name)
{
    return code_builtin_of(name) || !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6);
}

static void check_operand(check_state *s, const ptx_operand *o, const ptx_function *user, const ptx_module *m)
{
    if (o->function) {
        const image_function *f = code_resolve_function(s->image, o->function);
        if ((!f || f->function->is_declaration) && !is_runtime_name(o->function->name))
            undefined(s, o->function->name, user, m);
    }
    const ptx_variable *v = o->variable;
    if (v && v->linkage == PTX_EXTERN && v->space != PTX_SHARED && !code_resolve_variable(s->image, v))
        undefined(s, v->name, user, m);
    for (uint32_t k = 0; k < o->item_count; k++) check_operand(s, &o->items[k], user, m);
}

static lw_status check_function(check_state *s, const ptx_module *m, const ptx_function *f, lw_error *error)
{
    LW_TRY(check_opcodes(s, m, f, error));
    for (size_t k = 0; k < f->insn_count; k++)
        for (uint32_t n = 0; n < f->insns[k].operand_count; n++) check_operand(s, &f->insns[k].operands[n], f, m);
    return LW_OK;
}

lw_status code_check(const code_image *image, lw_error *error)
{
    check_state s = {.image = image};
    lw_status status = LW_OK;
    index_opcodes(&s.opcodes);
    for (size_t k = 0; k < image->module_count && !status; k++)
        for (size_t n = 0; n < image->modules[k]->function_count && !status; n++)
            status = check_function(&s, image->modules[k], image->modules[k]->functions[n], error);
    if (!status && s.problems.size) status = lw_fail(error, LW_NOT_FOUND, "linking failed:\n%s", s.problems.data);
    lw_map_free(&s.opcodes);
    lw_map_free(&s.named);
    lw_text_free(&s.problems);
    return status;
}
