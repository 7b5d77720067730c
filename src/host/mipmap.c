/* Mipmapped arrays: an array a level. */
#include <stdlib.h>

#include "host/array_priv.h"
#include "host/handle_priv.h"
#include "host/queue_priv.h"

bool host_mipmap_valid(host_context *c, const host_mipmap *m) { return host_handle_is(c, m, HOST_T_MIPMAP); }

static uint64_t halved(uint64_t texels, uint32_t level) { return texels ? LW_MAX(texels >> level, UINT64_C(1)) : 0; }

static uint32_t levels_of(const uint64_t size[3], uint32_t flags)
{
    bool layered = flags & (HOST_ARRAY_LAYERED | HOST_ARRAY_CUBEMAP);
    uint64_t most = LW_MAX(size[0], LW_MAX(size[1], layered ? 0 : size[2]));
    return most ? LW_MIN(64u - (uint32_t)__builtin_clzll(most), (uint32_t)HOST_MIPMAP_LEVELS) : 1;
}

host_error host_mipmap_create(host_context *c, const host_format *format, const uint64_t size[3], uint32_t levels,
                              uint32_t flags, host_mipmap **out)
{
    if (!out) return HOST_INVALID_VALUE;
    bool layered = flags & (HOST_ARRAY_LAYERED | HOST_ARRAY_CUBEMAP);
    uint32_t wanted = LW_MIN(LW_MAX(levels, 1u), levels_of(size, flags));
    host_mipmap *m = lw_alloc(sizeof *m);
    host_error error = 0;
    while (!error && m->count < wanted) {
        uint32_t k = m->count;
        error = host_array_create(c, format, halved(size[0], k), halved(size[1], k),
                                  layered ? size[2] : halved(size[2], k), flags, &m->level[k]);
        if (error) break;
        m->level[k]->is_level = true;
        m->count++;
    }
    if (error) {
        while (m->count) host_array_end(c, m->level[--m->count]);
        free(m);
        return error;
    }
    host_lock(c);
    lw_vec_push(&c->arrays->mipmaps, m);
    host_unlock(c);
    host_handle_add(c, m, HOST_T_MIPMAP);
    *out = m;
    return 0;
}

host_error host_mipmap_destroy(host_context *c, host_mipmap *m)
{
    if (!m) return 0;
    if (!host_mipmap_valid(c, m)) return HOST_INVALID_VALUE;
    host_handle_remove(c, m);
    host_queue_synchronize(c);
    while (m->count) host_array_end(c, m->level[--m->count]);
    host_lock(c);
    for (size_t i = 0; i < c->arrays->mipmaps.count; i++) {
        if (c->arrays->mipmaps.items[i] != m) continue;
        c->arrays->mipmaps.items[i] = c->arrays->mipmaps.items[--c->arrays->mipmaps.count];
        break;
    }
    host_unlock(c);
    free(m);
    return host_status(c);
}

host_error host_mipmap_level(host_context *c, const host_mipmap *m, uint32_t level, host_array **out)
{
    if (!out || !host_mipmap_valid(c, m) || level >= m->count) return HOST_INVALID_VALUE;
    *out = m->level[level];
    return 0;
}
