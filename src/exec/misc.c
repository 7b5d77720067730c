/* misc.c: micro-operations of no family: selection, packing, extended precision, clocks, address conversion, stack,
 * built-in functions (printf, malloc, free, assert). */
#include "exec/warp.h"
#include "ptx/semantics.h"

#include <stdlib.h>
#include <string.h>

#define LANES_OF(mask) for (uint32_t m_ = (mask), l; m_ && (l = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

/* ---------------------------------------------------------------- selection */
#define SELECT(name, T)                                                                                                \
    void name(exec_ctx *x, const code_insn *i, uint32_t mask)                                                          \
    {                                                                                                                  \
        T *d = LANES(T, i->d);                                                                                         \
        const T *a = LANES(T, i->a), *b = LANES(T, i->b);                                                              \
        uint32_t p = PREDICATE(i->c);                                                                                  \
        _Pragma("GCC ivdep") for (uint32_t l = 0; l < 32; l++)                                                         \
        {                                                                                                              \
            T v = p >> l & 1 ? a[l] : b[l];                                                                            \
            d[l] = mask >> l & 1 ? v : d[l];                                                                           \
        }                                                                                                              \
    }
SELECT(run_selp16, uint16_t)
SELECT(run_selp32, uint32_t)
SELECT(run_selp64, uint64_t)

void run_select_pred(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t p = PREDICATE(i->c);
    uint8_t *d = x->file[i->d & 3] + (i->d & ~3u);
    LANES_OF(mask)
    {
        uint64_t v = p >> l & 1 ? i->value.bits : 0;
        memcpy(d + (size_t)l * i->value.bytes, &v, i->value.bytes);
    }
}

void run_mov128(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint8_t *d = LANES(uint8_t, i->d);
    const uint8_t *a = LANES(uint8_t, i->a);
    LANES_OF(mask) memmove(d + 16 * l, a + 16 * l, 16);
}

void run_pack(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->pack.list;
    uint8_t *d = LANES(uint8_t, i->d);
    for (uint32_t k = 0; k < i->pack.count; k++) {
        const uint8_t *s = x->file[list->ref[k] & 3] + (list->ref[k] & ~3u);
        LANES_OF(mask)
        memcpy(d + (size_t)l * i->pack.whole_bytes + k * i->pack.bytes, s + (size_t)l * i->pack.bytes, i->pack.bytes);
    }
}

void run_unpack(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->pack.list;
    const uint8_t *s = LANES(uint8_t, i->a);
    for (uint32_t k = 0; k < i->pack.count; k++) {
        if (list->ref[k] == CODE_NO_REF) continue;
        uint8_t *d = x->file[list->ref[k] & 3] + (list->ref[k] & ~3u);
        LANES_OF(mask)
        memcpy(d + (size_t)l * i->pack.bytes, s + (size_t)l * i->pack.whole_bytes + k * i->pack.bytes, i->pack.bytes);
    }
}

void run_bfi32(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t *d = LANES(uint32_t, i->d);
    const uint32_t *a = LANES(uint32_t, i->a), *b = LANES(uint32_t, i->b), *c = LANES(uint32_t, i->c),
                   *e = LANES(uint32_t, i->e);
    LANES_OF(mask) d[l] = bfi_b32(a[l], b[l], c[l], e[l]);
}

void run_bfi64(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t *d = LANES(uint64_t, i->d);
    const uint64_t *a = LANES(uint64_t, i->a), *b = LANES(uint64_t, i->b);
    const uint32_t *c = LANES(uint32_t, i->c), *e = LANES(uint32_t, i->e);
    LANES_OF(mask) d[l] = bfi_b64(a[l], b[l], c[l], e[l]);
}

void run_lop3_pred(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->lop3.list;
    uint32_t *d = LANES(uint32_t, i->d), word = 0, q = PREDICATE(list->ref[1]);
    const uint32_t *a = LANES(uint32_t, i->a), *b = LANES(uint32_t, i->b), *c = LANES(uint32_t, i->c);
    LANES_OF(mask)
    {
        uint32_t v = lop3(a[l], b[l], c[l], i->lop3.table);
        d[l] = v;
        word |= (uint32_t)(v != 0) << l;
    }
    word = i->lop3.is_and ? word & q : word | q;
    PREDICATE(list->ref[0]) = (PREDICATE(list->ref[0]) & ~mask) | (word & mask);
}

/* ---------------------------------------------------------------- extended precision
 * e is CC.CF. After a subtraction it is the carry of a + ~b + 1, so 1 means no borrow: nvcc's 128-bit division reads it
 * with addc after a chain of subc. */
void run_add_cc(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t carry = PREDICATE(i->e), out = carry;
    bool subtract = i->carry.subtract;
    LANES_OF(mask)
    {
        uint64_t a = i->carry.bytes == 8 ? LANES(uint64_t, i->a)[l] : LANES(uint32_t, i->a)[l];
        uint64_t b = i->carry.bytes == 8 ? LANES(uint64_t, i->b)[l] : LANES(uint32_t, i->b)[l];
        unsigned in = i->carry.reads ? (carry >> l & 1) ^ subtract : 0;
        unsigned __int128 r = subtract ? (unsigned __int128)a - b - in : (unsigned __int128)a + b + in;
        bool c = subtract ? (unsigned __int128)a >= (unsigned __int128)b + in : (r >> (8 * i->carry.bytes)) & 1;
        if (i->carry.bytes == 8) LANES(uint64_t, i->d)[l] = (uint64_t)r;
        else LANES(uint32_t, i->d)[l] = (uint32_t)r;
        out = c ? out | 1u << l : out & ~(1u << l);
    }
    if (i->carry.writes) PREDICATE(i->e) = out;
}

void run_mad_cc(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t carry = PREDICATE(i->e), out = carry;
    bool hi = i->carry.high, is_signed = i->carry.is_signed;
    LANES_OF(mask)
    {
        uint64_t product, c;
        if (i->carry.bytes == 8) {
            uint64_t a = LANES(uint64_t, i->a)[l], b = LANES(uint64_t, i->b)[l];
            product = !hi ? a * b : is_signed ? (uint64_t)mul_hi_s64((int64_t)a, (int64_t)b) : mul_hi_u64(a, b);
            c = LANES(uint64_t, i->c)[l];
        } else {
            uint32_t a = LANES(uint32_t, i->a)[l], b = LANES(uint32_t, i->b)[l];
            product = !hi         ? a * b
                      : is_signed ? (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32)
                                  : (uint32_t)((uint64_t)a * b >> 32);
            c = LANES(uint32_t, i->c)[l];
        }
        unsigned __int128 r = (unsigned __int128)product + c + (i->carry.reads ? carry >> l & 1 : 0);
        if (i->carry.bytes == 8) LANES(uint64_t, i->d)[l] = (uint64_t)r;
        else LANES(uint32_t, i->d)[l] = (uint32_t)r;
        out = r >> (8 * i->carry.bytes) & 1 ? out | 1u << l : out & ~(1u << l);
    }
    if (i->carry.writes) PREDICATE(i->e) = out;
}

/* ---------------------------------------------------------------- clocks: virtual, deterministic, per warp */
void run_clock(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t v = x->warp->clock += EXEC_CLOCK_READ;
    uint8_t *d = x->file[i->d & 3] + (i->d & ~3u);
    switch (i->special.which) {
    case PTX_SPECIAL_CLOCK_HI: v >>= 32; break;
    case PTX_SPECIAL_GLOBALTIMER: v = UINT64_C(1700000000000000000) + v; break;
    case PTX_SPECIAL_GLOBALTIMER_LO: v = (uint32_t)(UINT64_C(1700000000000000000) + v); break;
    case PTX_SPECIAL_GLOBALTIMER_HI: v = (UINT64_C(1700000000000000000) + v) >> 32; break;
    case PTX_SPECIAL_PM:
    case PTX_SPECIAL_PM64: v = 0; break;
    default: break;
    }
    LANES_OF(mask) memcpy(d + (size_t)l * i->special.bytes, &v, i->special.bytes);
}

void run_nanosleep(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    x->warp->clock += LANES(uint32_t, i->a)[__builtin_ctz(mask)];
    x->slice -= EXEC_COST_SLEEP; /* whoever sleeps waits for somebody */
}

void run_nop(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)x, (void)i, (void)mask; }

/* ---------------------------------------------------------------- addresses */
void run_cvta(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t window = i->window.space == PTX_LOCAL ? MEM_LOCAL_WINDOW : MEM_SHARED_WINDOW;
    LANES_OF(mask)
    {
        uint64_t a = i->window.bytes == 8 ? LANES(uint64_t, i->a)[l] : LANES(uint32_t, i->a)[l];
        uint64_t r = i->window.to_space ? a - window : a + window;
        if (i->window.bytes == 8) LANES(uint64_t, i->d)[l] = r;
        else LANES(uint32_t, i->d)[l] = (uint32_t)r;
    }
}

static bool lies_in(exec_ctx *x, uint64_t a, ptx_space space)
{
    mem_allocation allocation;
    switch (space) {
    case PTX_SHARED:
        return mem_in_shared_window(a) && (a - MEM_SHARED_WINDOW) >> MEM_SHARED_SLOT_SHIFT == x->block->rank;
    case PTX_SHARED_CLUSTER: return mem_in_shared_window(a);
    case PTX_LOCAL: return mem_in_local_window(a);
    case PTX_CONST: return mem_find(x->launch->memory, a, &allocation) && allocation.kind == MEM_CONST_VAR;
    case PTX_PARAM: return a - x->worker->run->params_address < LW_MAX(x->launch->kernel->param_bytes, 1u);
    default: return !mem_in_shared_window(a) && !mem_in_local_window(a);
    }
}

void run_isspacep(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t word = 0;
    LANES_OF(mask)
    {
        uint64_t a = i->window.bytes == 8 ? LANES(uint64_t, i->a)[l] : LANES(uint32_t, i->a)[l];
        word |= (uint32_t)lies_in(x, a, (ptx_space)i->window.space) << l;
    }
    PREDICATE(i->d) = (PREDICATE(i->d) & ~mask) | word;
}

/* ---------------------------------------------------------------- stack */
static void store_uint(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask, uint64_t v)
{
    uint8_t *d = x->file[ref & 3] + (ref & ~3u);
    LANES_OF(mask) memcpy(d + (size_t)l * bytes, &v, bytes);
}

/* The address of a byte of the function's frame. */
void run_frame_address(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t window = i->stack.generic ? MEM_LOCAL_WINDOW : 0;
    store_uint(x, i->d, i->stack.bytes, mask, window + x->group->frame->base + (uint64_t)i->stack.offset);
}

/* Aligned new bytes above the frame. */
void run_alloca(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_frame *f = x->group->frame;
    uint64_t most = 0;
    LANES_OF(mask)
    {
        uint64_t n = i->stack.bytes == 8 ? LANES(uint64_t, i->a)[l] : LANES(uint32_t, i->a)[l];
        most = LW_MAX(most, n);
    }
    uint64_t at =
        lw_round_up((uint64_t)f->base + f->function->local_bytes + f->extra, (uint64_t)LW_MAX(i->stack.alignment, 16));
    if (most > x->local_stride || at + most > x->local_stride) {
        exec_fail(x, i, EXEC_STACK_OVERFLOW, (uint32_t)__builtin_ctz(mask), at, (uint32_t)most, true, "local",
                  "alloca of %llu bytes exceeds the stack (cudaLimitStackSize)", (unsigned long long)most);
        return;
    }
    store_uint(x, i->d, i->stack.bytes, mask, at);
    f->extra = (uint32_t)(lw_round_up(at + most, 16) - f->base - f->function->local_bytes);
}

void run_stacksave(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    store_uint(x, i->d, i->stack.bytes, mask, x->group->frame->extra);
}

void run_stackrestore(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t v =
        i->stack.bytes == 8 ? LANES(uint64_t, i->a)[__builtin_ctz(mask)] : LANES(uint32_t, i->a)[__builtin_ctz(mask)];
    if (v > x->local_stride) {
        exec_fail(x, i, EXEC_STACK_OVERFLOW, (uint32_t)__builtin_ctz(mask), v, 0, false, "local",
                  "stackrestore of a value that no stacksave gave");
        return;
    }
    x->group->frame->extra = (uint32_t)v;
}

/* ---------------------------------------------------------------- built-in functions */
static uint64_t argument(exec_ctx *x, const code_copy *c, uint32_t lane)
{
    uint64_t v = 0;
    const uint8_t *p = c->ref == CODE_NO_REF ? exec_warp_local(x) + (size_t)lane * x->local_stride +
                                                   x->group->frame->base + c->caller_offset
                                             : x->file[c->ref & 3] + (c->ref & ~3u) + (size_t)lane * c->bytes;
    memcpy(&v, p, LW_MIN(c->bytes, 8u));
    return v;
}

static void result(exec_ctx *x, const code_call *call, uint32_t lane, uint64_t v)
{
    if (!call->result_count) return;
    const code_copy *c = &call->results[0];
    uint8_t *p = c->ref == CODE_NO_REF
                     ? exec_warp_local(x) + (size_t)lane * x->local_stride + x->group->frame->base + c->caller_offset
                     : x->file[c->ref & 3] + (c->ref & ~3u) + (size_t)lane * c->bytes;
    memcpy(p, &v, LW_MIN(c->bytes, 8u));
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

/* A string of the guest, to be freed. One that has no end, or a very long one, is cut, and says so. NULL after a fault.
 */
static char *guest_text(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address)
{
    enum { LONGEST = 1 << 16 };
    uint64_t room = 0;
    const char *p = (const char *)guest(x, i, lane, address, &room);
    if (!p) return NULL;
    size_t n = strnlen(p, (size_t)LW_MIN(room, (uint64_t)LONGEST));
    const char *notice = n < LW_MIN(room, (uint64_t)LONGEST) ? "" : n < room ? "[cut]" : "[cut: no end of text]";
    char *copy = lw_alloc(n + strlen(notice) + 1);
    memcpy(copy, p, n);
    strcpy(copy + n, notice);
    return copy;
}

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
        exec_fail(x, i, EXEC_ASSERT, lane, 0, 0, false, "code",
                  "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.", text[FILE_NAME],
                  (uint32_t)argument(x, &call->arguments[2], lane), text[FUNCTION], x->block->id[0], x->block->id[1],
                  x->block->id[2], thread[0], thread[1], thread[2], text[TEXT]);
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
        case CODE_ASSERTFAIL: call_assert(x, i, call, lane); return;
        default: break;
        }
    }
}
