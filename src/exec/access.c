/* access.c: one lane's access in any space, checked: where an address lies, its host pointer, or a fault that names the
 * allocation. The slow path of loads and stores, and the only path of atomics and copies on mixed addresses. */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

uint8_t *exec_warp_local(exec_ctx *x)
{
    exec_warp *w = x->warp;
    if (!w->local) w->local = lw_arena_alloc_aligned(&x->worker->arena, (size_t)32 * x->local_stride, 64);
    return w->local;
}

void exec_lane_addresses(exec_ctx *x, const code_insn *i, uint64_t out[32])
{
    uint64_t offset = (uint64_t)i->mem.offset;
    for (uint32_t l = 0; l < 32; l++) {
        if (i->a == CODE_NO_REF) out[l] = offset;
        else if (i->mem.narrow) out[l] = (uint32_t)(LANES(uint32_t, i->a)[l] + (uint32_t)offset);
        else out[l] = LANES(uint64_t, i->a)[l] + offset;
    }
}

/* ---------------------------------------------------------------- messages */
static const char *kind_name(mem_kind kind)
{
    switch (kind) {
    case MEM_MANAGED: return "managed memory";
    case MEM_PINNED: return "pinned host memory";
    case MEM_REGISTERED: return "registered host memory";
    case MEM_GLOBAL_VAR: return "__device__ variable";
    case MEM_CONST_VAR: return "__constant__ variable";
    case MEM_INTERNAL: return "internal memory";
    default: return "device memory";
    }
}

/* Bytes from which on the nearest allocation says nothing. */
#define FAR (UINT64_C(1) << 30)

static void describe_nearest(exec_ctx *x, uint64_t address, char *out, size_t size)
{
    mem_allocation a;
    if (address < 4096) {
        snprintf(out, size, "a null pointer");
        return;
    }
    if (!mem_nearest(x->launch->memory, address, &a)) {
        snprintf(out, size, "not device memory");
        return;
    }
    const char *what = a.name[0] ? a.name : kind_name(a.kind);
    uint64_t end = a.address + a.bytes;
    bool inside = address >= a.address && address < end;
    bool behind = address >= end;
    uint64_t distance = behind ? address - end : a.address - address;
    if (inside)
        snprintf(out, size, "%s in allocation %llu (%llu bytes of %s)", a.freed ? "freed memory" : "inside",
                 (unsigned long long)a.serial, (unsigned long long)a.bytes, what);
    else if (distance < FAR)
        snprintf(out, size, "%llu bytes %s %sallocation %llu (%llu bytes of %s at 0x%llx)",
                 (unsigned long long)distance, behind ? "past the end of" : "before", a.freed ? "freed " : "",
                 (unsigned long long)a.serial, (unsigned long long)a.bytes, what, (unsigned long long)a.address);
    else snprintf(out, size, "no device memory (pageable host memory is not reachable from kernels)");
}

static void *fail_access(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint32_t bytes,
                         bool is_write, event_space space, exec_fault_kind kind, const char *what)
{
    exec_fail(x, i, kind, lane, address, bytes, is_write, exec_space_name(space), "%s %s of %u bytes at 0x%llx: %s",
              exec_space_name(space), is_write ? "write" : "read", bytes, (unsigned long long)address, what);
    return NULL;
}

/* ---------------------------------------------------------------- spaces */
static uint8_t *global_pointer(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint32_t bytes,
                               bool is_write)
{
    exec_alloc_cache *c = &x->caches[i->site];
    bool known = address >= c->low && address < c->high && bytes <= c->high - address;
    if (known) return (uint8_t *)(uintptr_t)address;
    mem_allocation a;
    char what[512];
    if (!mem_find(x->launch->memory, address, &a) || bytes > a.address + a.bytes - address) {
        describe_nearest(x, address, what, sizeof what);
        return fail_access(x, i, lane, address, bytes, is_write, EVENT_GLOBAL, EXEC_ILLEGAL_ADDRESS, what);
    }
    exec_note_allocation(x, c, &a);
    return (uint8_t *)(uintptr_t)address;
}

static uint8_t *shared_pointer(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t offset, uint32_t bytes,
                               bool is_write, bool own_block, event_space *out_space, uint64_t *out_event)
{
    uint64_t rank = own_block ? x->block->rank : offset >> MEM_SHARED_SLOT_SHIFT;
    uint64_t at = own_block ? offset : exec_shared_offset(offset);
    bool own = rank == x->block->rank;
    exec_cluster *c = x->block->cluster;
    char what[256];
    *out_space = own ? EVENT_SHARED : EVENT_DSHARED;
    *out_event = own ? at : offset;
    if (rank >= c->block_count) {
        snprintf(what, sizeof what, "block rank %llu of a cluster of %u", (unsigned long long)rank, c->block_count);
        return fail_access(x, i, lane, offset, bytes, is_write, EVENT_DSHARED, EXEC_SHARED_RANGE, what);
    }
    if (c->blocks[rank].done) {
        snprintf(what, sizeof what, "the block of rank %u has exited: a cluster barrier is missing before its end",
                 (uint32_t)rank);
        return fail_access(x, i, lane, offset, bytes, is_write, EVENT_DSHARED, EXEC_CLUSTER_EXITED, what);
    }
    if (at > x->shared_bytes || bytes > x->shared_bytes - at) {
        snprintf(what, sizeof what, "outside the block's %u bytes of shared memory", x->shared_bytes);
        return fail_access(x, i, lane, at, bytes, is_write, *out_space, EXEC_SHARED_RANGE, what);
    }
    return c->blocks[rank].shared + at;
}

static uint8_t *local_pointer(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t offset, uint32_t bytes,
                              bool is_write)
{
    if (offset > x->local_stride || bytes > x->local_stride - offset)
        return fail_access(x, i, lane, offset, bytes, is_write, EVENT_LOCAL, EXEC_SHARED_RANGE,
                           "outside the thread's local memory");
    return exec_warp_local(x) + (size_t)lane * x->local_stride + offset;
}

/* The space that a generic address names; the address becomes one of that space. */
static ptx_space leave_window(uint64_t *address)
{
    if (mem_in_shared_window(*address)) {
        *address -= MEM_SHARED_WINDOW;
        return PTX_SHARED_CLUSTER;
    }
    if (mem_in_local_window(*address)) {
        *address -= MEM_LOCAL_WINDOW;
        return PTX_LOCAL;
    }
    return PTX_GLOBAL;
}

uint8_t *exec_lane_range(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                         uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event)
{
    if (space == PTX_GENERIC) space = leave_window(&address);
    *out_event = address;
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER: {
        bool own_block = space == PTX_SHARED && i->a == CODE_NO_REF;
        return shared_pointer(x, i, lane, address, bytes, is_write, own_block, out_space, out_event);
    }
    case PTX_LOCAL: *out_space = EVENT_LOCAL; return local_pointer(x, i, lane, address, bytes, is_write);
    case PTX_CONST: *out_space = EVENT_CONSTANT; break;
    case PTX_PARAM: *out_space = EVENT_PARAM; break;
    default: *out_space = EVENT_GLOBAL; break;
    }
    return global_pointer(x, i, lane, address, bytes, is_write);
}

uint8_t *exec_lane_pointer(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                           uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event)
{
    uint8_t *p = exec_lane_range(x, i, space, lane, address, bytes, is_write, out_space, out_event);
    if (p && lw_is_power_of_2(bytes) && (address & (bytes - 1)))
        return fail_access(x, i, lane, address, bytes, is_write, *out_space, EXEC_MISALIGNED, "misaligned address");
    return p;
}
