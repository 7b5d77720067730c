/* types: the tables of types.def and special.def, and look-ups in a finished module. */
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

static const struct {
    const char *name;
    int components;
} specials[] = {
#define PTX_SPECIAL(id, name, type, components) {name, components},
#include "ptx/special.def"
#undef PTX_SPECIAL
};

/* "%envreg31", "%pm7", "%pm7_64": rows of a family carry their number in the operand */
static int find_numbered(const char *name, size_t size, int64_t *number)
{
    static const struct {
        const char *prefix, *suffix;
        int count, special;
    } families[] = {
        {"%envreg", "", 32, PTX_SPECIAL_ENVREG}, {"%pm", "", 8, PTX_SPECIAL_PM}, {"%pm", "_64", 8, PTX_SPECIAL_PM64}};
    for (size_t i = 0; i < LW_COUNT(families); i++) {
        size_t n = strlen(families[i].prefix), tail = strlen(families[i].suffix);
        if (size <= n + tail || size > n + tail + 2 || memcmp(name, families[i].prefix, n) ||
            memcmp(name + size - tail, families[i].suffix, tail))
            continue;
        int value = 0;
        bool digits = name[n] != '0' || size == n + tail + 1;
        for (size_t k = n; k < size - tail; k++) {
            digits = digits && name[k] >= '0' && name[k] <= '9';
            value = value * 10 + (name[k] - '0');
        }
        if (!digits || value >= families[i].count) continue;
        *number = value;
        return families[i].special + 1;
    }
    return 0;
}

int ptx_special_find(const char *name, size_t size, int64_t *number)
{
    *number = 0;
    for (int i = 0; i < PTX_SPECIAL_COUNT; i++)
        if (i != PTX_SPECIAL_ENVREG && i != PTX_SPECIAL_PM && i != PTX_SPECIAL_PM64 &&
            !strncmp(specials[i].name, name, size) && !specials[i].name[size])
            return i + 1;
    return find_numbered(name, size, number);
}

const char *ptx_special_text(int special)
{
    return special >= 0 && special < PTX_SPECIAL_COUNT ? specials[special].name : "%?";
}

int ptx_special_components(int special)
{
    return special >= 0 && special < PTX_SPECIAL_COUNT ? specials[special].components : 0;
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
