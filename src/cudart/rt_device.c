/* Devices: there is one. Properties are its attributes under other names. */
#include <stdio.h>
#include <string.h>

#include "cudart/cudart.h"

host_error rt_check_device(int device)
{
    host_context *c = rt_context();
    host_error error = host_status(c);
    if (error == HOST_NO_DEVICE) return error;
    return device == 0 ? 0 : HOST_INVALID_DEVICE;
}

RT(cudaGetDeviceCount)(int *count)
{
    if (!count) return rt_end(HOST_INVALID_VALUE);
    host_error error = host_status(rt_context());
    *count = error == HOST_NO_DEVICE ? 0 : 1;
    return rt_end(error == HOST_NO_DEVICE ? error : 0);
}

RT(cudaGetDevice)(int *device)
{
    if (!device) return rt_end(HOST_INVALID_VALUE);
    *device = 0;
    return rt_end(rt_check_device(0));
}

RT(cudaSetDevice)(int device)
{
    host_error error = rt_check_device(device);
    if (!error) rt_use();
    return rt_end(error);
}

RT(cudaInitDevice)(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return lw_cudart_cudaSetDevice(device);
}

RT(cudaSetValidDevices)(int *devices, int count)
{
    if (count < 0 || (count && !devices)) return rt_end(HOST_INVALID_VALUE);
    for (int i = 0; i < count; i++)
        if (devices[i] != 0) return rt_end(HOST_INVALID_DEVICE);
    return rt_end(rt_check_device(0));
}

RT(cudaChooseDevice)(int *device, const rt_device_prop *prop)
{
    if (!device || !prop) return rt_end(HOST_INVALID_VALUE);
    *device = 0;
    return rt_end(rt_check_device(0));
}

RT(cudaSetDeviceFlags)(unsigned flags)
{
    unsigned schedule = flags & 7; /* auto, spin, yield, blocking sync: one of them */
    bool known = !(flags & ~0x1fu) && (schedule == 0 || schedule == 1 || schedule == 2 || schedule == 4);
    return rt_end(known ? 0 : HOST_INVALID_VALUE);
}

RT(cudaGetDeviceFlags)(unsigned *flags)
{
    if (!flags) return rt_end(HOST_INVALID_VALUE);
    *flags = 8; /* cudaDeviceMapHost */
    return rt_end(0);
}

RT(cudaDeviceGetAttribute)(int *value, int attribute, int device)
{
    host_error error = rt_check_device(device);
    return rt_end(error ? error : host_device_attribute(rt_context(), attribute, value));
}

static const struct {
    size_t offset, bytes; /* of the field */
    int attribute;
} properties[] = {
#define PROPERTY(field, attribute) {offsetof(rt_device_prop, field), sizeof(((rt_device_prop *)0)->field), attribute},
#include "cudart/properties.def"
#undef PROPERTY
};

static void fill_from_attributes(host_context *context, rt_device_prop *out)
{
    for (size_t i = 0; i < LW_COUNT(properties); i++) {
        int value = 0;
        host_device_attribute(context, properties[i].attribute, &value);
        size_t wide = (size_t)value; /* an int field takes its low half */
        memcpy((char *)out + properties[i].offset, &wide, properties[i].bytes);
    }
}

RT(cudaGetDeviceProperties)(rt_device_prop *out, int device)
{
    host_context *c = rt_context();
    host_error error = out ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (error) return rt_end(error);
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", host_device_name(c));
    host_device_uuid(c, out->uuid);
    out->total_global_mem = host_device_memory_bytes(c);
    fill_from_attributes(c, out);
    return 0;
}

RT(cudaDeviceGetPCIBusId)(char *out, int length, int device)
{
    host_error error = out && length > 0 ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (error) return rt_end(error);
    int bus = 0, slot = 0, domain = 0;
    host_device_attribute(rt_context(), 33, &bus);
    host_device_attribute(rt_context(), 34, &slot);
    host_device_attribute(rt_context(), 50, &domain);
    snprintf(out, (size_t)length, "%04x:%02x:%02x.0", domain, bus, slot);
    return 0;
}

RT(cudaDeviceGetByPCIBusId)(int *device, const char *id)
{
    char own[32];
    if (!device || !id) return rt_end(HOST_INVALID_VALUE);
    int error = lw_cudart_cudaDeviceGetPCIBusId(own, sizeof own, 0);
    if (error) return error;
    *device = 0;
    return rt_end(strcmp(own, id) && strcmp(own + 5, id) ? HOST_INVALID_DEVICE : 0);
}

RT(cudaDeviceSynchronize)(void)
{
    rt_use();
    return rt_end(host_synchronize(rt_context()));
}

RT(cudaDeviceReset)(void) { return rt_end(host_reset(rt_context())); }

RT(cudaDeviceGetLimit)(size_t *out, int limit)
{
    uint64_t value = 0;
    host_error error = out ? host_limit_get(rt_context(), limit, &value) : HOST_INVALID_VALUE;
    if (!error) *out = value;
    return rt_end(error);
}

RT(cudaDeviceSetLimit)(int limit, size_t value) { return rt_end(host_limit_set(rt_context(), limit, value)); }

/* Cache preferences are hints without effect on results; they are kept so that programs read back what they set. */
RT(cudaDeviceGetCacheConfig)(int *out)
{
    return rt_end(out ? host_cache_config(rt_context(), out, false) : HOST_INVALID_VALUE);
}

RT(cudaDeviceSetCacheConfig)(int config) { return rt_end(host_cache_config(rt_context(), &config, true)); }

RT(cudaDeviceGetSharedMemConfig)(int *out)
{
    return rt_end(out ? host_bank_config(rt_context(), out, false) : HOST_INVALID_VALUE);
}

RT(cudaDeviceSetSharedMemConfig)(int config) { return rt_end(host_bank_config(rt_context(), &config, true)); }

RT(cudaDeviceGetStreamPriorityRange)(int *least, int *greatest)
{
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return rt_end(0);
}

RT(cudaCtxResetPersistingL2Cache)(void) { return rt_end(host_status(rt_context())); }

RT(cudaDeviceGetTexture1DLinearMaxWidth)(size_t *out, const rt_channel_desc *desc, int device)
{
    int width = 0;
    host_error error = out && desc ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = host_device_attribute(rt_context(), 69, &width);
    if (!error) *out = (size_t)width;
    return rt_end(error);
}

/* ---- peers: there are none ---- */
RT(cudaDeviceCanAccessPeer)(int *out, int device, int peer)
{
    host_error error = out ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = rt_check_device(peer);
    if (!error) *out = 0;
    return rt_end(error);
}

RT(cudaDeviceEnablePeerAccess)(int peer, unsigned flags)
{
    host_error error = rt_check_device(peer);
    if (!error && flags) error = HOST_INVALID_VALUE;
    return rt_end(error ? error : HOST_PEER_ACCESS_UNSUPPORTED);
}

RT(cudaDeviceDisablePeerAccess)(int peer)
{
    host_error error = rt_check_device(peer);
    return rt_end(error ? error : HOST_PEER_ACCESS_NOT_ENABLED);
}

RT(cudaDeviceGetP2PAttribute)(int *out, int attribute, int from, int to)
{
    (void)attribute;
    host_error error = out ? rt_check_device(from) : HOST_INVALID_VALUE;
    if (!error) error = rt_check_device(to);
    return rt_end(error ? error : HOST_INVALID_DEVICE); /* the two must differ */
}

RT(cudaDeviceGraphMemTrim)(int device) { return rt_end(rt_check_device(device)); }

RT(cudaDeviceGetGraphMemAttribute)(int device, int attribute, void *value)
{
    host_error error = value && attribute >= 0 && attribute <= 3 ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *(uint64_t *)value = 0; /* memory of graphs comes from the one device memory: none is held back */
    return rt_end(error);
}

RT(cudaDeviceSetGraphMemAttribute)(int device, int attribute, void *value)
{
    bool high = attribute == 1 || attribute == 3;
    return rt_end(value && high ? rt_check_device(device) : HOST_INVALID_VALUE);
}
