/* Copies and sets of one, two and three dimensions. All are memcpy and memset on the rows' storage; what is checked is what a card's driver checks: that each side lies in one allocation of the right kind.
 * Asynchronous copies from pageable memory take a copy of the source first (up to 64 KB, as drivers do) or wait; copies
 * to pageable memory wait. */
#include <string.h>

#include "host/copy_priv.h"
#include "host/devices.h"
#include "host/refuse.h"
#include "host/refuse_memory.h"
#include "host/state_priv.h"
#include "host/stream_priv.h"
#include "host/submit_priv.h"

#define STAGE_LIMIT (64 * 1024)

/* Bytes from the first to one past the last that a side touches; false on overflow. */
static bool side_extent(const host_side *s, uint64_t width, uint64_t height, uint64_t depth, uint64_t *out)
{
    uint64_t slice, rows, last;
    if (__builtin_mul_overflow(s->pitch, s->rows, &slice)) return false;
    if (__builtin_mul_overflow(slice, depth - 1, &rows)) return false;
    if (__builtin_mul_overflow(s->pitch, height - 1, &last)) return false;
    return !__builtin_add_overflow(rows, last, &rows) && !__builtin_add_overflow(rows, width, out);
}

typedef enum side_kind { SIDE_BAD, SIDE_PAGEABLE, SIDE_PINNED, SIDE_DEVICE } side_kind;

static side_kind side_classify(host_context *c, const host_side *s, uint64_t width, uint64_t height, uint64_t depth)
{
    uint64_t extent;
    mem_allocation a;
    if (!s->address || !side_extent(s, width, height, depth, &extent)) return SIDE_BAD;
    if (!mem_find(c->memory, s->address, &a)) return mem_in_window(s->address) ? SIDE_BAD : SIDE_PAGEABLE;
    /* Registered memory may be left behind by a copy that goes on in pageable memory: both are the host's. */
    if (a.kind == MEM_REGISTERED) return extent > a.address + a.bytes - s->address ? SIDE_PAGEABLE : SIDE_PINNED;
    uint64_t room = a.mapped ? mem_mapped_bytes(c->memory, s->address) : a.address + a.bytes - s->address;
    if (extent > room) return SIDE_BAD;
    return a.kind == MEM_PINNED || a.kind == MEM_MANAGED ? SIDE_PINNED : SIDE_DEVICE;
}

static host_error refuse(host_context *c, const char *name, const host_side *s, uint64_t width, uint64_t height,
                         uint64_t depth)
{
    uint64_t extent = UINT64_MAX;
    side_extent(s, width, height, depth, &extent);
    return host_refuse_side(c, name, s->address, extent);
}

/* Checks kinds and extents. */
host_error host_copy_check(host_context *c, host_copy *copy)
{
    if (copy->kind < 0 || copy->kind > HOST_COPY_DEFAULT) return HOST_INVALID_MEMCPY_DIRECTION;
    if (!copy->width || !copy->height || !copy->depth) return 0;
    if (copy->height > 1 || copy->depth > 1)
        if (copy->dst.pitch < copy->width || copy->src.pitch < copy->width) return HOST_INVALID_PITCH_VALUE;
    side_kind dst = side_classify(c, &copy->dst, copy->width, copy->height, copy->depth);
    side_kind src = side_classify(c, &copy->src, copy->width, copy->height, copy->depth);
    if (dst == SIDE_BAD) return refuse(c, "the destination", &copy->dst, copy->width, copy->height, copy->depth);
    if (src == SIDE_BAD) return refuse(c, "the source", &copy->src, copy->width, copy->height, copy->depth);
    /* As an H200's driver answers: what is said to be the device's must not be pageable; what is said to be the host's
     * may be anything it can address. */
    bool dst_device = copy->kind == HOST_COPY_H2D || copy->kind == HOST_COPY_D2D;
    bool src_device = copy->kind == HOST_COPY_D2H || copy->kind == HOST_COPY_D2D;
    if (dst_device && dst == SIDE_PAGEABLE) return host_refuse_direction(true);
    if (src_device && src == SIDE_PAGEABLE) return host_refuse_direction(false);
    return 0;
}

static bool is_pageable(host_context *c, const host_side *s, uint64_t width, uint64_t height, uint64_t depth)
{
    return side_classify(c, s, width, height, depth) == SIDE_PAGEABLE;
}

void host_copy_run(const host_copy *k)
{
    if (!k->width || !k->height || !k->depth) return;
    bool dense = k->dst.pitch == k->width && k->src.pitch == k->width && k->depth == 1;
    for (uint64_t z = 0; z < k->depth; z++) {
        uint8_t *d = mem_storage(k->dst.address + z * k->dst.pitch * k->dst.rows);
        const uint8_t *s = mem_storage(k->src.address + z * k->src.pitch * k->src.rows);
        if (dense) {
            memmove(d, s, k->width * k->height);
            continue;
        }
        for (uint64_t y = 0; y < k->height; y++) memmove(d + y * k->dst.pitch, s + y * k->src.pitch, k->width);
    }
}

/* Packs the rows of a pageable source into memory that the operation owns. */
static void stage_source(host_op *op)
{
    host_copy *k = &op->u.copy.copy;
    uint64_t bytes = k->width * k->height * k->depth;
    uint8_t *staged = lw_alloc((size_t)bytes);
    host_copy in = *k;
    in.dst = (host_side){(uint64_t)(uintptr_t)staged, k->width, k->height};
    host_copy_run(&in);
    k->src = in.dst;
    op->u.copy.staged = staged;
}

/* As two H100s answer: copies need the device's access to memory of pools and mappings alone; fills to all. */
static bool may_access(host_context *c, const host_stream *stream, uint64_t address, bool fills)
{
    mem_allocation a;
    if (c->options.devices == 1 || !mem_find(c->memory, address, &a)) return true;
    if (a.listed) return (fills ? a.writers : a.readers) >> stream->device & 1;
    bool devices_own = a.kind == MEM_DEVICE || a.kind == MEM_GLOBAL_VAR || a.kind == MEM_CONST_VAR;
    return !fills || !devices_own || !(host_device_out_of_reach(c, stream->device) >> a.device & 1);
}

static host_error refuse_access(const host_stream *stream)
{
    return host_refuse(
        HOST_INVALID_VALUE,
        "Device %u, whose stream this is, has no access to the memory: cudaDeviceEnablePeerAccess, of pools "
        "cudaMemPoolSetAccess, of mappings cuMemSetAccess.",
        stream->device);
}

host_error host_copy_put(host_context *c, host_stream *stream, const host_copy *copy, bool wait)
{
    host_error error = host_status(c);
    if (error) return error;
    host_op op = {.kind = HOST_OP_COPY};
    op.u.copy.copy = *copy;
    error = host_copy_check(c, &op.u.copy.copy);
    if (error) return error;
    const host_copy *k = &op.u.copy.copy;
    if (!k->width || !k->height || !k->depth) return 0;
    if (!k->between && !(may_access(c, stream, k->src.address, false) && may_access(c, stream, k->dst.address, false)))
        return refuse_access(stream);
    if (!wait && !stream->capture) {
        if (is_pageable(c, &k->dst, k->width, k->height, k->depth)) {
            wait = true;
        } else if (is_pageable(c, &k->src, k->width, k->height, k->depth)) {
            if (k->width * k->height * k->depth <= STAGE_LIMIT) stage_source(&op);
            else wait = true;
        }
    }
    return host_submit(stream, &op, wait);
}

static void fill_row(uint8_t *d, const host_fill *f)
{
    if (f->element_bytes == 1) {
        memset(d, (int)f->value, f->width);
    } else if (f->element_bytes == 2) {
        uint16_t v = (uint16_t)f->value;
        for (uint64_t x = 0; x < f->width; x++) memcpy(d + 2 * x, &v, 2);
    } else {
        for (uint64_t x = 0; x < f->width; x++) memcpy(d + 4 * x, &f->value, 4);
    }
}

void host_fill_run(const host_fill *f)
{
    for (uint64_t z = 0; z < f->depth; z++)
        for (uint64_t y = 0; y < f->height; y++)
            fill_row(mem_storage(f->dst.address + z * f->dst.pitch * f->dst.rows + y * f->dst.pitch), f);
}

host_error host_fill_check(host_context *c, const host_fill *fill)
{
    uint64_t bytes = fill->width * fill->element_bytes;
    if (!bytes || !fill->height || !fill->depth) return 0;
    if (fill->dst.address % fill->element_bytes) return HOST_INVALID_VALUE;
    if ((fill->height > 1 || fill->depth > 1) && fill->dst.pitch < bytes) return HOST_INVALID_VALUE;
    side_kind kind = side_classify(c, &fill->dst, bytes, fill->height, fill->depth);
    if (kind == SIDE_BAD || kind == SIDE_PAGEABLE)
        return refuse(c, "the memory", &fill->dst, bytes, fill->height, fill->depth);
    return 0;
}

host_error host_fill_put(host_context *c, host_stream *stream, const host_fill *fill, bool wait)
{
    host_error error = host_status(c);
    if (!error) error = host_fill_check(c, fill);
    if (error || !fill->width || !fill->element_bytes || !fill->height || !fill->depth) return error;
    if (!may_access(c, stream, fill->dst.address, true)) return refuse_access(stream);
    host_op op = {.kind = HOST_OP_FILL};
    op.u.fill = *fill;
    return host_submit(stream, &op, wait);
}
