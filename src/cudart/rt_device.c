/* Devices, and which one is current. Properties are attributes under other names. */
#include <stdio.h>
#include <string.h>

#include "cudart/cudart.h"

host_error rt_check_device(int device)
{
    host_context *c = host_get();
    host_error error = host_no_device(c);
    if (error) return error;
    return host_device_exists(c, device) ? 0 : HOST_INVALID_DEVICE;
}

RT(cudaGetDeviceCount)(int *count)
{
    if (!count) return rt_end(HOST_INVALID_VALUE);
    host_error error = host_no_device(host_get());
    if (error) return rt_end(error);
    *count = (int)host_device_count(host_get());
    return rt_end(0);
}

RT(cudaGetDevice)(int *device)
{
    if (!device) return rt_end(HOST_INVALID_VALUE);
    *device = (int)host_device_current(host_get());
    return rt_end(rt_check_device(0));
}

RT(cudaSetDevice)(int device)
{
    host_error error = rt_check_device(device);
    if (error) return rt_end(error);
    rt_use();
    host_device_set(host_get(), (uint32_t)device);
    return rt_end(0);
}

RT(cudaInitDevice)(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    host_error error = rt_check_device(device);
    if (!error) rt_use();
    return rt_end(error);
}

RT(cudaSetValidDevices)(int *devices, int count)
{
    if (count < 0 || (count && !devices)) return rt_end(HOST_INVALID_VALUE);
    for (int i = 0; i < count; i++)
        if (!host_device_exists(host_get(), devices[i])) return rt_end(HOST_INVALID_DEVICE);
    host_error error = rt_check_device(0);
    if (!error && count) host_device_set(host_get(), (uint32_t)devices[0]);
    return rt_end(error);
}

RT(cudaChooseDevice)(int *device, const rt_device_prop *prop)
{
    if (!device || !prop) return rt_end(HOST_INVALID_VALUE);
    *device = 0;
    return rt_end(rt_check_device(0));
}

RT(cudaSetDeviceFlags)(unsigned flags)
{
    bool known = !(flags & ~0x1fu) && face_schedule_known(flags);
    if (known) host_device_flags(host_get(), &flags, true);
    return rt_end(known ? 0 : HOST_INVALID_VALUE);
}

RT(cudaGetDeviceFlags)(unsigned *flags)
{
    if (!flags) return rt_end(HOST_INVALID_VALUE);
    host_device_flags(host_get(), flags, false);
    *flags |= 8; /* cudaDeviceMapHost */
    return rt_end(0);
}

RT(cudaDeviceGetAttribute)(int *value, int attribute, int device)
{
    host_error error = rt_check_device(device);
    return rt_end(error ? error : host_device_attribute(host_get(), (uint32_t)device, attribute, value));
}

static const struct {
    size_t offset, bytes; /* of the field */
    int attribute;
} properties[] = {
#define PROPERTY(field, name)                                                                                          \
    {offsetof(rt_device_prop, field), sizeof(((rt_device_prop *)0)->field), HOST_DEVICE_##name},
#include "cudart/properties.def"
#undef PROPERTY
};

static void fill_from_attributes(host_context *context, uint32_t device, rt_device_prop *out)
{
    for (size_t i = 0; i < LW_COUNT(properties); i++) {
        int value = 0;
        host_device_attribute(context, device, properties[i].attribute, &value);
        size_t wide = (size_t)value; /* an int field takes its low half */
        memcpy((char *)out + properties[i].offset, &wide, properties[i].bytes);
    }
}

RT(cudaGetDeviceProperties)(rt_device_prop *out, int device)
{
    host_context *c = host_get();
    host_error error = out ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (error) return rt_end(error);
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", host_device_name(c));
    host_device_uuid(c, (uint32_t)device, out->uuid);
    out->total_global_mem = host_device_memory_bytes(c);
    fill_from_attributes(c, (uint32_t)device, out);
    return rt_end(0);
}

RT(cudaDeviceSynchronize)(void)
{
    rt_use();
    return rt_end(host_synchronize(host_get()));
}

RT(cudaDeviceReset)(void)
{
    host_context *c = host_get();
    return rt_end(host_reset_device(c, host_device_current(c)));
}

RT(cudaDeviceGetTexture1DLinearMaxWidth)(size_t *out, const rt_channel_desc *desc, int device)
{
    int width = 0;
    host_error error = out && desc ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = host_device_attribute(host_get(), 0, HOST_DEVICE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, &width);
    if (!error) *out = (size_t)width;
    return rt_end(error);
}

RT(cudaDeviceEnablePeerAccess)(int peer, unsigned flags)
{
    host_error error = rt_check_device(peer);
    if (!error && flags) error = HOST_INVALID_VALUE;
    rt_use();
    if (!error) error = host_peer_enable(host_get(), host_device_current(host_get()), (uint32_t)peer);
    return rt_end(error);
}

RT(cudaDeviceDisablePeerAccess)(int peer)
{
    host_error error = rt_check_device(peer);
    if (!error) error = host_peer_disable(host_get(), host_device_current(host_get()), (uint32_t)peer);
    return rt_end(error);
}
