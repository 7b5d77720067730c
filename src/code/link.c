/* link.c: parsed modules -> image. Names of visible, weak and common symbols are shared by all modules; static ones
 * stay in theirs. Global and constant variables get storage from the linker's place() and are initialised here, which
 * is plain stores since device addresses are host addresses. */
#include "code/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_strong(ptx_linkage l) { return l == PTX_VISIBLE; }

typedef struct link_state {
    code_image *image;
    lw_text problems;
} link_state;

/* A definition replaces a declaration and a weak definition; two strong ones are a problem. */
static void add_function(link_state *s, const ptx_module *m, const ptx_function *f)
{
    code_image *image = s->image;
    bool shared = code_is_shared_name(f->linkage) || f->is_declaration;
    image_function *have = shared ? lw_map_get(&image->functions, f->name, strlen(f->name)) : NULL;
    if (have) {
        if (f->is_declaration) return;
        if (!have->function->is_declaration) {
            if (is_strong(f->linkage) && is_strong(have->function->linkage))
                lw_text_add(&s->problems, "  '%s' is defined in %s and in %s\n", f->name, have->module->name, m->name);
            if (!is_strong(f->linkage) || is_strong(have->function->linkage)) return;
        }
        have->module = m;
        have->function = f;
        return;
    }
    image_function *n = LW_NEW(&image->arena, image_function);
    *n = (image_function){.name = f->name, .module = m, .function = f, .index = (uint32_t)image->function_list.count};
    n->address = CODE_FUNCTION_WINDOW + 64 * ((uint64_t)n->index + 1);
    lw_vec_push(&image->function_list, n);
    if (shared) lw_map_put(&image->functions, n->name, strlen(n->name), n);
    const ptx_function **key = lw_arena_alloc(&image->arena, sizeof *key);
    *key = f;
    lw_map_put(&image->placed, (const char *)key, sizeof *key, n);
}

/* Does this definition replace the one that stands for the name? One does a declaration, a strong one a weak or common
 * one, a larger common one a smaller. */
static bool takes_over(const ptx_variable *v, const ptx_variable *have)
{
    if (have->linkage == PTX_EXTERN) return v->linkage != PTX_EXTERN;
    if (is_strong(v->linkage)) return !is_strong(have->linkage);
    return v->linkage == PTX_COMMON && have->linkage == PTX_COMMON && v->bytes > have->bytes;
}

static void add_variable(link_state *s, const ptx_module *m, const ptx_variable *v)
{
    code_image *image = s->image;
    bool shared = code_is_shared_name(v->linkage);
    image_variable *have = shared ? lw_map_get(&image->variables, v->name, strlen(v->name)) : NULL;
    if (have) {
        if (is_strong(v->linkage) && is_strong(have->variable->linkage))
            lw_text_add(&s->problems, "  '%s' is defined in %s and in %s\n", v->name, have->module->name, m->name);
        if (takes_over(v, have->variable)) {
            have->variable = v;
            have->module = m;
        }
        return;
    }
    image_variable *n = LW_NEW(&image->arena, image_variable);
    *n = (image_variable){.name = v->name, .module = m, .variable = v, .key = v};
    lw_vec_push(&image->variable_list, n);
    if (shared) lw_map_put(&image->variables, n->name, strlen(n->name), n);
    lw_map_put(&image->placed, (const char *)&n->key, sizeof n->key, n);
}

/* ---------------------------------------------------------------- initialisers */
static uint8_t *storage_of(const code_linker *linker, const image_variable *n)
{
    return linker->storage ? linker->storage(n->address) : (void *)(uintptr_t)n->address;
}

static bool has_contents(const code_linker *linker, const image_variable *n)
{
    return linker->holds && linker->holds(linker->user, n->address);
}

/* Addresses in initialisers; mask forms store single bytes of one. */
static void store_addresses(link_state *s, const code_linker *linker, const image_variable *n)
{
    const ptx_variable *v = n->variable;
    for (size_t k = 0; k < v->address_count; k++) {
        const ptx_init_address *a = &v->addresses[k];
        uint64_t value = 0;
        if (a->function) {
            const image_function *f = code_resolve_function(s->image, a->function);
            if (f) {
                value = f->address;
                ((image_function *)f)->address_taken = true;
            } else {
                lw_text_add(&s->problems, "  '%s' (used by '%s') is not defined\n", a->function->name, v->name);
            }
        } else if (a->variable) {
            const image_variable *t = code_resolve_variable(s->image, a->variable);
            if (t) value = t->address;
            else lw_text_add(&s->problems, "  '%s' (used by '%s') is not defined\n", a->variable->name, v->name);
        }
        value = (value + (uint64_t)a->addend) >> a->shift;
        if (a->offset + a->bytes <= v->bytes) memcpy(storage_of(linker, n) + a->offset, &value, a->bytes);
    }
}

static lw_status place_variables(link_state *s, const code_linker *linker, lw_error *error)
{
    code_image *image = s->image;
    for (size_t k = 0; k < image->variable_list.count; k++) {
        image_variable *n = image->variable_list.items[k];
        const ptx_variable *v = n->variable;
        if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || v->linkage == PTX_EXTERN) continue;
        LW_TRY(linker->place(linker->user, v, &n->address, error));
        if (v->init && !has_contents(linker, n)) memcpy(storage_of(linker, n), v->init, v->bytes);
    }
    for (size_t k = 0; k < image->variable_list.count; k++) {
        const image_variable *n = image->variable_list.items[k];
        if (n->address && !has_contents(linker, n)) store_addresses(s, linker, n);
    }
    return LW_OK;
}

static void add_module(link_state *s, const ptx_module *m)
{
    for (size_t k = 0; k < m->function_count; k++) add_function(s, m, m->functions[k]);
    for (size_t k = 0; k < m->variable_count; k++) add_variable(s, m, m->variables[k]);
    for (size_t k = 0; k < m->function_count; k++) {
        const ptx_function *f = m->functions[k];
        for (size_t v = 0; v < f->local_count; v++) /* static variables of functions: global or const storage */
            if (f->locals[v]->space == PTX_GLOBAL || f->locals[v]->space == PTX_CONST) add_variable(s, m, f->locals[v]);
    }
}

lw_status code_link(code_image **out, const ptx_module *const *modules, size_t module_count, const code_linker *linker,
                    lw_error *error)
{
    *out = NULL;
    code_image *image = lw_alloc(sizeof *image);
    link_state s = {.image = image};
    const ptx_module **list = LW_NEW_ARRAY(&image->arena, const ptx_module *, module_count);
    for (size_t k = 0; k < module_count; k++) {
        list[k] = modules[k];
        add_module(&s, modules[k]);
    }
    image->modules = list;
    image->module_count = module_count;
    code_index_rows(&image->rows);
    lw_status status = s.problems.size ? LW_OK : place_variables(&s, linker, error);
    if (status == LW_OK && s.problems.size)
        status = lw_fail(error, LW_INVALID_ARGUMENT, "linking failed:\n%s", s.problems.data);
    lw_text_free(&s.problems);
    if (status == LW_OK) *out = image;
    else code_image_free(image);
    return status;
}

void code_image_free(code_image *image)
{
    if (!image) return;
    lw_map_free(&image->rows);
    lw_map_free(&image->functions);
    lw_map_free(&image->variables);
    lw_map_free(&image->placed);
    lw_vec_free(&image->function_list);
    lw_vec_free(&image->variable_list);
    lw_arena_free(&image->arena);
    free(image);
}
