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
    for (uint32_t l = 0; l < 32; l++)
        out[l] = i->a == CODE_NO_REF ? (uint64_t)i->mem.offset
                 : i->mem.narrow     ? (uint32_t)(LANES(uint32_t, i->a)[l] + (uint32_t)i->mem.offset)
                                     : LANES(uint64_t, i->a)[l] + (uint64_t)i->mem.offset;
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
    if (address >= a.address && address < end)
        snprintf(out, size, "%s in allocation %llu (%llu bytes of %s)", a.freed ? "freed memory" : "inside",
                 (unsigned long long)a.serial, (unsigned long long)a.bytes, what);
    else if (address >= end && address - end < (UINT64_C(1) << 30))
        snprintf(out, size, "%llu bytes past the end of %sallocation %llu (%llu bytes of %s at 0x%llx)",
                 (unsigned long long)(address - end), a.freed ? "freed " : "", (unsigned long long)a.serial,
                 (unsigned long long)a.bytes, what, (unsigned long long)a.address);
    else if (address < a.address && a.address - address < (UINT64_C(1) << 30))
        snprintf(out, size, "%llu bytes before %sallocation %llu (%llu bytes of %s at 0x%llx)",
                 (unsigned long long)(a.address - address), a.freed ? "freed " : "", (unsigned long long)a.serial,
                 (unsigned long long)a.bytes, what, (unsigned long long)a.address);
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
    char what[512];
    if (!(address >= c->low && address < c->high && bytes <= c->high - address)) {
        mem_allocation a;
        if (!mem_find(x->launch->memory, address, &a) || bytes > a.address + a.bytes - address) {
            describe_nearest(x, address, what, sizeof what);
            return fail_access(x, i, lane, address, bytes, is_write, EVENT_GLOBAL, EXEC_ILLEGAL_ADDRESS, what);
        }
        exec_note_allocation(x, c, &a);
    }
    return (uint8_t *)(uintptr_t)address;
}

static uint8_t *shared_pointer(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t offset, uint32_t bytes,
                               bool is_write, bool own_block, event_space *out_space, uint64_t *out_event)
{
    uint64_t rank = own_block ? x->block->rank : offset >> MEM_SHARED_SLOT_SHIFT;
    uint64_t at = own_block ? offset : offset & ((UINT64_C(1) << MEM_SHARED_SLOT_SHIFT) - 1);
    exec_cluster *c = x->block->cluster;
    char what[256];
    *out_space = rank == x->block->rank ? EVENT_SHARED : EVENT_DSHARED;
    *out_event = rank == x->block->rank ? at : offset;
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

uint8_t *exec_lane_range(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                         uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event)
{
    uint8_t *p = NULL;
    *out_event = address;
    if (space == PTX_GENERIC) {
        if (mem_in_shared_window(address)) space = PTX_SHARED_CLUSTER, address -= MEM_SHARED_WINDOW;
        else if (mem_in_local_window(address)) space = PTX_LOCAL, address -= MEM_LOCAL_WINDOW;
        else space = PTX_GLOBAL;
    }
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER:
        p = shared_pointer(x, i, lane, address, bytes, is_write, space == PTX_SHARED && i->a == CODE_NO_REF, out_space,
                           out_event);
        break;
    case PTX_LOCAL:
        *out_space = EVENT_LOCAL;
        *out_event = address;
        if (address > x->local_stride || bytes > x->local_stride - address)
            return fail_access(x, i, lane, address, bytes, is_write, EVENT_LOCAL, EXEC_SHARED_RANGE,
                               "outside the thread's local memory");
        p = exec_warp_local(x) + (size_t)lane * x->local_stride + address;
        break;
    default:
        *out_space = space == PTX_CONST ? EVENT_CONSTANT : space == PTX_PARAM ? EVENT_PARAM : EVENT_GLOBAL;
        p = global_pointer(x, i, lane, address, bytes, is_write);
        break;
    }
    return p;
}

uint8_t *exec_lane_pointer(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                           uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event)
{
    uint8_t *p = exec_lane_range(x, i, space, lane, address, bytes, is_write, out_space, out_event);
    if (p && lw_is_power_of_2(bytes) && (address & (bytes - 1)))
        return fail_access(x, i, lane, address, bytes, is_write, *out_space, EXEC_MISALIGNED, "misaligned address");
    return p;
}
