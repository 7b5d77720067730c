/* intern.c: every name of a module is kept once, so that names are compared by address. */
#include "ptx/ptx_priv.h"

ptx_name *ptx_intern(ptx_parser *p, const char *text, size_t size)
{
    ptx_name *name = lw_map_get(&p->names, text, size);
    if (name) return name;
    name = LW_NEW(p->arena, ptx_name);
    name->text = lw_arena_strndup(p->arena, text, size);
    name->size = size;
    if (text[0] == '%') {
        int64_t number;
        name->special = ptx_special_find(text, size, &number);
    }
    lw_map_put(&p->names, name->text, size, name);
    return name;
}
