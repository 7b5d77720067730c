/* memory: the device's address space on the host.
 *
 * Device memory has its addresses in one window (MEM_WINDOW) and its storage in another (MEM_STORAGE), at a constant
 * distance. The first is never accessible: the host faults there, as it does on a machine with a GPU. Whoever carries
 * out what a device address names goes through mem_storage(); whoever forgets faults. Managed and pinned memory, which
 * the host shares, come from a third window (MEM_SHARED_WITH_HOST) and are their own storage, as is memory that the
 * program registered. All three lie at fixed addresses and are committed on use, so that addresses (and counters)
 * repeat from run to run. Allocations of 2 MiB and more are aligned to 2 MiB, smaller ones lie where a card places them
 * in its chunks of 2 MiB, one to a chunk (pools.c), or aligned to 512 bytes (2 MiB from 1 MiB up). Behind each lies
 * what a card's rounding leaves it (its slack: it keeps what is written there), then a red zone of MEM_RED_ZONE bytes
 * that holds nothing; what a card maps beside that is MEM_BESIDE. What is not the program's (mem_is_internal) lies in the last
 * part of the first window. Host memory registered by the program lies outside
 * the windows and is looked up in the same table.
 *
 * A freed allocation is quarantined: its addresses are not given out again before MEM_QUARANTINE_BLOCKS others, or
 * others of MEM_QUARANTINE_BYTES of addresses, have been freed (or the window is full). Blocks of up to 1 MiB keep what
 * they hold meanwhile, MEM_QUARANTINE_KEPT bytes of them; what is larger gives its pages back at once.
 *
 * Two more ranges are reserved and never mapped, the generic windows of shared and local memory:
 * generic address of byte o of the shared memory of cluster rank r = MEM_SHARED_WINDOW + (r << 24) + o;
 * generic address of byte o of a thread's local memory = MEM_LOCAL_WINDOW + o (the same number in every thread).
 *
 * Thread safety: every function may be called from any thread. */
#ifndef LW_MEMORY_H
#define LW_MEMORY_H

#include "base/base.h"

/* Below the lowest address the kernel gives a position-independent program (0x555555554000) and far below libraries and
 * stacks under every setting of vm.mmap_rnd_bits; application memory for the address and thread sanitizers too. */
#define MEM_WINDOW UINT64_C(0x550000000000)
#if defined LW_THREAD_SANITIZER /* all must lie in the 341 GiB that are application memory there */
#define MEM_WINDOW_BYTES (UINT64_C(96) << 30)
#define MEM_STORAGE (MEM_WINDOW + (UINT64_C(112) << 30))
#define MEM_SHARED_WITH_HOST (MEM_WINDOW + (UINT64_C(224) << 30))
#else
#define MEM_WINDOW_BYTES (UINT64_C(320) << 30)
#define MEM_STORAGE UINT64_C(0x450000000000)
#define MEM_SHARED_WITH_HOST UINT64_C(0x400000000000)
#endif
/* Addresses that programs reserve to map memory at (cuMemAddressReserve) lie below the window, their storage at the same
 * distance. Nothing is taken there before it is asked for. */
#if defined LW_THREAD_SANITIZER
#define MEM_VIRTUAL_BYTES UINT64_C(0)
#else
#define MEM_VIRTUAL_BYTES (UINT64_C(2) << 40)
#endif
#define MEM_VIRTUAL (MEM_WINDOW - MEM_VIRTUAL_BYTES)
#define MEM_SHARED_WINDOW (MEM_WINDOW + MEM_WINDOW_BYTES)
#define MEM_SHARED_SLOT_SHIFT 24 /* one slot of 16 MiB per cluster rank (cc 9.0: S2R SR_CgaCtaId << 24) */
#define MEM_SHARED_WINDOW_BYTES (UINT64_C(16) << MEM_SHARED_SLOT_SHIFT)
#define MEM_LOCAL_WINDOW (MEM_SHARED_WINDOW + MEM_SHARED_WINDOW_BYTES)
#define MEM_LOCAL_WINDOW_BYTES (UINT64_C(1) << 28)
#define MEM_RED_ZONE 4096
#define MEM_QUARANTINE_BLOCKS 1024
#define MEM_QUARANTINE_BYTES (UINT64_C(4) << 30)
#define MEM_QUARANTINE_KEPT (UINT64_C(64) << 20)
#define MEM_ASYNC UINT32_C(0x20000000) /* a flag: allocated in the order of a stream (cudaMallocAsync) */
#define MEM_DEVICES_MOST 16            /* devices of a process, which share the address space */

typedef enum mem_kind {
    MEM_DEVICE,     /* cudaMalloc, cudaMallocAsync, cudaMallocPitch */
    MEM_MANAGED,    /* cudaMallocManaged, __managed__ */
    MEM_PINNED,     /* cudaMallocHost, cudaHostAlloc */
    MEM_REGISTERED, /* cudaHostRegister: the program's own memory, outside the window */
    MEM_GLOBAL_VAR, /* __device__ variables */
    MEM_CONST_VAR,  /* __constant__ variables */
    MEM_INTERNAL,   /* ours: kernel parameter images, grid workspaces, texture descriptors */
    MEM_HEAP,       /* ours: what malloc gives kernels lies there */
    MEM_KIND_COUNT
} mem_kind;

/* Not allocated by the program. */
static inline bool mem_is_internal(mem_kind kind) { return kind == MEM_INTERNAL || kind == MEM_HEAP; }

typedef struct mem_allocation {
    uint64_t address, bytes; /* as the program asked */
    uint64_t owned;          /* from address on: bytes and slack. In the window the red zone follows */
    uint64_t pool_place;     /* the room's: where a card's pools would hold it, and 1; 0: nowhere */
    mem_kind kind;
    uint32_t flags; /* the caller's (cudaHostAlloc flags ...), and MEM_ASYNC */
    uint8_t device; /* whose memory it is, or that was current */
    bool listed;    /* the devices that may access it are listed: memory of pools, mappings; else enabled peers may */
    bool mapped;    /* by mem_map */
    uint32_t readers, writers; /* with listed: sets of devices, bit k is device k */
    uint64_t serial;           /* 1, 2, 3 ... in order of allocation */
    uint64_t number;           /* the same among those of its kind and call without a name; 0: it has one */
    char name[64];             /* variable name, or "" */
    /* in answers of mem_locate and mem_nearest: */
    bool freed, freed_async; /* freed_async: in the order of a stream (cudaFreeAsync) */
    uint64_t freed_number;   /* its place among those of its kind and call that were freed */
    /* Where the program asked for it, and gave it back: numbers of the caller's (mem_set_namer); 0: not known. */
    uint32_t made_at, freed_at;
} mem_allocation;

/* Where an access lies, by what a card does with it. */
typedef enum mem_zone {
    MEM_INSIDE, /* in a live allocation */
    MEM_SLACK,  /* it ends behind one, in its slack: a card notices nothing */
    MEM_RED,    /* it ends in the red zone of one: a card notices nothing, there is no storage */
    MEM_BESIDE, /* beside one, in memory that a card maps with it: as MEM_RED, but mem_clear_red() is not for it */
    MEM_FREED,  /* in a freed allocation that a card still has mapped, and that is still as it was */
    MEM_NOWHERE /* a card stops */
} mem_zone;

typedef struct mem_window mem_window;

/* Reserves the windows. limit_bytes: what mem_alloc gives out at most for MEM_DEVICE and MEM_MANAGED together, on each
 * device. */
lw_status mem_create(mem_window **out, uint64_t limit_bytes, lw_error *error);
void mem_destroy(mem_window *window);

/* bytes may be 0 (a distinct address is still given). alignment: power of two, 0 = default. Contents are zero.
 * LW_NO_MEMORY when the limit or the host does not allow it. */
lw_status mem_alloc(mem_window *window, uint64_t bytes, uint64_t alignment, mem_kind kind, uint32_t flags,
                    const char *name, uint64_t *out_address);
/* The same on another device than the first: below MEM_DEVICES_MOST. */
lw_status mem_alloc_on(mem_window *window, uint32_t device, uint64_t bytes, uint64_t alignment, mem_kind kind,
                       uint32_t flags, const char *name, uint64_t *out_address);
/* The live allocation that starts at address is accessible to these devices alone (mem_allocation.listed). */
void mem_set_access(mem_window *window, uint64_t address, uint32_t readers, uint32_t writers);
/* Frees the allocation that starts at address; LW_NOT_FOUND if there is none. It is quarantined, ours are not. */
lw_status mem_free(mem_window *window, uint64_t address);
/* Says where the program asked for the allocation that starts at address, and where it gives it back. */
void mem_note_made(mem_window *window, uint64_t address, uint32_t place);
void mem_note_freed(mem_window *window, uint64_t address, uint32_t place, bool async);
/* Who says in words what place that is ("reduce.cu:41"); "" if he does not know. Any thread may ask. */
typedef void (*mem_namer)(void *user, uint32_t place, char *out, size_t size);
void mem_set_namer(mem_window *window, mem_namer name, void *user);
/* ---- reserved addresses, and memory of a file mapped there ---- */
/* Of whole 2 MiB. wanted: a wish, 0: none. LW_INVALID_ARGUMENT; LW_NO_MEMORY: no addresses are left. */
lw_status mem_reserve(mem_window *window, uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *out_address);
/* Of a whole reservation without mappings; else LW_INVALID_ARGUMENT. */
lw_status mem_unreserve(mem_window *window, uint64_t address, uint64_t bytes);
void mem_unreserve_all(mem_window *window);
/* Maps bytes of the file, which lie as in its pages as they do here: an allocation of MEM_DEVICE that no device may access
 * yet (mem_set_access). LW_INVALID_ARGUMENT: the range is not reserved, or something is mapped there. */
lw_status mem_map(mem_window *window, uint32_t device, uint64_t address, uint64_t bytes, int fd, uint64_t offset);
lw_status mem_unmap(mem_window *window, uint64_t address); /* the mapping that starts there */
/* Bytes from address on that are mapped without a gap; 0: none. */
uint64_t mem_mapped_bytes(mem_window *window, uint64_t address);
/* The pages of the live allocation that starts at address become those of a file, for other processes to map: where the
 * allocation lies in it. Nothing may run. */
lw_status mem_share(mem_window *window, uint64_t address, int *out_fd, uint64_t *out_offset);
/* Counts memory that mappings share against the device's limit. LW_NO_MEMORY. */
lw_status mem_charge(mem_window *window, uint32_t device, uint64_t bytes);
void mem_discharge(mem_window *window, uint32_t device, uint64_t bytes);

/* Registers host memory of the program's own; LW_INVALID_ARGUMENT if it overlaps a known allocation. */
lw_status mem_register(mem_window *window, uint64_t address, uint64_t bytes, uint32_t flags);
lw_status mem_unregister(mem_window *window, uint64_t address);

/* The live allocation that contains address. Zero-byte allocations contain nothing. */
bool mem_find(mem_window *window, uint64_t address, mem_allocation *out);
/* Which zone [address, address + bytes) lies in, and of which allocation, if it is not MEM_NOWHERE. An access that begins
 * in one allocation and ends in another is MEM_NOWHERE. */
mem_zone mem_locate(mem_window *window, uint64_t address, uint64_t bytes, mem_allocation *out);
/* The slow part of an access to MEM_RED: makes what lies there of [address, address + bytes) zero, for one that reads
 * or writes more than a scratch buffer would hold. */
void mem_clear_red(mem_window *window, const mem_allocation *allocation, uint64_t address, uint64_t bytes);
/* For messages: the live or freed allocation containing address or nearest to it, internal ones left out. false if
 * there never was one. */
bool mem_nearest(mem_window *window, uint64_t address, mem_allocation *out);

/* The same for a signal handler: false also if another thread holds the table for long. */
bool mem_nearest_in_signal(mem_window *window, uint64_t address, mem_allocation *out);
/* Where address lies beside the allocation, and which that is: "4 bytes past the end of a block of 400 bytes allocated at
 * reduce.cu:41 (the 1st cudaMalloc)". window NULL: places are left out, and nothing but snprintf is called: a signal
 * handler may use it. */
void mem_describe(const mem_window *window, const mem_allocation *allocation, uint64_t address, char *out, size_t size);
/* The allocation alone: "a block of 400 bytes allocated at reduce.cu:41 (the 1st cudaMalloc)"; of a freed one also
 * where it was freed. */
void mem_describe_block(const mem_window *window, const mem_allocation *allocation, char *out, size_t size);
/* What the namer says of a place; "" without one. */
void mem_name_place(const mem_window *window, uint32_t place, char *out, size_t size);
/* The same for an address beside no allocation: which memory of the host it is, and what to use instead. */
void mem_describe_host(uint64_t address, char *out, size_t size);

/* ---- what fresh memory holds (fill.c) ---- */
typedef enum mem_fill_kind { MEM_FILL_NONE, MEM_FILL_BYTE, MEM_FILL_RANDOM } mem_fill_kind;
typedef struct mem_fill {
    mem_fill_kind kind; /* MEM_FILL_NONE: what it held before, in device memory zeros */
    uint8_t byte;       /* MEM_FILL_BYTE */
    uint64_t seed;      /* MEM_FILL_RANDOM */
} mem_fill;
/* "171", "0xab" or "random:SEED". false: it is none of them. */
bool mem_fill_parse(const char *text, mem_fill *out);
/* Fills storage. which: with the seed, what the bytes depend on. */
void mem_fill_bytes(const mem_fill *fill, uint64_t which, void *storage, uint64_t bytes);

/* How many live allocations the host reads and writes directly: managed, pinned and registered. */
uint64_t mem_shared_count(mem_window *window);
void mem_usage(mem_window *window, uint32_t device, uint64_t *out_used_bytes, uint64_t *out_limit_bytes);
/* Calls visit for every live allocation in address order (a copy of the table: visit may allocate or free). */
void mem_each(mem_window *window, void (*visit)(void *user, const mem_allocation *allocation), void *user);
/* A number that changes with every allocation and free: cached look-ups are valid while it stays. */
uint64_t mem_epoch(mem_window *window);

/* From a device address to its storage: constant within an allocation. */
static inline uint64_t mem_distance(uint64_t address)
{
    return address - MEM_VIRTUAL < MEM_VIRTUAL_BYTES + MEM_WINDOW_BYTES ? MEM_STORAGE - MEM_WINDOW : 0;
}
/* Where what a device address names is kept. */
static inline void *mem_storage(uint64_t address) { return (void *)(uintptr_t)(address + mem_distance(address)); }

static inline bool mem_in_shared_window(uint64_t a) { return a - MEM_SHARED_WINDOW < MEM_SHARED_WINDOW_BYTES; }
static inline bool mem_in_local_window(uint64_t a) { return a - MEM_LOCAL_WINDOW < MEM_LOCAL_WINDOW_BYTES; }
/* An address of device memory, which the host cannot access. */
static inline bool mem_in_device_window(uint64_t a) { return a - MEM_VIRTUAL < MEM_VIRTUAL_BYTES + MEM_WINDOW_BYTES; }
/* An address that mem_alloc may have given out. */
static inline bool mem_in_window(uint64_t a)
{
    return mem_in_device_window(a) || a - MEM_SHARED_WITH_HOST < MEM_WINDOW_BYTES;
}

#endif
