/* builtin.c: functions that the system provides: printf, malloc, free, assert, the device runtime. Their arguments lie in the caller's frame
 * as those of any call; the launch's services do the work. */
#include "exec/emit.h"
#include "exec/exec_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- arguments and texts */
/* Where a lane's argument or result lies: in the caller's frame, or in a register. */
static uint8_t *place_of(exec_ctx *x, const code_copy *c, uint32_t lane)
{
    if (c->ref != CODE_NO_REF) return x->file[c->ref & 3] + (c->ref & ~3u) + (size_t)lane * c->bytes;
    uint8_t *local = exec_warp_local(x) + (size_t)lane * x->local_stride;
    return local + x->group->frame->base + c->caller_offset;
}

static uint64_t argument(exec_ctx *x, const code_copy *c, uint32_t lane)
{
    uint64_t v = 0;
    memcpy(&v, place_of(x, c, lane), LW_MIN(c->bytes, 8u));
    return v;
}

/* The bytes of a parameter that is a structure, or a number. */
static void copy_argument(exec_ctx *x, const code_copy *c, uint32_t lane, void *out, size_t most)
{
    memcpy(out, place_of(x, c, lane), LW_MIN((size_t)c->bytes, most));
}

static void result(exec_ctx *x, const code_call *call, uint32_t lane, uint64_t v)
{
    if (!call->result_count) return;
    const code_copy *c = &call->results[0];
    memcpy(place_of(x, c, lane), &v, LW_MIN(c->bytes, 8u));
}

/* Arguments or results that lie in the callers' frames are accesses to local memory. */
static void tell_frames(exec_ctx *x, const code_insn *i, event_op op, const code_copy *copies, uint32_t count,
                        uint32_t mask)
{
    for (uint32_t k = 0; k < count; k++) {
        if (copies[k].ref != CODE_NO_REF) continue;
        uint64_t offset = (uint64_t)x->group->frame->base + copies[k].caller_offset;
        exec_bytes bytes = {op, EVENT_LOCAL, mask, copies[k].bytes, offset, NULL, NULL};
        exec_emit_bytes(x, i, &bytes);
    }
}

/* Guest memory that a built-in reads for a lane. */
typedef struct guest {
    const uint8_t *data; /* NULL: a fault */
    uint64_t room;       /* bytes that may be read */
    event_space space;
    uint64_t address; /* as events say it */
} guest;

static guest guest_at(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address)
{
    guest g = {0};
    mem_allocation a;
    g.data = exec_lane_range(x, i, PTX_GENERIC, lane, address, 1, false, &g.space, &g.address);
    if (!g.data) return g;
    const uint64_t slot = UINT64_C(1) << MEM_SHARED_SLOT_SHIFT;
    if (g.space == EVENT_LOCAL) g.room = x->local_stride - g.address;
    else if (g.space == EVENT_SHARED || g.space == EVENT_DSHARED) g.room = x->shared_bytes - (g.address & (slot - 1));
    else g.room = mem_find(x->launch->memory, address, &a) ? a.address + a.bytes - address : 1;
    return g;
}

/* The first bytes of it were read. */
static void tell_guest(exec_ctx *x, const code_insn *i, uint32_t lane, const guest *g, uint64_t bytes)
{
    exec_bytes read = {EVENT_LOAD, g->space, UINT32_C(1) << lane, (uint32_t)bytes, g->address, NULL, NULL};
    exec_emit_bytes(x, i, &read);
}

/* A string of the guest, to be freed. One without an end, or a very long one, is cut, and says so. NULL: a fault. */
static char *guest_text(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address)
{
    enum { LONGEST = 1 << 16 };
    guest g = guest_at(x, i, lane, address);
    if (!g.data) return NULL;
    size_t most = (size_t)LW_MIN(g.room, (uint64_t)LONGEST), n = strnlen((const char *)g.data, most);
    const char *notice = "";
    if (n == most) notice = n < g.room ? "[cut]" : "[cut: no end of text]";
    tell_guest(x, i, lane, &g, n < most ? n + 1 : n);
    char *copy = lw_alloc(n + strlen(notice) + 1);
    memcpy(copy, g.data, n);
    strcpy(copy + n, notice);
    return copy;
}

/* ---------------------------------------------------------------- the functions */
typedef struct string_reader {
    exec_ctx *x;
    const code_insn *insn;
    uint32_t lane;
} string_reader;

/* Only of shared and local memory, which the host does not know. */
static char *read_string(void *reader, uint64_t address)
{
    string_reader *r = reader;
    if (!mem_in_shared_window(address) && !mem_in_local_window(address)) return NULL;
    return guest_text(r->x, r->insn, r->lane, address);
}

/* The lanes of a call of printf, as they come. */
typedef struct print_lanes {
    uint32_t lanes;
    uint64_t text_at; /* of the first lane, exec_printed.text_at */
    event_print print;
} print_lanes;

static void add_lane(print_lanes *p, uint64_t format_at, const char *format, const exec_printed *took)
{
    const event_print *first = &p->print;
    uint32_t bytes = (uint32_t)strlen(format);
    if (!p->lanes++) {
        p->text_at = took->text_at;
        p->print = (event_print){.format_at = format_at,
                                 .format_bytes = bytes,
                                 .arguments = took->arguments,
                                 .wide = took->wide,
                                 .strings = took->strings,
                                 .text_bytes = took->text_bytes,
                                 .text_local = took->text_local,
                                 .text_shared = took->text_shared,
                                 .text_room = took->text_room,
                                 .elsewhere = mem_in_shared_window(format_at) || mem_in_local_window(format_at)};
    } else if (format_at != first->format_at || bytes != first->format_bytes || took->text_at != p->text_at ||
               took->text_bytes != first->text_bytes) {
        p->print.differs = true;
    }
}

static void call_print(exec_ctx *x, const code_insn *i, const code_call *call, uint32_t lane, print_lanes *lanes)
{
    const exec_services *s = &x->launch->services;
    uint64_t arguments = argument(x, &call->arguments[1], lane), at = argument(x, &call->arguments[0], lane);
    exec_printed took = {0};
    char *format = guest_text(x, i, lane, at);
    guest packed = {0};
    if (format && arguments) packed = guest_at(x, i, lane, arguments);
    if (format && (!arguments || packed.data)) {
        string_reader reader = {x, i, lane};
        exec_strings strings = {&reader, read_string};
        int done = s->print ? s->print(s->user, format, packed.data, packed.room, &took, &strings) : 0;
        result(x, call, lane, (uint32_t)done);
        tell_guest(x, i, lane, &packed, took.read);
        add_lane(lanes, at, format, &took);
    }
    free(format);
}

/* One line as a card prints it. */
static void call_assert(exec_ctx *x, const code_insn *i, const code_call *call, uint32_t lane)
{
    enum { TEXT, FILE_NAME, FUNCTION = 3, TEXTS };
    char *text[TEXTS] = {NULL};
    bool good = true;
    for (uint32_t k = 0; k < TEXTS && good; k++)
        if (k != 2) good = (text[k] = guest_text(x, i, lane, argument(x, &call->arguments[k], lane))) != NULL;
    uint32_t thread[3];
    exec_thread_of_lane(x->warp, lane, x->launch->block, thread);
    if (good)
        exec_assert(x, i, lane, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
                    text[FILE_NAME], (uint32_t)argument(x, &call->arguments[2], lane), text[FUNCTION], x->block->id[0],
                    x->block->id[1], x->block->id[2], thread[0], thread[1], thread[2], text[TEXT]);
    for (uint32_t k = 0; k < TEXTS; k++) free(text[k]);
}

/* What the call's pointer argument names, checked; NULL: a fault, if the call has one. */
static uint8_t *named_by(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, event_op op)
{
    const code_builtin_info *info = &code_builtins[i->call->builtin];
    event_space space;
    uint64_t at;
    uint8_t *p = exec_lane_range(x, i, PTX_GENERIC, lane, address, info->bytes, op == EVENT_STORE, &space, &at);
    if (!p) return NULL;
    exec_bytes bytes = {op, space, UINT32_C(1) << lane, info->bytes, at, NULL, NULL};
    exec_emit_bytes(x, i, &bytes);
    return p;
}

static void call_device(exec_ctx *x, const code_insn *i, const code_call *call, uint32_t lane)
{
    const exec_services *s = &x->launch->services;
    const code_builtin_info *info = &code_builtins[call->builtin];
    exec_device_call asked = {.function = call->builtin, .site = i->site, .block = x->block->linear};
    asked.thread = x->warp->index * 32 + lane;
    for (uint32_t k = 0; k < call->argument_count; k++)
        copy_argument(x, &call->arguments[k], lane, asked.argument[k], sizeof asked.argument[k]);
    uint64_t pointer = asked.argument[info->pointer][0];
    if (info->way == CODE_READS) {
        const uint8_t *data = named_by(x, i, lane, pointer, EVENT_LOAD);
        if (!data) return;
        memcpy(asked.data, data, info->bytes);
    }
    if (s->device_call) s->device_call(s->user, &asked);
    if (asked.illegal) {
        exec_fail(x, i, EXEC_ILLEGAL_ADDRESS, lane, asked.argument[0][0], 4, true, "global",
                  "the handle is none that a kernel may use here: a condition's of the graph that runs, or a graph's, "
                  "by a kernel of a graph");
        return;
    }
    if (info->way == CODE_WRITES && !asked.result) {
        uint8_t *data = named_by(x, i, lane, pointer, EVENT_STORE);
        if (!data) return;
        memcpy(data, asked.data, info->bytes);
    }
    result(x, call, lane, asked.result);
}

/* To free a block is to write all of it: nobody else may use it at that time. */
static void call_free(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address)
{
    const exec_services *s = &x->launch->services;
    uint64_t bytes = 0;
    if (s->heap_free(s->user, address, &bytes)) {
        exec_bytes freed = {.op = EVENT_STORE, .space = EVENT_GLOBAL, .mask = 1u << lane, .address = address};
        freed.bytes = (uint32_t)LW_MIN(bytes, (uint64_t)UINT32_MAX);
        exec_emit_bytes(x, i, &freed);
        return;
    }
    exec_fault *record = exec_pass(x, i, EXEC_ILLEGAL_ADDRESS, lane, (uint32_t)EVENT_GLOBAL << 8 | MEM_HEAP);
    if (!record) return;
    record->address = address;
    record->space = "global";
    snprintf(record->message, sizeof record->message,
             "free(0x%llx): no block of the device heap begins there; it was freed before, or malloc() did not give it",
             (unsigned long long)address);
}

void run_builtin(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_call *call = i->call;
    const exec_services *s = &x->launch->services;
    print_lanes printed = {0};
    uint64_t bytes, asked = 0; /* of malloc: by a lane, by all */
    tell_frames(x, i, EVENT_LOAD, call->arguments, call->argument_count, mask);
    for (uint32_t m = mask; m && x->go; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        switch (call->builtin) {
        case CODE_VPRINTF: call_print(x, i, call, lane, &printed); break;
        case CODE_MALLOC:
            bytes = argument(x, &call->arguments[0], lane);
            asked += bytes;
            result(x, call, lane, s->heap_alloc ? s->heap_alloc(s->user, bytes) : 0);
            break;
        case CODE_FREE:
            if (s->heap_free) call_free(x, i, lane, argument(x, &call->arguments[0], lane));
            break;
        case CODE_ASSERTFAIL: call_assert(x, i, call, lane); break;
        default: call_device(x, i, call, lane); break;
        }
    }
    bool frees = call->builtin == CODE_FREE;
    if (frees || call->builtin == CODE_MALLOC) exec_emit_heap_call(x, i, mask, frees, asked);
    if (printed.lanes) exec_emit_print(x, i, mask, &printed.print);
    if (x->go) tell_frames(x, i, EVENT_STORE, call->results, call->result_count, mask);
    if (call->builtin == CODE_ASSERTFAIL && x->go) run_exit(x, i, mask); /* the threads end; the others go on a while */
}
