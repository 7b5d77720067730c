/* Devices as their profile describes them. A handle is the device's number plus one. */
#include <stdio.h>
#include <string.h>

#include "nvml/nvml.h"

#define DRIVER "580.65.06" /* the first driver of FACE_VERSION (release notes of CUDA 13.0) */
#define NVML(type, name) type lw_nvml_##name

static int started; /* calls of nvmlInit less those of nvmlShutdown */

/* ---------------------------------------------------------------- the library */
NVML(int, nvmlInit_v2)(void)
{
    host_error error = host_status(host_get());
    if (error) return NVML_UNINITIALIZED;
    __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
    return NVML_OK;
}
NVML(int, nvmlInit)(void) { return lw_nvml_nvmlInit_v2(); }
NVML(int, nvmlInitWithFlags)(unsigned flags)
{
    (void)flags;
    return lw_nvml_nvmlInit_v2();
}

static bool is_started(void) { return __atomic_load_n(&started, __ATOMIC_RELAXED) > 0; }

NVML(int, nvmlShutdown)(void)
{
    if (!is_started()) return NVML_UNINITIALIZED;
    __atomic_sub_fetch(&started, 1, __ATOMIC_RELAXED);
    return NVML_OK;
}

NVML(const char *, nvmlErrorString)(int status)
{
    switch (status) {
    case NVML_OK: return "The operation was successful";
    case NVML_UNINITIALIZED: return "NVML was not first initialized with nvmlInit()";
    case NVML_INVALID_ARGUMENT: return "A supplied argument is invalid";
    case NVML_NOT_SUPPORTED: return "The requested operation is not available on target device";
    case NVML_NOT_FOUND: return "A query to find an object was unsuccessful";
    case NVML_INSUFFICIENT_SIZE: return "An input argument is not large enough";
    case NVML_ARGUMENT_VERSION_MISMATCH: return "The provided version is invalid/unsupported";
    default: return "An unknown error";
    }
}

static int give_text(char *out, unsigned room, const char *text)
{
    if (!is_started()) return NVML_UNINITIALIZED;
    if (!out) return NVML_INVALID_ARGUMENT;
    if (strlen(text) >= room) return NVML_INSUFFICIENT_SIZE;
    strcpy(out, text);
    return NVML_OK;
}

NVML(int, nvmlSystemGetDriverVersion)(char *out, unsigned room) { return give_text(out, room, DRIVER); }
NVML(int, nvmlSystemGetNVMLVersion)(char *out, unsigned room) { return give_text(out, room, "13." DRIVER); }

NVML(int, nvmlSystemGetCudaDriverVersion_v2)(int *out)
{
    if (!out) return NVML_INVALID_ARGUMENT;
    *out = FACE_VERSION;
    return NVML_OK;
}
NVML(int, nvmlSystemGetCudaDriverVersion)(int *out) { return lw_nvml_nvmlSystemGetCudaDriverVersion_v2(out); }

/* ---------------------------------------------------------------- devices and their handles */
static uint32_t device_count(void) { return host_device_count(host_get()); }

NVML(int, nvmlDeviceGetCount_v2)(unsigned *out)
{
    if (!is_started()) return NVML_UNINITIALIZED;
    if (!out) return NVML_INVALID_ARGUMENT;
    *out = device_count();
    return NVML_OK;
}
NVML(int, nvmlDeviceGetCount)(unsigned *out) { return lw_nvml_nvmlDeviceGetCount_v2(out); }

static int give_handle(uintptr_t *out, uint32_t device)
{
    *out = device + 1u;
    return NVML_OK;
}

/* Checks the arguments of a call that asks for something of a device. */
static int find_device(uintptr_t handle, const void *out, uint32_t *device)
{
    if (!is_started()) return NVML_UNINITIALIZED;
    if (!out || !handle || handle > device_count()) return NVML_INVALID_ARGUMENT;
    *device = (uint32_t)handle - 1;
    return NVML_OK;
}

NVML(int, nvmlDeviceGetHandleByIndex_v2)(unsigned index, uintptr_t *out)
{
    if (!is_started()) return NVML_UNINITIALIZED;
    return out && index < device_count() ? give_handle(out, index) : NVML_INVALID_ARGUMENT;
}
NVML(int, nvmlDeviceGetHandleByIndex)(unsigned index, uintptr_t *out)
{
    return lw_nvml_nvmlDeviceGetHandleByIndex_v2(index, out);
}

static int attribute_of(uint32_t device, int attribute)
{
    int value = 0;
    host_device_attribute(host_get(), device, attribute, &value);
    return value;
}

typedef struct nvml_pci { /* nvmlPciInfo_t */
    char legacy_id[16];
    unsigned domain, bus, device, vendor, subsystem;
    char id[32];
} nvml_pci;

static nvml_pci pci_of(uint32_t device)
{
    nvml_pci p = {.domain = (unsigned)attribute_of(device, HOST_DEVICE_PCI_DOMAIN_ID),
                  .bus = (unsigned)attribute_of(device, HOST_DEVICE_PCI_BUS_ID),
                  .device = (unsigned)attribute_of(device, HOST_DEVICE_PCI_DEVICE_ID)};
    snprintf(p.legacy_id, sizeof p.legacy_id, "%04X:%02X:%02X.0", p.domain & 0xffff, p.bus & 0xff, p.device & 0xff);
    snprintf(p.id, sizeof p.id, "%08X:%02X:%02X.0", p.domain, p.bus & 0xff, p.device & 0xff);
    return p;
}

/* The name is domain:bus:device.function in hexadecimal digits, the domain with four or eight. */
NVML(int, nvmlDeviceGetHandleByPciBusId_v2)(const char *id, uintptr_t *out)
{
    unsigned domain, bus, device;
    if (!is_started()) return NVML_UNINITIALIZED;
    if (!id || !out || sscanf(id, "%x:%x:%x", &domain, &bus, &device) != 3) return NVML_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < device_count(); i++) {
        nvml_pci p = pci_of(i);
        if (p.domain == domain && p.bus == bus && p.device == device) return give_handle(out, i);
    }
    return NVML_NOT_FOUND;
}
NVML(int, nvmlDeviceGetHandleByPciBusId)(const char *id, uintptr_t *out)
{
    return lw_nvml_nvmlDeviceGetHandleByPciBusId_v2(id, out);
}

enum { UUID_ROOM = 80 }; /* NVML_DEVICE_UUID_V2_BUFFER_SIZE is 96 */
static void uuid_of(uint32_t device, char out[UUID_ROOM])
{
    uint8_t u[16];
    host_device_uuid(host_get(), device, u);
    int n = snprintf(out, UUID_ROOM, "GPU-");
    for (int i = 0; i < 16; i++)
        n += snprintf(out + n, (size_t)(UUID_ROOM - n), "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                      u[i]);
}

NVML(int, nvmlDeviceGetHandleByUUID)(const char *uuid, uintptr_t *out)
{
    char own[UUID_ROOM];
    if (!is_started()) return NVML_UNINITIALIZED;
    if (!uuid || !out) return NVML_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < device_count(); i++) {
        uuid_of(i, own);
        if (!strcmp(own, uuid)) return give_handle(out, i);
    }
    return NVML_NOT_FOUND;
}

/* ---------------------------------------------------------------- what a device is */
NVML(int, nvmlDeviceGetIndex)(uintptr_t handle, unsigned *out)
{
    uint32_t device;
    int status = find_device(handle, out, &device);
    if (!status) *out = device;
    return status;
}
NVML(int, nvmlDeviceGetMinorNumber)(uintptr_t handle, unsigned *out) { return lw_nvml_nvmlDeviceGetIndex(handle, out); }

NVML(int, nvmlDeviceGetName)(uintptr_t handle, char *out, unsigned room)
{
    uint32_t device;
    int status = find_device(handle, out, &device);
    return status ? status : give_text(out, room, host_device_name(host_get()));
}

NVML(int, nvmlDeviceGetUUID)(uintptr_t handle, char *out, unsigned room)
{
    uint32_t device;
    char own[UUID_ROOM];
    int status = find_device(handle, out, &device);
    if (status) return status;
    uuid_of(device, own);
    return give_text(out, room, own);
}

NVML(int, nvmlDeviceGetPciInfo_v3)(uintptr_t handle, nvml_pci *out)
{
    uint32_t device;
    int status = find_device(handle, out, &device);
    if (!status) *out = pci_of(device);
    return status;
}

NVML(int, nvmlDeviceGetCudaComputeCapability)(uintptr_t handle, int *major, int *minor)
{
    uint32_t device;
    int status = find_device(handle, minor ? major : NULL, &device);
    if (status) return status;
    *major = attribute_of(device, HOST_DEVICE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute_of(device, HOST_DEVICE_COMPUTE_CAPABILITY_MINOR);
    return NVML_OK;
}

NVML(int, nvmlDeviceGetMemoryBusWidth)(uintptr_t handle, unsigned *out)
{
    uint32_t device;
    int status = find_device(handle, out, &device);
    if (!status) *out = (unsigned)attribute_of(device, HOST_DEVICE_GLOBAL_MEMORY_BUS_WIDTH);
    return status;
}

typedef struct nvml_memory { /* nvmlMemory_t */
    uint64_t total, available, used;
} nvml_memory;
typedef struct nvml_memory_v2 { /* nvmlMemory_v2_t */
    unsigned version;
    uint64_t total, reserved, available, used;
} nvml_memory_v2;

NVML(int, nvmlDeviceGetMemoryInfo)(uintptr_t handle, nvml_memory *out)
{
    uint32_t device;
    int status = find_device(handle, out, &device);
    if (status) return status;
    host_memory_info(host_get(), device, &out->available, &out->total);
    out->used = out->total - out->available;
    return NVML_OK;
}

NVML(int, nvmlDeviceGetMemoryInfo_v2)(uintptr_t handle, nvml_memory_v2 *out)
{
    uint32_t device;
    int status = find_device(handle, out, &device);
    if (status) return status;
    if (out->version != (sizeof *out | 2u << 24)) return NVML_ARGUMENT_VERSION_MISMATCH;
    host_memory_info(host_get(), device, &out->available, &out->total);
    out->reserved = 0;
    out->used = out->total - out->available;
    return NVML_OK;
}
