/* Where the instructions of a kernel stand in its source: made once, at its first counted launch. */
#include <stdlib.h>
#include <string.h>

#include "host/sites_priv.h"
#include "host/source_priv.h"

static const char *pretty(host_sites *s, const char *mangled)
{
    char *known = lw_map_get(&s->names, mangled, strlen(mangled));
    if (known) return known;
    char *text = host_demangle(mangled);
    char *kept = lw_arena_strdup(&s->arena, text);
    free(text);
    lw_map_put(&s->names, mangled, strlen(mangled), kept);
    return kept;
}

static void place_site(host_sites *s, const code_site *site, host_site_place *out)
{
    const ptx_line *leaf = site->insn->source;
    if (!leaf) {
        *out = (host_site_place){site->module->name, pretty(s, site->function->name), site->insn->line, true, NULL, 0};
        return;
    }
    const ptx_line *shown = host_visible_frame(leaf);
    uint32_t count = 0, n = 0;
    for (const ptx_line *l = leaf; l; l = l->inlined_at) count++;
    result_frame *frames = LW_NEW_ARRAY(&s->arena, result_frame, count);
    for (const ptx_line *l = leaf; l; l = l->inlined_at)
        frames[n++] = (result_frame){l->file, l->line, pretty(s, host_frame_function(l, site->function))};
    *out = (host_site_place){
        shown->file, pretty(s, host_frame_function(shown, site->function)), shown->line, false, frames, count};
}

host_sites *host_sites_make(const code_kernel *kernel)
{
    host_sites *s = lw_alloc(sizeof *s);
    s->places = LW_NEW_ARRAY(&s->arena, host_site_place, kernel->site_count);
    for (uint32_t i = 0; i < kernel->site_count; i++)
        if (kernel->sites[i].is_memory) place_site(s, &kernel->sites[i], &s->places[i]);
    return s;
}

const host_site_place *host_site_of(host_sites *s, const code_kernel *kernel, uint32_t site)
{
    host_site_place *place = &s->places[site];
    if (!place->function) place_site(s, &kernel->sites[site], place);
    return place;
}

void host_sites_free(host_sites *s)
{
    if (!s) return;
    lw_map_free(&s->names);
    lw_arena_free(&s->arena);
    free(s);
}
