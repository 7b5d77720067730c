/* Devices: their attributes come from the profile they all have. Each can be the peer of every other one. */
#include <stdio.h>
#include <string.h>

#include "face/face.h"

int face_device_attribute(int attribute)
{
    int value = 0;
    host_device_attribute(host_get(), 0, attribute, &value);
    return value;
}

host_error face_pci_bus_id(const face *self, char *out, int length, int device)
{
    host_error error = out && length > 0 ? self->check_device(device) : HOST_INVALID_VALUE;
    if (error) return error;
    int number = 0;
    host_device_attribute(host_get(), (uint32_t)device, HOST_DEVICE_PCI_DEVICE_ID, &number);
    snprintf(out, (size_t)length, "%04x:%02x:%02x.0", face_device_attribute(HOST_DEVICE_PCI_DOMAIN_ID),
             face_device_attribute(HOST_DEVICE_PCI_BUS_ID), number);
    return 0;
}

/* The name is domain:bus:device.function, or bus:device.function. */
host_error face_device_by_pci_bus_id(const face *self, int *out, const char *id)
{
    char own[32];
    size_t domain = strlen("0000:");
    if (!out || !id) return HOST_INVALID_VALUE;
    for (int device = 0; device < (int)host_device_count(host_get()); device++) {
        host_error error = face_pci_bus_id(self, own, sizeof own, device);
        if (error) return error;
        *out = device;
        if (!strcmp(own, id) || !strcmp(own + domain, id)) return 0;
    }
    *out = 0;
    return HOST_INVALID_DEVICE;
}

bool face_schedule_known(unsigned flags)
{
    enum { AUTO = 0, SPIN = 1, YIELD = 2, BLOCKING_SYNC = 4, MASK = 7 }; /* cudaDeviceSchedule..., CU_CTX_SCHED_... */
    unsigned schedule = flags & MASK;
    return schedule == AUTO || schedule == SPIN || schedule == YIELD || schedule == BLOCKING_SYNC;
}

host_error face_limit(size_t *out, int limit)
{
    uint64_t value = 0;
    host_error error = out ? host_limit_get(host_get(), limit, &value) : HOST_INVALID_VALUE;
    if (!error) *out = value;
    return error;
}

host_error face_priority_range(int *out_least, int *out_greatest)
{
    if (out_least) *out_least = 0;
    if (out_greatest) *out_greatest = -5;
    return 0;
}

host_error face_version(int *out)
{
    if (!out) return HOST_INVALID_VALUE;
    *out = FACE_VERSION;
    return 0;
}

/* ---- peers ---- */
host_error face_can_access_peer(const face *self, int *out, int device, int peer)
{
    host_error error = out ? self->check_device(device) : HOST_INVALID_VALUE;
    if (!error) error = self->check_device(peer);
    if (!error) *out = host_peer_possible(host_get(), (uint32_t)device, (uint32_t)peer);
    return error;
}

/* cudaDeviceP2PAttr, CUdevice_P2PAttribute */
enum { PERFORMANCE_RANK = 1, ACCESS_SUPPORTED, NATIVE_ATOMICS, ARRAY_ACCESS };

/* As of devices that are joined by NVLink; not recorded. */
host_error face_peer_attribute(const face *self, int *out, int attribute, int from, int to)
{
    host_error error = out ? self->check_device(from) : HOST_INVALID_VALUE;
    if (!error) error = self->check_device(to);
    if (!error && from == to) error = HOST_INVALID_DEVICE;
    if (!error && (attribute < PERFORMANCE_RANK || attribute > ARRAY_ACCESS)) error = HOST_INVALID_VALUE;
    if (!error) *out = attribute != PERFORMANCE_RANK; /* the best rank is 0 */
    return error;
}

/* ---- memory of graphs comes from the one device memory: none is held back ---- */
/* cudaGraphMemAttributeType */
enum { USED_CURRENT, USED_HIGH, RESERVED_CURRENT, RESERVED_HIGH };

host_error face_graph_memory_attribute(const face *self, int device, int attribute, void *out)
{
    bool known = attribute >= USED_CURRENT && attribute <= RESERVED_HIGH;
    host_error error = out && known ? self->check_device(device) : HOST_INVALID_VALUE;
    if (!error) *(uint64_t *)out = 0;
    return error;
}

host_error face_graph_memory_set_attribute(const face *self, int device, int attribute, const void *value)
{
    bool resettable = attribute == USED_HIGH || attribute == RESERVED_HIGH;
    return value && resettable ? self->check_device(device) : HOST_INVALID_VALUE;
}
