/* types.c: the table of types.def, and look-ups in a finished module. */
#include "ptx/ptx_priv.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
    char class;
} types[] = {
    {"", 0, 0},
#define PTX_TYPE_CLASS(c) #c[0]
#define PTX_TYPE(id, name, bytes, class) {name, bytes, PTX_TYPE_CLASS(class)},
#include "ptx/types.def"
#undef PTX_TYPE
};

const char *ptx_type_name(ptx_type type) { return (unsigned)type < PTX_TYPE_COUNT ? types[type].name : ""; }
uint32_t ptx_type_bytes(ptx_type type) { return (unsigned)type < PTX_TYPE_COUNT ? types[type].bytes : 0; }
char ptx_type_class(ptx_type type) { return (char)((unsigned)type < PTX_TYPE_COUNT ? types[type].class : 0); }

ptx_type ptx_type_find(const char *name, size_t name_size)
{
    for (int i = 1; i < PTX_TYPE_COUNT; i++)
        if (!strncmp(types[i].name, name, name_size) && !types[i].name[name_size]) return (ptx_type)i;
    return PTX_NO_TYPE;
}

const ptx_function *ptx_find_function(const ptx_module *module, const char *name)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (!strcmp(module->functions[i]->name, name)) return module->functions[i];
    return NULL;
}

const ptx_variable *ptx_find_variable(const ptx_module *module, const char *name)
{
    for (size_t i = 0; i < module->variable_count; i++)
        if (!strcmp(module->variables[i]->name, name)) return module->variables[i];
    return NULL;
}

void ptx_module_free(ptx_module *module)
{
    if (!module) return;
    lw_arena arena = module->arena; /* the module lives in its own arena */
    lw_arena_free(&arena);
}
