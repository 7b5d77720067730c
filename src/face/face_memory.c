/* Memory: batches of copies, hints about managed memory, pools. */
#include "face/face.h"

host_error face_copy_batch(void *stream, bool per_thread, const uint64_t *dsts, const uint64_t *srcs,
                           const size_t *sizes, size_t count)
{
    if (!dsts || !srcs || !sizes || !count) return HOST_INVALID_VALUE;
    host_error error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = face_copy_flat(stream, per_thread, dsts[i], srcs[i], sizes[i], HOST_COPY_DEFAULT, false);
    return error;
}

host_error face_prefetch(void *stream, bool per_thread, uint64_t pointer, size_t bytes, host_location location,
                         unsigned flags)
{
    if (flags) return HOST_INVALID_VALUE;
    if (!face_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    return host_managed_prefetch(host_get(), pointer, bytes, location);
}

host_error face_range_attributes(void **data, const size_t *sizes, const int *attributes, size_t count,
                                 uint64_t pointer, size_t bytes)
{
    if (!data || !sizes || !attributes) return HOST_INVALID_VALUE;
    host_error error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = host_managed_attribute(host_get(), data[i], sizes[i], attributes[i], pointer, bytes);
    return error;
}

/* ---- the device's pools, current and default ---- */
static host_pool *pool_of(int device, mem_kind kind, bool current)
{
    uint32_t of = (uint32_t)device;
    return current ? host_pool_current(host_get(), of, kind) : host_pool_default(host_get(), of, kind);
}

host_error face_device_pool(const face *self, int device, bool current, void **out)
{
    host_error error = out ? self->check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = pool_of(device, MEM_DEVICE, current);
    return error;
}

host_error face_device_set_pool(const face *self, int device, void *pool)
{
    host_error error = self->check_device(device);
    return error ? error : host_pool_set_current(host_get(), (uint32_t)device, MEM_DEVICE, pool);
}

/* The kind of memory of a pool at a location. */
static host_error pool_kind(const face *self, const host_location *location, int type, mem_kind *out)
{
    host_error error = location ? host_pool_kind(location->type, type, out) : HOST_INVALID_VALUE;
    return !error && location->type == HOST_LOCATION_DEVICE ? self->check_device(location->id) : error;
}

/* Pools that belong to no device are those of the first. */
static int device_of(const host_location *location)
{
    return location->type == HOST_LOCATION_DEVICE ? location->id : 0;
}

host_error face_location_pool(const face *self, const host_location *location, int type, bool current, void **out)
{
    mem_kind kind;
    host_error error = out ? pool_kind(self, location, type, &kind) : HOST_INVALID_VALUE;
    if (!error) *out = pool_of(device_of(location), kind, current);
    return error;
}

host_error face_location_set_pool(const face *self, const host_location *location, int type, void *pool)
{
    mem_kind kind;
    host_error error = pool_kind(self, location, type, &kind);
    return error ? error : host_pool_set_current(host_get(), (uint32_t)device_of(location), kind, pool);
}

/* ---- pools ---- */
host_error face_pool_create(const face *self, const face_pool_props *props, void **out)
{
    mem_kind kind;
    if (!out || !props) return HOST_INVALID_VALUE;
    host_error error = pool_kind(self, &props->location, props->alloc_type, &kind);
    if (error)
        return error == HOST_INVALID_DEVICE ? HOST_INVALID_VALUE : error; /* as an H100 answers, of devices too */
    bool shareable = props->handle_types == FACE_HANDLE_FD && kind != MEM_MANAGED;
    if (props->handle_types && !shareable)
        return face_unsupported(self->prefix, "MemPoolCreate with handles other than file descriptors",
                                self->not_supported);
    return host_pool_create(host_get(), (uint32_t)device_of(&props->location), kind, props->max_size, shareable,
                            (host_pool **)out);
}

host_error face_pool_export(const face *self, void *out, void *pool, int type, unsigned flags)
{
    if (!out || flags) return HOST_INVALID_VALUE;
    if (type != FACE_HANDLE_FD)
        return face_unsupported(self->prefix, "MemPoolExportToShareableHandle of this handle type",
                                self->not_supported);
    return host_ipc_pool_export(host_get(), pool, out);
}

host_error face_pool_import(const face *self, void **out, void *handle, int type, unsigned flags)
{
    if (!out || flags) return HOST_INVALID_VALUE;
    if (type != FACE_HANDLE_FD)
        return face_unsupported(self->prefix, "MemPoolImportFromShareableHandle of this handle type",
                                self->not_supported);
    return host_ipc_pool_import(host_get(), (int)(intptr_t)handle, (host_pool **)out);
}

host_error face_pool_check(void *pool)
{
    uint64_t used;
    return host_pool_attribute(host_get(), pool, HOST_POOL_USED, &used, false); /* any attribute would do */
}

host_error face_pool_set_access(void *pool, const face_access_desc *list, size_t count)
{
    host_error error = list || !count ? face_pool_check(pool) : HOST_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++) {
        error = host_location_check(host_get(), list[i].location);
        if (!error && list[i].location.type == HOST_LOCATION_DEVICE)
            error = host_pool_set_access(host_get(), pool, list[i].location.id, (int)list[i].flags);
    }
    return error;
}

host_error face_pool_access(void *pool, const host_location *location, int *out)
{
    host_error error = out && location ? face_pool_check(pool) : HOST_INVALID_VALUE;
    if (!error && host_location_check(host_get(), *location))
        error = HOST_INVALID_VALUE; /* as an H100 answers, of devices too */
    if (!error) *out = host_pool_access(host_get(), pool, location->type, location->id);
    return error;
}
