/* The mistakes that programs make with pointers: what a wrong one points to, and what would be right. */
#include "host/refuse_memory.h"

#include "host/device.h"
#include "host/devices.h"
#include "host/refuse.h"
#include "host/state_priv.h"

typedef unsigned long long ull; /* what printf takes */

host_error host_refuse_side(host_context *c, const char *name, uint64_t address, uint64_t bytes)
{
    const host_error error = HOST_INVALID_VALUE;
    mem_allocation a;
    if (!address) return host_refuse(error, "The address of %s is NULL: was it allocated, and did that succeed?", name);
    if (mem_find(c->memory, address, &a)) {
        uint64_t offset = address - a.address;
        char block[640];
        mem_describe_block(c->memory, &a, block, sizeof block);
        return host_refuse(error,
                           "The call reaches %llu bytes into %s, which begins %llu bytes into %s: %llu too far. Sizes "
                           "are in bytes: elements times sizeof(element).",
                           (ull)bytes, name, (ull)offset, block, (ull)(bytes - (a.bytes - offset)));
    }
    if (!mem_in_window(address))
        return host_refuse(error, "The address of %s is the host's (malloc, new, a variable), not the device's.", name);
    if (mem_nearest(c->memory, address, &a) && address - a.address < a.bytes && a.freed) {
        char block[640];
        mem_describe_block(c->memory, &a, block, sizeof block);
        return host_refuse(error, "The memory of %s was freed: %s.", name, block);
    }
    return host_refuse(error, "The address of %s lies in no allocation.", name);
}

host_error host_refuse_direction(bool destination)
{
    if (destination)
        return host_refuse(
            HOST_INVALID_VALUE,
            "The kind says that the destination is on the device; it is memory of the host. The order is "
            "destination, source; to the host it is cudaMemcpyDeviceToHost, and cudaMemcpyDefault always "
            "fits.");
    return host_refuse(
        HOST_INVALID_VALUE,
        "The kind says that the source is on the device; it is memory of the host. The order is destination, "
        "source; to the device it is cudaMemcpyHostToDevice, and cudaMemcpyDefault always fits.");
}

host_error host_refuse_free(host_context *c, uint64_t address, bool pinned)
{
    const host_error error = HOST_INVALID_VALUE;
    mem_allocation a;
    if (mem_find(c->memory, address, &a)) {
        if (a.name[0]) return host_refuse(error, "The address is that of the variable %s, which is not freed.", a.name);
        if (a.kind == MEM_REGISTERED)
            return host_refuse(error,
                               "The memory is the host's and only registered: cudaHostUnregister, then free it as "
                               "it was allocated.");
        if (a.address != address)
            return host_refuse(error,
                               "The address lies %llu bytes inside an allocation: free the one that the allocation "
                               "returned.",
                               (ull)(address - a.address));
        if (pinned) return host_refuse(error, "The memory is the device's: free it with cudaFree.");
        return host_refuse(error, "The memory is pinned memory of the host: free it with cudaFreeHost.");
    }
    if (!mem_in_window(address))
        return host_refuse(error, "The memory is the host's (malloc, new, a variable), not allocated with CUDA.");
    if (mem_nearest(c->memory, address, &a) && a.address == address && a.freed) {
        char block[640];
        mem_describe_block(c->memory, &a, block, sizeof block);
        return host_refuse(error, "The memory was freed already: %s.", block);
    }
    return host_refuse(error, "The address is of no allocation.");
}

host_error host_refuse_allocation(host_context *c, uint64_t bytes)
{
    uint64_t available = 0;
    uint64_t total = 0;
    host_memory_info(c, host_device_current(c), &available, &total);
    return host_refuse(
        HOST_MEMORY_ALLOCATION,
        "%llu bytes are asked for; %llu of the device's %llu are free. A size that came out negative or in "
        "the wrong unit is enormous; `lanewise run --memory SIZE` sets how much the device has.",
        (ull)bytes, (ull)available, (ull)total);
}
