/* emit.c: builds the events of a launch and hands them to who wants them: one function per kind. Those of accesses:
 * emit_access.c. */
#include "exec/emit.h"

#include "exec/operand.h"

/* ---------------------------------------------------------------- clients */
uint32_t exec_shared_bytes(const exec_launch *l)
{
    const code_kernel *k = l->kernel;
    uint32_t alignment = k->uses_dynamic_shared ? k->dynamic_shared_alignment : 1;
    return (uint32_t)lw_round_up(k->static_shared_bytes, alignment) + l->dynamic_shared_bytes;
}

uint32_t exec_reserved_at(const exec_launch *l) { return (uint32_t)lw_round_up(exec_shared_bytes(l), 128); }

void exec_describe_launch(const exec_launch *l, event_launch *out)
{
    out->id = l->grid_id;
    out->kernel = l->kernel->name;
    for (uint32_t d = 0; d < 3; d++) {
        out->grid[d] = l->grid[d];
        out->block[d] = l->block[d];
        out->cluster[d] = l->cluster[d];
    }
    out->insns = l->kernel->event_insns;
    out->insn_count = l->kernel->site_count;
    out->cc = l->device.cc;
    out->uses_system_shared = l->kernel->body->uses_system_shared;
    out->system_shared = exec_reserved_at(l);
}

/* The kinds of a client that it has a hook for. */
static uint64_t kinds_of(const event_client *c)
{
    uint64_t memory = c->memory ? event_kinds_of(EVENT_PAYLOAD_memory) : 0;
    uint64_t sync = c->sync ? event_kinds_of(EVENT_PAYLOAD_sync) : 0;
    return c->kinds & (memory | sync);
}

void exec_listen(exec_ctx *x, uint32_t worker)
{
    const exec_launch *l = x->launch;
    exec_listener *list = LW_NEW_ARRAY(&x->worker->arena, exec_listener, l->listener_count + 1);
    bool undefined = false;
    for (uint32_t k = 0; k < l->listener_count; k++) {
        const event_client *c = l->listeners[k].client;
        void *state = l->listeners[k].launch;
        list[k] = (exec_listener){.kinds = kinds_of(c), .memory = c->memory, .sync = c->sync};
        list[k].state = c->worker_begin ? c->worker_begin(state, worker) : state;
        x->wants |= list[k].kinds;
        x->fields |= c->fields & ~EVENT_FIELD_UNDEFINED;
        undefined |= (c->fields & EVENT_FIELD_UNDEFINED) != 0;
    }
    if (undefined) x->undefined = LW_NEW(&x->worker->arena, event_undefined);
    x->listeners = list;
    x->listener_count = l->listener_count;
    x->event_launch = x->worker->run->event_launch;
    x->tells_plain = exec_wants(x, EVENT_COUNTED) && !exec_wants(x, EVENT_ACCESS) && !x->fields;
    x->plain = (event_memory){.launch = x->event_launch, .kind = EVENT_COUNTED, .atomic = EVENT_ATOMIC_NONE};
    exec_run_state *run = x->worker->run;
    if ((x->fields & EVENT_FIELD_ORDER) && !run->order) run->order = exec_order_new();
}

void exec_listen_end(exec_ctx *x)
{
    const exec_launch *l = x->launch;
    for (uint32_t k = 0; k < l->listener_count; k++) {
        const event_client *c = l->listeners[k].client;
        if (c->worker_end) c->worker_end(l->listeners[k].launch, x->worker->index, x->listeners[k].state);
    }
    uint64_t *total = x->worker->run->result->events_built;
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) total[k] += x->worker->built[k];
}

/* ---------------------------------------------------------------- synchronisation */
static void deliver_sync(exec_ctx *x, const event_sync *e)
{
    LW_ASSERT(e->insn == EVENT_NO_INSN || e->insn < e->launch->insn_count);
    x->worker->built[e->kind]++;
    for (uint32_t k = 0; k < x->listener_count; k++) {
        const exec_listener *l = &x->listeners[k];
        if (l->kinds >> e->kind & 1) l->sync(l->state, e);
    }
}

/* An event of a block as a whole; i may be NULL. */
static event_sync block_event(const exec_ctx *x, const code_insn *i, const exec_block *block, event_kind kind)
{
    event_sync e = {.launch = x->event_launch,
                    .insn = i ? i->site : EVENT_NO_INSN,
                    .kind = (uint8_t)kind,
                    .block = block->linear,
                    .cluster = block->cluster->index,
                    .virtual_sm = block->virtual_sm};
    if (!i) return e;
    const event_insn *what = &x->event_launch->insns[i->site];
    e.order = what->order;
    e.scope = what->scope;
    e.proxy = what->proxy;
    e.bulk = what->bulk;
    return e;
}

/* An event of lanes of the running warp. */
static event_sync lanes_event(const exec_ctx *x, const code_insn *i, event_kind kind, uint32_t mask)
{
    event_sync e = block_event(x, i, x->block, kind);
    e.warp = x->warp->index;
    e.mask = mask;
    return e;
}

void exec_emit_block(exec_ctx *x, const exec_block *block, event_kind kind)
{
    if (!exec_wants(x, kind)) return;
    event_sync e = block_event(x, NULL, block, kind);
    deliver_sync(x, &e);
}

void exec_emit_lanes_exit(exec_ctx *x, uint32_t mask)
{
    if (!exec_wants(x, EVENT_LANES_EXIT)) return;
    event_sync e = lanes_event(x, NULL, EVENT_LANES_EXIT, mask);
    deliver_sync(x, &e);
}

void exec_emit_barrier_arrive(exec_ctx *x, const code_insn *i, uint32_t id, uint32_t mask, uint32_t counts, bool waits)
{
    if (!exec_wants(x, EVENT_BARRIER_ARRIVE)) return;
    event_sync e = lanes_event(x, i, EVENT_BARRIER_ARRIVE, mask);
    e.id = (uint8_t)id;
    e.count = counts;
    e.waits = waits;
    e.number = x->block->barriers[id].generation;
    deliver_sync(x, &e);
}

void exec_emit_barrier_release(exec_ctx *x, const code_insn *i, const exec_block *block, uint32_t id)
{
    if (!exec_wants(x, EVENT_BARRIER_RELEASE)) return;
    event_sync e = block_event(x, i, block, EVENT_BARRIER_RELEASE);
    e.id = (uint8_t)id;
    e.count = block->barriers[id].arrived;
    e.number = block->barriers[id].generation;
    deliver_sync(x, &e);
}

void exec_emit_warp_sync(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (!exec_wants(x, EVENT_WARP_SYNC)) return;
    event_sync e = lanes_event(x, i, EVENT_WARP_SYNC, mask);
    e.collective = i->op != OP_warpsync;
    deliver_sync(x, &e);
}

void exec_emit_warp_syncs(exec_ctx *x, const code_insn *i, code_ref members, uint32_t mask)
{
    if (!exec_wants(x, EVENT_WARP_SYNC)) return;
    const uint32_t *member = LANES(uint32_t, members);
    for (uint32_t left = mask; left;) {
        uint32_t value = member[__builtin_ctz(left)], same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (member[__builtin_ctz(m)] == value) same |= m & -m;
        left &= ~same;
        exec_emit_warp_sync(x, i, same);
    }
}

void exec_emit_misuse(exec_ctx *x, const code_insn *i, event_misuse misuse, uint32_t mask, uint32_t lanes)
{
    if (!exec_wants(x, EVENT_MISUSE)) return;
    event_sync e = lanes_event(x, i, EVENT_MISUSE, mask);
    e.misuse = (uint8_t)misuse;
    e.lanes = lanes;
    deliver_sync(x, &e);
}

void exec_emit_block_misuse(exec_ctx *x, const code_insn *i, const exec_block *block, event_misuse misuse)
{
    if (!exec_wants(x, EVENT_MISUSE)) return;
    event_sync e = block_event(x, i, block, EVENT_MISUSE);
    e.misuse = (uint8_t)misuse;
    deliver_sync(x, &e);
}

void exec_emit_print(exec_ctx *x, const code_insn *i, uint32_t mask, const event_print *print)
{
    if (!exec_wants(x, EVENT_PRINT)) return;
    event_sync e = lanes_event(x, i, EVENT_PRINT, mask);
    e.print = print;
    deliver_sync(x, &e);
}

void exec_emit_undefined_use(exec_ctx *x, const code_insn *i, event_use use, uint32_t mask, const event_origin *origin)
{
    if (!exec_wants(x, EVENT_UNDEFINED_USE)) return;
    event_sync e = lanes_event(x, i, EVENT_UNDEFINED_USE, mask);
    e.use = (uint8_t)use;
    e.origin = origin;
    deliver_sync(x, &e);
}

void exec_emit_fence(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (!exec_wants(x, EVENT_FENCE)) return;
    event_sync e = lanes_event(x, i, EVENT_FENCE, mask);
    deliver_sync(x, &e);
}

void exec_emit_frame(exec_ctx *x, const code_insn *i, event_kind kind, uint32_t mask, uint32_t offset, uint32_t bytes)
{
    if (!exec_wants(x, kind) || !bytes) return;
    event_sync e = lanes_event(x, i, kind, mask);
    e.address = offset;
    e.bytes = bytes;
    deliver_sync(x, &e);
}

void exec_emit_save(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t registers, bool again)
{
    if (!registers || !exec_wants(x, EVENT_SAVE)) return;
    event_sync e = lanes_event(x, i, EVENT_SAVE, mask);
    e.count = registers;
    e.again = again;
    deliver_sync(x, &e);
}

void exec_emit_restore(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t registers)
{
    if (!registers || !exec_wants(x, EVENT_RESTORE)) return;
    event_sync e = lanes_event(x, i, EVENT_RESTORE, mask);
    e.count = registers;
    deliver_sync(x, &e);
}

void exec_emit_heap_call(exec_ctx *x, const code_insn *i, uint32_t mask, bool frees, uint64_t bytes)
{
    if (!exec_wants(x, EVENT_HEAP_CALL)) return;
    event_sync e = lanes_event(x, i, EVENT_HEAP_CALL, mask);
    e.frees = frees;
    e.bytes = (uint32_t)LW_MIN(bytes, (uint64_t)UINT32_MAX);
    deliver_sync(x, &e);
}

void exec_emit_cluster_arrive(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (!exec_wants(x, EVENT_CLUSTER_ARRIVE)) return;
    event_sync e = lanes_event(x, i, EVENT_CLUSTER_ARRIVE, mask);
    e.count = lw_popcount(mask);
    e.number = x->block->cluster->barrier_phase;
    deliver_sync(x, &e);
}

void exec_emit_cluster_release(exec_ctx *x, const exec_cluster *cluster)
{
    if (!exec_wants(x, EVENT_CLUSTER_RELEASE)) return;
    event_sync e = block_event(x, NULL, &cluster->blocks[0], EVENT_CLUSTER_RELEASE);
    e.count = cluster->barrier_arrived;
    e.number = cluster->barrier_phase;
    deliver_sync(x, &e);
}

void exec_emit_cluster_wait(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (!exec_wants(x, EVENT_CLUSTER_WAIT)) return;
    event_sync e = lanes_event(x, i, EVENT_CLUSTER_WAIT, mask);
    e.number = x->block->cluster->barrier_phase - 1; /* the round that was released */
    deliver_sync(x, &e);
}

/* ---------------------------------------------------------------- mbarrier objects */
void exec_emit_mbarrier(exec_ctx *x, const code_insn *i, const exec_mbarrier_use *use)
{
    if (!exec_wants(x, EVENT_MBARRIER)) return;
    event_sync e = lanes_event(x, i, EVENT_MBARRIER, use->mask);
    e.op = (uint8_t)use->op;
    e.address = use->address;
    e.count = use->count;
    e.bytes = use->bytes;
    e.phase = (uint8_t)use->phase;
    e.read_from = use->read_from;
    e.write = use->write;
    deliver_sync(x, &e);
}

void exec_emit_mbarrier_phase(exec_ctx *x, const code_insn *i, uint64_t address, uint32_t phase)
{
    if (!exec_wants(x, EVENT_MBARRIER_PHASE)) return;
    event_sync e = lanes_event(x, i, EVENT_MBARRIER_PHASE, 0);
    e.address = address;
    e.phase = (uint8_t)phase;
    deliver_sync(x, &e);
}

/* ---------------------------------------------------------------- asynchronous operations */
static void emit_async(exec_ctx *x, const code_insn *i, event_kind kind, const exec_async_use *use)
{
    LW_ASSERT(use->mask && use->number && use->number <= x->block->async_issued);
    event_sync e = lanes_event(x, i, kind, use->mask);
    e.number = use->number;
    e.mechanism = (uint8_t)use->mechanism;
    e.address = use->address;
    e.bytes = use->bytes;
    e.reads_only = use->reads_only;
    deliver_sync(x, &e);
}

void exec_emit_async_issue(exec_ctx *x, const code_insn *i, const exec_async_use *use)
{
    if (exec_wants(x, EVENT_ASYNC_ISSUE)) emit_async(x, i, EVENT_ASYNC_ISSUE, use);
}

void exec_emit_async_complete(exec_ctx *x, const code_insn *i, const exec_async_use *use)
{
    if (exec_wants(x, EVENT_ASYNC_COMPLETE)) emit_async(x, i, EVENT_ASYNC_COMPLETE, use);
}

event_mechanism exec_group_mechanism(const exec_ctx *x, const code_insn *i)
{
    if (i->op == OP_wgmma || i->op == OP_wgmma_commit || i->op == OP_wgmma_wait) return EVENT_BY_PRODUCTS;
    return x->event_launch->insns[i->site].bulk ? EVENT_BY_BULK_GROUP : EVENT_BY_GROUP;
}

void exec_emit_async_group(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    event_kind kind = i->group.waits ? EVENT_ASYNC_WAIT : EVENT_ASYNC_COMMIT;
    if (!exec_wants(x, kind)) return;
    event_sync e = lanes_event(x, i, kind, mask);
    e.mechanism = (uint8_t)exec_group_mechanism(x, i);
    e.count = i->group.waits ? i->group.keep : 0;
    e.reads_only = x->event_launch->insns[i->site].reads;
    deliver_sync(x, &e);
}
