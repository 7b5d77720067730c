/* describe: an address beside an allocation, in words. */
#include "memory/memory.h"

#include "base/mapping.h"

#include <stdio.h>
#include <string.h>

/* The calls that allocate and free most memory of a kind. */
typedef struct kind_words {
    const char *what, *made_by, *freed_by; /* what: with a name behind it, if it has one */
} kind_words;

static const kind_words words[MEM_KIND_COUNT] = {
    [MEM_DEVICE] = {"a block", "cudaMalloc", "cudaFree"},
    [MEM_MANAGED] = {"a managed block", "cudaMallocManaged", "cudaFree"},
    [MEM_PINNED] = {"a pinned block", "cudaMallocHost", "cudaFreeHost"},
    [MEM_REGISTERED] = {"a registered block", "cudaHostRegister", "cudaHostUnregister"},
    [MEM_GLOBAL_VAR] = {"__device__ variable", "", ""},
    [MEM_CONST_VAR] = {"__constant__ variable", "", ""},
    [MEM_INTERNAL] = {"internal memory", "", ""},
    [MEM_HEAP] = {"the heap of the device", "", ""},
};

static const char *ordinal(uint64_t n)
{
    uint64_t tens = n / 10 % 10;
    if (tens == 1) return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

/* " allocated at reduce.cu:41", or nothing. */
static void say_place(const mem_window *window, const char *verb, uint32_t place, char *out, size_t size)
{
    char where[200];
    mem_name_place(window, place, where, sizeof where);
    if (where[0]) snprintf(out, size, " %s at %s", verb, where);
    else out[0] = 0;
}

static const char *made_by(const mem_allocation *a)
{
    return a->flags & MEM_ASYNC && a->kind == MEM_DEVICE ? "cudaMallocAsync" : words[a->kind].made_by;
}

static void live_name(const mem_window *window, const mem_allocation *a, char *out, size_t size)
{
    if (a->mapped) {
        snprintf(out, size, "a mapping of %llu bytes (cuMemMap)", (unsigned long long)a->bytes);
        return;
    }
    const kind_words *w = &words[a->kind];
    bool is_array = a->kind == MEM_DEVICE && a->name[0];
    unsigned long long bytes = a->bytes, number = a->number;
    const char *plural = bytes == 1 ? "" : "s";
    char made[240];
    say_place(window, "allocated", a->made_at, made, sizeof made);
    if (!a->number)
        snprintf(out, size, "%s %s of %llu byte%s%s", is_array ? "a CUDA" : w->what, a->name, bytes, plural, made);
    else
        snprintf(out, size, "%s of %llu byte%s%s (the %llu%s %s)", w->what, bytes, plural, made, number,
                 ordinal(number), made_by(a));
}

/* "allocated at reduce.cu:41 (the 1st cudaMalloc)", or "allocated by the 1st cudaMalloc". */
static void say_call(const mem_window *window, const char *verb, uint32_t place, uint64_t number, const char *call,
                     char *out, size_t size)
{
    char where[200];
    unsigned long long n = number;
    mem_name_place(window, place, where, sizeof where);
    if (where[0]) snprintf(out, size, "%s at %s (the %llu%s %s)", verb, where, n, ordinal(n), call);
    else snprintf(out, size, "%s by the %llu%s %s", verb, n, ordinal(n), call);
}

static void freed_name(const mem_window *window, const mem_allocation *a, char *out, size_t size)
{
    char made[260];
    char freed[260];
    say_call(window, "allocated", a->made_at, a->number, made_by(a), made, sizeof made);
    say_call(window, "freed", a->freed_at, a->freed_number, a->freed_async ? "cudaFreeAsync" : words[a->kind].freed_by,
             freed, sizeof freed);
    snprintf(out, size, "%llu bytes at 0x%llx, %s, %s", (unsigned long long)a->bytes, (unsigned long long)a->address,
             made, freed);
}

void mem_describe_block(const mem_window *window, const mem_allocation *a, char *out, size_t size)
{
    if (a->freed && a->freed_number) freed_name(window, a, out, size);
    else live_name(window, a, out, size);
}

void mem_describe(const mem_window *window, const mem_allocation *a, uint64_t address, char *out, size_t size)
{
    char which[640];
    char where[64];
    uint64_t end = a->address + a->bytes;
    const char *freed = a->freed ? "freed memory" : "";
    mem_describe_block(window, a, which, sizeof which);
    if (address >= a->address && address < end) {
        snprintf(out, size, "inside %s%s%s", freed, *freed ? ": " : "", which);
        return;
    }
    uint64_t distance = address < a->address ? a->address - address : address - end;
    if (distance) snprintf(where, sizeof where, "%llu byte%s ", (unsigned long long)distance, distance == 1 ? "" : "s");
    else snprintf(where, sizeof where, "just ");
    snprintf(out, size, "%s%s %s%s%s", where, address < a->address ? "before" : "past the end of", freed,
             *freed ? ": " : "", which);
}

/* Addresses of the device where no allocation is near; NULL: it is none. */
static const char *unallocated(uint64_t address)
{
    if (mem_in_shared_window(address)) return "an address of shared memory; as one of global memory it is none";
    if (mem_in_local_window(address))
        return "an address of a thread's local memory; as one of global memory it is none, and other threads and the "
               "host "
               "cannot use it";
    if (mem_in_window(address))
        return "device memory that is not allocated; the pointer or the index may be uninitialised or computed wrongly";
    return NULL;
}

void mem_describe_host(uint64_t address, char *out, size_t size)
{
    lw_mapping map;
    const char *of_device = unallocated(address);
    if (address < 4096) {
        snprintf(out, size, "a null pointer");
    } else if (of_device) {
        snprintf(out, size, "%s", of_device);
    } else if (!lw_mapping_at(address, &map)) {
        snprintf(out, size, "no memory is there; the pointer may be uninitialised or computed wrongly");
    } else if (!strcmp(map.name, "[stack]")) {
        snprintf(out, size, "a local variable of the host; copy it to memory of cudaMalloc, or pass it by value");
    } else if (map.file[0]) {
        const char *slash = strrchr(map.file, '/');
        snprintf(out, size, "a %s of the host (in %s); %s", map.writable ? "global variable" : "constant or function",
                 slash + 1, "__device__, __constant__ or __managed__ makes a variable of the device");
    } else {
        snprintf(out, size,
                 "pageable memory of the host (malloc, new); use cudaMallocManaged, or cudaMalloc with cudaMemcpy");
    }
}
