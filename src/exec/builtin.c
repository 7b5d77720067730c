/* builtin.c: functions that the system provides: printf, malloc, free, assert. Their arguments lie in the caller's frame
 * as those of any call; the launch's services do the work. */
#include "exec/exec_priv.h"

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

static void result(exec_ctx *x, const code_call *call, uint32_t lane, uint64_t v)
{
    if (!call->result_count) return;
    const code_copy *c = &call->results[0];
    memcpy(place_of(x, c, lane), &v, LW_MIN(c->bytes, 8u));
}

/* Host pointer of guest memory for a built-in and how many bytes may be read there; NULL after a fault. */
static const uint8_t *guest(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint64_t *out_room)
{
    event_space space;
    mem_allocation a;
    uint64_t seen;
    const uint8_t *p = exec_lane_range(x, i, PTX_GENERIC, lane, address, 1, false, &space, &seen);
    if (!p) return NULL;
    const uint64_t slot = UINT64_C(1) << MEM_SHARED_SLOT_SHIFT;
    if (space == EVENT_LOCAL) *out_room = x->local_stride - seen;
    else if (space == EVENT_SHARED || space == EVENT_DSHARED) *out_room = x->shared_bytes - (seen & (slot - 1));
    else *out_room = mem_find(x->launch->memory, address, &a) ? a.address + a.bytes - address : 1;
    return p;
}

/* A string of the guest, to be freed. One without an end, or a very long one, is cut, and says so. NULL: a fault. */
static char *guest_text(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address)
{
    enum { LONGEST = 1 << 16 };
    uint64_t room = 0;
    const char *p = (const char *)guest(x, i, lane, address, &room);
    if (!p) return NULL;
    size_t most = (size_t)LW_MIN(room, (uint64_t)LONGEST), n = strnlen(p, most);
    const char *notice = "";
    if (n == most) notice = n < room ? "[cut]" : "[cut: no end of text]";
    char *copy = lw_alloc(n + strlen(notice) + 1);
    memcpy(copy, p, n);
    strcpy(copy + n, notice);
    return copy;
}

/* ---------------------------------------------------------------- the functions */
static void call_print(exec_ctx *x, const code_insn *i, const code_call *call, uint32_t lane)
{
    const exec_services *s = &x->launch->services;
    uint64_t arguments = argument(x, &call->arguments[1], lane), room = 0;
    char *format = guest_text(x, i, lane, argument(x, &call->arguments[0], lane));
    const uint8_t *packed = format && arguments ? guest(x, i, lane, arguments, &room) : NULL;
    if (format && (!arguments || packed))
        result(x, call, lane, (uint32_t)(s->print ? s->print(s->user, format, packed, room) : 0));
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

void run_builtin(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_call *call = i->call;
    const exec_services *s = &x->launch->services;
    for (uint32_t m = mask; m && x->go; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        switch (call->builtin) {
        case CODE_VPRINTF: call_print(x, i, call, lane); break;
        case CODE_MALLOC:
            result(x, call, lane, s->heap_alloc ? s->heap_alloc(s->user, argument(x, &call->arguments[0], lane)) : 0);
            break;
        case CODE_FREE:
            if (s->heap_free) s->heap_free(s->user, argument(x, &call->arguments[0], lane));
            break;
        case CODE_ASSERTFAIL: call_assert(x, i, call, lane); break;
        default: break;
        }
    }
    if (call->builtin == CODE_ASSERTFAIL && x->go) run_exit(x, i, mask); /* the threads end; the others go on a while */
}
