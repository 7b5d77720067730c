/* memory: the device's address space on the host.
 *
 * Device pointers ARE host addresses. Device, managed and pinned memory come from one window reserved at a fixed
 * address (MEM_WINDOW), committed on use, so that addresses (and counters) repeat from run to run. Allocations are
 * aligned to 512 bytes (2 MiB from 1 MiB up) with an unmapped-by-bookkeeping red zone of at least MEM_RED_ZONE bytes
 * after each. Host memory registered by the program lies outside the window and is looked up in the same table.
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
#define MEM_WINDOW_BYTES (UINT64_C(320) << 30)
#define MEM_SHARED_WINDOW (MEM_WINDOW + MEM_WINDOW_BYTES)
#define MEM_SHARED_SLOT_SHIFT 24 /* one slot of 16 MiB per cluster rank (cc 9.0: S2R SR_CgaCtaId << 24) */
#define MEM_SHARED_WINDOW_BYTES (UINT64_C(16) << MEM_SHARED_SLOT_SHIFT)
#define MEM_LOCAL_WINDOW (MEM_SHARED_WINDOW + MEM_SHARED_WINDOW_BYTES)
#define MEM_LOCAL_WINDOW_BYTES (UINT64_C(1) << 28)
#define MEM_RED_ZONE 256

typedef enum mem_kind {
    MEM_DEVICE,     /* cudaMalloc, cudaMallocAsync, cudaMallocPitch */
    MEM_MANAGED,    /* cudaMallocManaged, __managed__ */
    MEM_PINNED,     /* cudaMallocHost, cudaHostAlloc */
    MEM_REGISTERED, /* cudaHostRegister: the program's own memory, outside the window */
    MEM_GLOBAL_VAR, /* __device__ variables */
    MEM_CONST_VAR,  /* __constant__ variables */
    MEM_INTERNAL    /* ours: kernel parameter images, device heap, grid workspaces, texture descriptors */
} mem_kind;

typedef struct mem_allocation {
    uint64_t address, bytes; /* as the program asked */
    mem_kind kind;
    uint32_t flags;  /* the caller's (cudaHostAlloc flags ...) */
    uint64_t serial; /* 1, 2, 3 ... in order of allocation */
    char name[64];   /* variable name, or "" */
    bool freed;      /* only in answers of mem_nearest */
} mem_allocation;

typedef struct mem_window mem_window;

/* Reserves the windows. limit_bytes: what mem_alloc gives out at most for MEM_DEVICE and MEM_MANAGED together. */
lw_status mem_create(mem_window **out, uint64_t limit_bytes, lw_error *error);
void mem_destroy(mem_window *window);

/* bytes may be 0 (a distinct address is still given). alignment: power of two, 0 = default. Contents are zero.
 * LW_NO_MEMORY when the limit or the host does not allow it. */
lw_status mem_alloc(mem_window *window, uint64_t bytes, uint64_t alignment, mem_kind kind, uint32_t flags,
                    const char *name, uint64_t *out_address);
/* Frees the allocation that starts at address; LW_NOT_FOUND if there is none. Its range is remembered as freed. */
lw_status mem_free(mem_window *window, uint64_t address);
/* Registers host memory of the program's own; LW_INVALID_ARGUMENT if it overlaps a known allocation. */
lw_status mem_register(mem_window *window, uint64_t address, uint64_t bytes, uint32_t flags);
lw_status mem_unregister(mem_window *window, uint64_t address);

/* The live allocation that contains address. Zero-byte allocations contain nothing. */
bool mem_find(mem_window *window, uint64_t address, mem_allocation *out);
/* For messages: the live or freed allocation containing address or nearest to it, internal ones left out. false if
 * there never was one. */
bool mem_nearest(mem_window *window, uint64_t address, mem_allocation *out);

void mem_usage(mem_window *window, uint64_t *out_used_bytes, uint64_t *out_limit_bytes);
/* Calls visit for every live allocation in address order (a copy of the table: visit may allocate or free). */
void mem_each(mem_window *window, void (*visit)(void *user, const mem_allocation *allocation), void *user);
/* A number that changes with every allocation and free: cached look-ups are valid while it stays. */
uint64_t mem_epoch(mem_window *window);

static inline bool mem_in_shared_window(uint64_t a) { return a - MEM_SHARED_WINDOW < MEM_SHARED_WINDOW_BYTES; }
static inline bool mem_in_local_window(uint64_t a) { return a - MEM_LOCAL_WINDOW < MEM_LOCAL_WINDOW_BYTES; }
static inline bool mem_in_window(uint64_t a) { return a - MEM_WINDOW < MEM_WINDOW_BYTES; }

#endif
