/* image.c: what a linked image knows by name. */
#include "code/decode.h"

#include <string.h>

/* Is a symbol of this linkage one for all modules? Static ones stay in theirs. */
bool code_is_shared_name(ptx_linkage l) { return l != PTX_STATIC; }

const image_variable *code_resolve_variable(const code_image *image, const ptx_variable *v)
{
    image_variable *n = v->scope || !code_is_shared_name(v->linkage)
                            ? lw_map_get(&image->placed, (const char *)&v, sizeof v)
                            : lw_map_get(&image->variables, v->name, strlen(v->name));
    return n && n->variable->linkage == PTX_EXTERN && n->variable->space != PTX_SHARED ? NULL : n;
}

const image_function *code_resolve_function(const code_image *image, const ptx_function *f)
{
    return code_is_shared_name(f->linkage) || f->is_declaration
               ? lw_map_get(&image->functions, f->name, strlen(f->name))
               : lw_map_get(&image->placed, (const char *)&f, sizeof f);
}

bool code_find_symbol(const code_image *image, const char *name, code_symbol *out)
{
    const image_variable *n = lw_map_get(&image->variables, name, strlen(name));
    for (size_t k = 0; !n && k < image->variable_list.count; k++) /* static variables: the first of that name */
        if (!strcmp(image->variable_list.items[k]->name, name)) n = image->variable_list.items[k];
    if (!n || !n->address) return false;
    *out = (code_symbol){n->variable, n->address, n->variable->bytes};
    return true;
}

const ptx_function *code_find_entry(const code_image *image, const char *name)
{
    const image_function *f = lw_map_get(&image->functions, name, strlen(name));
    for (size_t k = 0; !f && k < image->function_list.count; k++)
        if (!strcmp(image->function_list.items[k]->name, name)) f = image->function_list.items[k];
    return f && f->function->is_entry && !f->function->is_declaration ? f->function : NULL;
}

const ptx_function *code_entry_at(const code_image *image, uint64_t address)
{
    for (size_t k = 0; k < image->function_list.count; k++) {
        const image_function *f = image->function_list.items[k];
        if (f->address == address) return f->function->is_entry && !f->function->is_declaration ? f->function : NULL;
    }
    return NULL;
}

void code_each_entry(const code_image *image, void (*visit)(void *user, const ptx_function *entry), void *user)
{
    for (size_t k = 0; k < image->function_list.count; k++) {
        const ptx_function *f = image->function_list.items[k]->function;
        if (f->is_entry && !f->is_declaration) visit(user, f);
    }
}
