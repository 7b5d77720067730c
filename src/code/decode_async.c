/* decode_async.c: cluster addresses, asynchronous copies (cp.async, bulk), mbarrier objects, asynchronous stores.
 *
 * An instruction with several addresses has its destination as the micro-operation's own address and the others in its
 * operand list, each as one 64-bit lane value; shared addresses there carry the block's rank (rank << 24 | offset).
 * Cache hints are accepted and have no effect. Forms that need sm_100 are refused. */
#include "code/decode.h"
#include "event/event.h"

#include <string.h>

/* ---------------------------------------------------------------- helpers */

static code_ref add_offset(decoder *d, code_ref base, uint32_t bytes, int64_t offset)
{
    if (!offset) return base;
    code_ref t = decode_temp(d, bytes);
    code_ref o = decode_constant(d, (uint64_t)offset, bytes);
    code_insn *i = decode_emit_unguarded(d, bytes == 8 ? OP_add_u64 : OP_add_u32);
    i->d = t;
    i->a = base;
    i->b = o;
    return t;
}

/* The whole address [o] as one 64-bit lane value. */
code_ref decode_address_value(decoder *d, const ptx_operand *o, ptx_space space)
{
    if (o->kind == PTX_OP_ADDRESS && o->reg < 0 && o->variable && o->variable->space == PTX_SHARED &&
        space != PTX_GENERIC) {
        ptx_operand v = *o;
        v.kind = PTX_OP_VARIABLE;
        return decode_source(d, &v, LANE_u64);
    }
    decode_place a = decode_address(d, o, space);
    if (a.base == CODE_NO_REF) return decode_constant(d, (uint64_t)a.offset, 8);
    if (a.base_bytes == 8) return add_offset(d, a.base, 8, a.offset);
    code_ref narrow = add_offset(d, a.base, 4, a.offset);
    code_ref t = decode_temp(d, 8);
    code_insn *i = decode_emit_unguarded(d, OP_cvt_u64_u32);
    i->d = t;
    i->a = narrow;
    return t;
}

void decode_set_memory(code_insn *i, const code_list *list, ptx_space space, uint32_t bytes, uint32_t vector)
{
    i->mem.list = list;
    i->mem.space = (uint8_t)space;
    i->mem.bytes = (uint8_t)bytes;
    i->mem.vector = (uint8_t)vector;
}

ptx_space decode_space_in(const decode_parts *p)
{
    ptx_space s = PTX_GENERIC;
    for (uint32_t k = 1; k < p->count; k++)
        if (decode_space_part(p, k, &s)) break;
    return s;
}

int decode_operation_in(const decode_parts *p)
{
    static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    for (uint32_t k = 1; k < p->count; k++)
        for (size_t n = 0; n < LW_COUNT(names); n++)
            if (decode_part_is(p, k, names[n])) return (int)n;
    return -1;
}

static uint8_t atomic_kind(int operation, ptx_type type)
{
    if (operation != ATOM_ADD) return EVENT_ATOMIC_OTHER;
    char c = ptx_type_class(type);
    return c == 'U' || c == 'S' ? EVENT_ATOMIC_ADD : EVENT_ATOMIC_FADD;
}

/* Types that an operation of red.async and cp.reduce.async.bulk exists for. */
static bool reducible(int operation, ptx_type type, bool global)
{
    static const char *const shared[] = {"u32 s32 u64 s64", "u32 s32", "u32 s32", "u32", "u32", "b32", "b32", "b32"};
    static const char *const all[] = {"u32 s32 u64 f16 bf16 f32 f64",
                                      "u32 s32 u64 s64 f16 bf16",
                                      "u32 s32 u64 s64 f16 bf16",
                                      "u32",
                                      "u32",
                                      "b32 b64",
                                      "b32 b64",
                                      "b32 b64"};
    const char *name = type == PTX_NO_TYPE ? "" : ptx_type_name(type);
    return operation >= 0 && decode_word_in(global ? all[operation] : shared[operation], name, strlen(name));
}

/* ---------------------------------------------------------------- cluster addresses */
static lane_type address_lane(const decode_parts *p)
{
    return ptx_type_bytes(decode_last_type(p)) == 4 ? LANE_u32 : LANE_u64;
}

/* mapa{.space}.type d, a, b: the address in the shared memory of the block of rank b that corresponds to a in the
 * own. */
void decode_mapa(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (!decode_known_parts(d, &p, 1, "shared::cluster u32 u64") || !decode_operands_are(d, 3)) return;
    lane_type t = address_lane(&p);
    ptx_operand from = d->ops[1];
    bool generic_variable = from.kind == PTX_OP_VARIABLE && decode_space_in(&p) == PTX_GENERIC && t == LANE_u64;
    if (generic_variable) from.kind = PTX_OP_ADDRESS;
    code_ref a = generic_variable ? decode_address_value(d, &from, PTX_GENERIC) : decode_source(d, &from, t);
    code_ref rank = decode_source(d, &d->ops[2], LANE_u32);
    code_ref r = decode_result(d, &d->ops[0], t);
    code_insn *i = decode_emit(d, OP_mapa);
    i->d = r;
    i->a = a;
    i->b = rank;
    i->window.space = (uint8_t)decode_space_in(&p);
    i->window.bytes = (uint8_t)code_lane_bytes(t);
    d->kernel->uses_cluster = true;
    decode_flush(d);
}

/* getctarank{.space}.type d, a: the rank of the block whose shared memory a lies in. */
void decode_getctarank(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (!decode_known_parts(d, &p, 1, "shared::cluster u32 u64") || !decode_operands_are(d, 2)) return;
    lane_type t = address_lane(&p);
    code_ref a = decode_source(d, &d->ops[1], t);
    code_ref r = decode_result(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_getctarank);
    i->d = r;
    i->a = a;
    i->window.space = (uint8_t)decode_space_in(&p);
    i->window.bytes = (uint8_t)code_lane_bytes(t);
    decode_flush(d);
}

/* ---------------------------------------------------------------- cp.async */
static bool is_predicate(const decoder *d, const ptx_operand *o)
{
    return o->kind == PTX_OP_REG && (o->negated || !d->vregs.items[o->reg].bytes);
}

/* cp.async.ca|cg.shared.global [dst], [src], cp-size {, src-size | ignore-src} {, cache-policy} */
static void decode_copy_16(decoder *d, const decode_parts *p)
{
    bool bypass = decode_part_is(p, 2, "cg");
    bool policy = decode_parts_have(p, "L2::cache_hint");
    int64_t bytes = 0;
    if (!decode_known_parts(d, p, 3, "shared shared::cta global L2::cache_hint L2::64B L2::128B L2::256B") ||
        !decode_operands_between(d, 3u + policy, 4u + policy))
        return;
    if (!decode_is_int(&d->ops[2], &bytes) || (bytes != 16 && (bypass || (bytes != 4 && bytes != 8)))) {
        decode_problem(d, "the size of '%s' must be %s", d->in->mnemonic, bypass ? "16" : "4, 8 or 16");
        return;
    }
    const ptx_operand *extra = d->in->operand_count > 3u + policy ? &d->ops[3] : NULL;
    decode_place to = decode_address(d, &d->ops[0], PTX_SHARED);
    code_list *l = decode_new_list(d, 2);
    l->ref[0] = decode_address_value(d, &d->ops[1], PTX_GLOBAL);
    code_ref ignore = CODE_NO_REF;
    if (extra && is_predicate(d, extra)) ignore = decode_source_pred(d, extra);
    else if (extra) l->ref[1] = decode_source(d, extra, LANE_u32);
    code_insn *i = decode_emit(d, OP_cp_async);
    decode_set_address(i, &to);
    i->c = ignore;
    decode_set_memory(i, l, PTX_SHARED, (uint32_t)bytes, 1);
    i->event_op = EVENT_COPY_WRITE;
    i->event_flags = bypass ? EVENT_BYPASS_L1 : 0;
    decode_last_info(d)->list = l;
    d->body->uses_cp_async = true;
    decode_note_memory(d);
}

/* commit_group, wait_group N, wait_all; bulk: cp.async.bulk.commit_group, .wait_group{.read} N */
static void decode_group(decoder *d, bool commit, bool all)
{
    int64_t n = 0;
    if (!commit && !all && (d->in->operand_count != 1 || !decode_is_int(&d->ops[0], &n))) {
        decode_problem(d, "the operand of '%s' must be an integer constant", d->in->mnemonic);
        return;
    }
    code_insn *i = decode_emit(d, OP_cp_async_group);
    i->group.waits = !commit;
    i->group.keep = (uint32_t)n;
    d->body->uses_cp_async = true;
}

/* ---------------------------------------------------------------- bulk copies */
static int bulk_direction(const decode_parts *p, uint32_t at)
{
    bool to_cluster = decode_part_is(p, at, "shared::cluster");
    bool to_cta = decode_part_is(p, at, "shared::cta");
    if (decode_part_is(p, at, "global") && decode_part_is(p, at + 1, "shared::cta")) return BULK_SHARED_TO_GLOBAL;
    if ((to_cluster || to_cta) && decode_part_is(p, at + 1, "global")) return BULK_GLOBAL_TO_SHARED;
    if (to_cluster && decode_part_is(p, at + 1, "shared::cta")) return BULK_SHARED_TO_SHARED;
    return -1;
}

/* [dst], [src], size {, [mbar]} {, ctaMask} {, cache-policy} {, byteMask} */
static void emit_bulk(decoder *d, const decode_parts *p, uint32_t at, int operation)
{
    int direction = bulk_direction(p, at);
    bool to_global = direction == BULK_SHARED_TO_GLOBAL;
    bool multicast = decode_parts_have(p, "multicast::cluster");
    bool policy = decode_parts_have(p, "L2::cache_hint");
    bool masked = decode_parts_have(p, "cp_mask");
    uint32_t want = 3u + !to_global + multicast + policy + masked, k = 3;
    if (direction < 0) {
        decode_problem(d, "'%s': bulk copies between these state spaces do not exist", d->in->mnemonic);
        return;
    }
    if (!decode_operands_between(d, want, want)) return;
    if (decode_parts_have(p, to_global ? "mbarrier::complete_tx::bytes" : "bulk_group")) {
        decode_problem(d, "'%s': this completion mechanism does not exist for its destination", d->in->mnemonic);
        return;
    }
    ptx_space own = decode_part_is(p, at, "shared::cta") ? PTX_SHARED : PTX_SHARED_CLUSTER;
    code_list *l = decode_new_list(d, 5);
    code_ref to = decode_address_value(d, &d->ops[0], to_global ? PTX_GLOBAL : own);
    l->ref[0] = decode_address_value(d, &d->ops[1], direction == BULK_GLOBAL_TO_SHARED ? PTX_GLOBAL : PTX_SHARED);
    l->ref[1] = decode_source(d, &d->ops[2], LANE_u32);
    if (!to_global) l->ref[2] = decode_address_value(d, &d->ops[k++], own);
    if (multicast) l->ref[3] = decode_source(d, &d->ops[k++], LANE_u16);
    if (policy) k++;
    if (masked) l->ref[4] = decode_source(d, &d->ops[k++], LANE_u16);
    ptx_type type = operation < 0 ? PTX_NO_TYPE : decode_last_type(p);
    code_insn *i = decode_emit(d, OP_bulk);
    i->a = to;
    decode_set_memory(i, l, to_global ? PTX_GLOBAL : own, 16, 1);
    i->mem.atomic.operation = operation < 0 ? CODE_NO_OPERATION : (uint8_t)operation;
    i->mem.atomic.type = (uint8_t)type;
    i->mem.atomic.direction = (uint8_t)direction;
    if (operation >= 0) i->mem.atomic.event_class = atomic_kind(operation, type);
    i->event_op = operation < 0 ? EVENT_COPY_WRITE : EVENT_REDUCTION;
    i->event_flags = EVENT_BULK;
    decode_last_info(d)->list = l;
    if (multicast) d->kernel->uses_cluster = true;
    decode_note_memory(d);
}

/* cp.async.bulk: copies, their groups, prefetches (no effect). */
static void decode_bulk(decoder *d, const decode_parts *p)
{
    if (decode_part_is(p, 3, "commit_group")) {
        decode_group(d, true, false);
    } else if (decode_part_is(p, 3, "wait_group")) {
        if (decode_known_parts(d, p, 4, "read")) decode_group(d, false, false);
    } else if (decode_part_is(p, 3, "prefetch")) {
        if (!decode_known_parts(d, p, 4, "L2 global L2::cache_hint")) return;
        decode_emit(d, OP_nop); /* no effect on results */
    } else if (decode_known_parts(d, p, 3,
                                  "shared::cluster shared::cta global mbarrier::complete_tx::bytes bulk_group "
                                  "multicast::cluster L2::cache_hint cp_mask")) {
        emit_bulk(d, p, 3, -1);
    }
}

/* cp.reduce.async.bulk.dst.src.completion{.L2::cache_hint}.op{.noftz}.type */
static void decode_bulk_reduction(decoder *d, const decode_parts *p)
{
    int operation = decode_operation_in(p);
    if (!decode_part_is(p, 2, "async") || !decode_part_is(p, 3, "bulk")) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return;
    }
    if (!decode_known_parts(
            d, p, 4,
            "shared::cluster shared::cta global mbarrier::complete_tx::bytes bulk_group L2::cache_hint noftz "
            "add min max inc dec and or xor u32 s32 u64 s64 b32 b64 f16 bf16 f32 f64"))
        return;
    if (!reducible(operation, decode_last_type(p), decode_part_is(p, 4, "global"))) {
        decode_problem(d, "'%s': the operation does not exist for this type", d->in->mnemonic);
        return;
    }
    emit_bulk(d, p, 4, operation);
}

/* cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [addr] */
static void decode_async_arrive(decoder *d, const decode_parts *p)
{
    if (!decode_part_is(p, 3, "arrive") || !decode_known_parts(d, p, 4, "noinc shared shared::cta b64") ||
        !decode_operands_are(d, 1))
        return;
    ptx_space space = decode_space_in(p);
    decode_place at = decode_address(d, &d->ops[0], space);
    code_insn *i = decode_emit(d, OP_mbarrier);
    decode_set_address(i, &at);
    decode_set_memory(i, NULL, space, 8, 1);
    i->mem.mbarrier.operation = MBAR_ASYNC_ARRIVE;
    i->mem.mbarrier.no_inc = decode_parts_have(p, "noinc");
}

/* One opcode, many instructions: the second and third word tell which. */
void decode_cp(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (decode_part_is(&p, 1, "reduce")) decode_bulk_reduction(d, &p);
    else if (!decode_part_is(&p, 1, "async")) decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
    else if (decode_part_is(&p, 2, "ca") || decode_part_is(&p, 2, "cg")) decode_copy_16(d, &p);
    else if (p.count == 3 && decode_part_is(&p, 2, "commit_group")) decode_group(d, true, false);
    else if (p.count == 3 && decode_part_is(&p, 2, "wait_group")) decode_group(d, false, false);
    else if (p.count == 3 && decode_part_is(&p, 2, "wait_all")) decode_group(d, false, true);
    else if (decode_part_is(&p, 2, "mbarrier") && decode_part_is(&p, 3, "arrive")) decode_async_arrive(d, &p);
    else if (decode_part_is(&p, 2, "bulk")) decode_bulk(d, &p);
    else decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
}

/* ---------------------------------------------------------------- mbarrier */
/* Where the address stands, and how many operands there may be. */
static bool mbarrier_shape(decoder *d, int operation, bool expects, bool no_complete, uint32_t *out_at)
{
    switch (operation) {
    case MBAR_INVAL: *out_at = 0; return decode_operands_are(d, 1);
    case MBAR_INIT:
    case MBAR_EXPECT_TX:
    case MBAR_COMPLETE_TX: *out_at = 0; return decode_operands_are(d, 2);
    case MBAR_TEST_WAIT: *out_at = 1; return decode_operands_are(d, 3);
    case MBAR_TRY_WAIT: *out_at = 1; return decode_operands_between(d, 3, 4);
    default: break;
    }
    /* a remote arrival may leave its `_` out */
    *out_at = d->in->operand_count && d->ops[0].kind == PTX_OP_ADDRESS ? 0 : 1;
    return decode_operands_between(d, *out_at + 1 + (expects || no_complete), *out_at + 2);
}

void decode_mbarrier_pending_count(decoder *d)
{
    if (!decode_operands_are(d, 2)) return;
    code_ref state = decode_source(d, &d->ops[1], LANE_u64);
    code_ref r = decode_result(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_mbarrier);
    i->d = r;
    i->a = state;
    i->mem.mbarrier.operation = MBAR_PENDING_COUNT;
    decode_flush(d);
}

/* mbarrier operations on an object in memory; which operand goes where: enum code_mbarrier. */
static void decode_mbarrier(decoder *d, enum code_mbarrier operation)
{
    decode_parts p = decode_split(d->in->mnemonic);
    bool arrives = operation == MBAR_ARRIVE || operation == MBAR_ARRIVE_DROP;
    bool waits = operation == MBAR_TEST_WAIT || operation == MBAR_TRY_WAIT;
    bool expects = arrives && decode_parts_have(&p, "expect_tx");
    bool parity = decode_parts_have(&p, "parity");
    bool no_complete = decode_parts_have(&p, "noComplete");
    uint32_t at = 0;
    if (!mbarrier_shape(d, operation, expects, no_complete, &at)) return;
    ptx_space space = decode_space_in(&p);
    decode_place a = decode_address(d, &d->ops[at], space);
    code_ref b = CODE_NO_REF, c = CODE_NO_REF, r = CODE_NO_REF;
    const ptx_operand *value = d->in->operand_count > at + 1 ? &d->ops[at + 1] : NULL;
    if (expects || operation == MBAR_EXPECT_TX || operation == MBAR_COMPLETE_TX) c = decode_source(d, value, LANE_u32);
    else if (waits) b = decode_source(d, value, parity ? LANE_u32 : LANE_u64);
    else if (value) b = decode_source(d, value, LANE_u32);
    if (waits) r = decode_result(d, &d->ops[0], LANE_pred);
    else if (arrives && at && d->ops[0].kind != PTX_OP_SINK) r = decode_result(d, &d->ops[0], LANE_u64);
    code_insn *i = decode_emit(d, OP_mbarrier);
    decode_set_address(i, &a);
    i->d = r;
    i->b = b;
    i->c = c;
    decode_set_memory(i, NULL, space, 8, 1);
    i->mem.mbarrier.operation = (uint8_t)operation;
    i->mem.mbarrier.parity = parity;
    i->mem.mbarrier.no_complete = no_complete;
    if (space == PTX_SHARED_CLUSTER) d->kernel->uses_cluster = true;
    decode_flush(d);
}

void decode_mbarrier_init(decoder *d) { decode_mbarrier(d, MBAR_INIT); }
void decode_mbarrier_inval(decoder *d) { decode_mbarrier(d, MBAR_INVAL); }
void decode_mbarrier_arrive(decoder *d) { decode_mbarrier(d, MBAR_ARRIVE); }
void decode_mbarrier_arrive_drop(decoder *d) { decode_mbarrier(d, MBAR_ARRIVE_DROP); }
void decode_mbarrier_expect_tx(decoder *d) { decode_mbarrier(d, MBAR_EXPECT_TX); }
void decode_mbarrier_complete_tx(decoder *d) { decode_mbarrier(d, MBAR_COMPLETE_TX); }
void decode_mbarrier_test_wait(decoder *d) { decode_mbarrier(d, MBAR_TEST_WAIT); }
void decode_mbarrier_try_wait(decoder *d) { decode_mbarrier(d, MBAR_TRY_WAIT); }

/* ---------------------------------------------------------------- st.async, red.async */
/* st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2,.v4}.type [a], b, [mbar];
 * red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type [a], b, [mbar] */
void decode_st_async(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    bool reduction = decode_part_is(&p, 0, "red");
    uint32_t vector = 1;
    if (decode_parts_have(&p, "v2")) vector = 2;
    if (decode_parts_have(&p, "v4")) vector = 4;
    ptx_type type = decode_last_type(&p);
    int operation = reduction ? decode_operation_in(&p) : CODE_NO_OPERATION;
    const char *allowed =
        reduction ? "relaxed cluster shared::cluster mbarrier::complete_tx::bytes add min max inc dec and or xor "
                    "u32 s32 u64 s64 b32"
                  : "weak shared::cluster mbarrier::complete_tx::bytes v2 v4 b32 b64 u32 u64 s32 s64 f32 f64";
    if (!decode_known_parts(d, &p, 2, allowed) || !decode_operands_are(d, 3) ||
        !decode_vector_fits(d, &d->ops[1], vector))
        return;
    if (type == PTX_NO_TYPE || (reduction && !reducible(operation, type, false))) {
        decode_problem(d, "'%s': the operation does not exist for this type", d->in->mnemonic);
        return;
    }
    ptx_space space = decode_space_in(&p);
    uint32_t bytes = ptx_type_bytes(type);
    decode_place to = decode_address(d, &d->ops[0], space);
    code_list *l = decode_new_list(d, 1 + vector);
    code_list *values = decode_source_list(d, &d->ops[1], vector, bytes, type);
    l->ref[0] = decode_address_value(d, &d->ops[2], space);
    memcpy(&l->ref[1], values->ref, vector * sizeof values->ref[0]);
    code_insn *i = decode_emit(d, OP_st_async);
    decode_set_address(i, &to);
    decode_set_memory(i, l, space, bytes, vector);
    i->mem.atomic.operation = (uint8_t)operation;
    i->mem.atomic.type = (uint8_t)type;
    if (reduction) i->mem.atomic.event_class = atomic_kind(operation, type);
    i->event_op = reduction ? EVENT_REDUCTION : EVENT_STORE;
    decode_last_info(d)->list = l;
    d->kernel->uses_cluster = true;
    decode_note_memory(d);
}
