/* decode_ctrl.c: branches, calls, barriers and the warp-level collectives. */
#include "code/decode.h"

#include <stdio.h>
#include <string.h>

/* Which one of the names stands in the mnemonic, all of whose other parts must be among `others` (blank-separated).
 * count, after naming the problem, if there is none or one too many. */
static uint8_t mode_of(decoder *d, const decode_parts *p, const char *const *names, uint8_t count, const char *others)
{
    uint8_t found = count, hits = 0;
    for (uint8_t k = 0; k < count; k++)
        if (decode_parts_have(p, names[k])) {
            found = k;
            hits++;
        }
    char allowed[128];
    int n = snprintf(allowed, sizeof allowed, "%s", others);
    if (found < count) snprintf(allowed + n, sizeof allowed - (size_t)n, " %s", names[found]);
    if (hits > 1 || found == count) {
        decode_problem(d, "unknown instruction '%s'", d->in->mnemonic);
        return count;
    }
    return decode_known_parts(d, p, 1, allowed) ? found : count;
}

/* ---------------------------------------------------------------- branches */
void decode_bra(decoder *d)
{
    if (d->ops[0].kind != PTX_OP_LABEL) {
        decode_problem(d, "the target of '%s' is not a label", d->in->mnemonic);
        return;
    }
    code_insn *i = decode_emit(d, OP_bra);
    i->branch.label = (uint32_t)d->ops[0].imm;
}

/* brx.idx index, list: the list is a .branchtargets directive of the function. */
void decode_brx(decoder *d)
{
    const ptx_targets *t = d->in->operand_count > 1 ? d->ops[1].targets : NULL;
    if (!t || !t->count || !t->labels) {
        decode_problem(d, "'%s' needs a list of branch targets", d->in->mnemonic);
        return;
    }
    code_ref index = decode_source(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_brx);
    i->a = index;
    i->table.labels = t;
}

static void decode_end(decoder *d, code_op op) { decode_emit(d, op); }
void decode_ret(decoder *d) { decode_end(d, d->f->is_entry ? OP_exit : OP_ret); }
void decode_exit(decoder *d) { decode_end(d, OP_exit); }
void decode_trap(decoder *d) { decode_end(d, OP_trap); }
void decode_brkpt(decoder *d)
{
    decode_end(d, OP_trap);
    d->insns.items[d->insns.count - 1].trap.is_breakpoint = true;
}

/* ---------------------------------------------------------------- calls */
static uint32_t lay_out_formal(uint64_t *at, const ptx_variable *v)
{
    *at = lw_round_up(*at, LW_MAX(v->alignment, 8u));
    uint32_t offset = (uint32_t)*at;
    *at += v->bytes ? v->bytes : ptx_type_bytes(v->type) * v->vector;
    return offset;
}

/* One argument or result: a .param variable of this function, or a register or constant. */
static void bind(decoder *d, code_copy *c, const ptx_operand *o, const ptx_variable *formal, uint64_t *at, bool result)
{
    c->callee_offset = lay_out_formal(at, formal);
    c->bytes = (uint32_t)(formal->bytes ? formal->bytes : ptx_type_bytes(formal->type));
    c->ref = CODE_NO_REF;
    uint64_t offset = 0;
    if (o->kind == PTX_OP_VARIABLE && decode_frame_offset(d, o->variable, &offset)) {
        c->caller_offset = (uint32_t)offset;
        c->bytes = LW_MIN(c->bytes, (uint32_t)o->variable->bytes);
    } else if (o->kind == PTX_OP_SINK && result) {
        c->bytes = 0;
    } else if (!c->bytes || c->bytes != ptx_type_bytes(formal->type)) {
        decode_problem(d, "a value of '%s' does not fit the parameter '%s'", d->in->mnemonic, formal->name);
    } else {
        lane_type t = c->bytes == 1 ? LANE_u16 : code_lane_of(formal->type);
        if (c->bytes == 1) c->bytes = 2;
        c->ref = result ? decode_result(d, o, t) : decode_source(d, o, t);
    }
}

typedef struct signature {
    const ptx_variable *const *params, *const *returns; /* or flat arrays of a prototype */
    const ptx_variable *flat_params, *flat_returns;
    size_t param_count, return_count;
    size_t declared_returns; /* of the declaration beside the call: a linked definition may return less */
} signature;

static const ptx_variable *param_of(const signature *s, size_t k)
{
    return s->flat_params ? &s->flat_params[k] : s->params[k];
}
static const ptx_variable *return_of(const signature *s, size_t k)
{
    return s->flat_returns ? &s->flat_returns[k] : s->returns[k];
}

/* Parameters of the functions that the system itself provides. */
static bool builtin_fits(const code_call *call, uint32_t argument_count)
{
    return !call->builtin || argument_count == code_builtins[call->builtin].arguments;
}

/* Binds arguments and results to the formals; both sides lay the formals out alike (bind()), so that indirect calls
 * work. */
static void emit_call(decoder *d, code_op op, const signature *s, const ptx_operand *results,
                      const ptx_operand *arguments, code_call *call, code_ref target)
{
    uint32_t argument_count = arguments ? arguments->item_count : 0, result_count = results ? results->item_count : 0;
    if (call->callee && result_count > s->return_count && result_count <= s->declared_returns)
        result_count = (uint32_t)s->return_count; /* linkers accept it; the results keep what they held */
    if (argument_count != s->param_count || result_count > s->return_count || !builtin_fits(call, argument_count)) {
        decode_problem(d, "the call's arguments do not match the function's parameters");
        return;
    }
    code_copy *in = LW_NEW_ARRAY(d->arena, code_copy, argument_count + 1);
    code_copy *out = LW_NEW_ARRAY(d->arena, code_copy, result_count + 1);
    uint64_t at = 0;
    for (uint32_t k = 0; k < argument_count; k++) bind(d, &in[k], &arguments->items[k], param_of(s, k), &at, false);
    for (uint32_t k = 0; k < result_count; k++) bind(d, &out[k], &results->items[k], return_of(s, k), &at, true);
    call->arguments = in;
    call->results = out;
    call->argument_count = argument_count;
    call->result_count = result_count;
    code_insn *i = decode_emit(d, op);
    i->a = target;
    i->call = call;
    decode_last_info(d)->call = call;
    d->body->uses_local = true;
    decode_flush(d);
}

/* The operands of: call [(results),] target [, (arguments)] [, prototype or list of targets]; NULL: left out */
typedef struct call_parts {
    const ptx_operand *results, *target, *arguments, *last;
} call_parts;

static call_parts parts_of_call(const decoder *d)
{
    call_parts p = {0};
    for (uint32_t k = 0; k < d->in->operand_count; k++) {
        const ptx_operand *o = &d->ops[k];
        bool list = o->kind == PTX_OP_LIST;
        if (list && !p.target) p.results = o;
        else if (list) p.arguments = o;
        else if (!p.target) p.target = o;
        else p.last = o;
    }
    return p;
}

static signature signature_of(const ptx_function *f)
{
    return (signature){
        .params = f->params, .returns = f->returns, .param_count = f->param_count, .return_count = f->return_count};
}

static void refuse_undefined(decoder *d, const char *name)
{
    bool runtime = !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6);
    if (runtime) decode_problem(d, "'%s': this function of the device runtime is not supported", name);
    else decode_problem(d, "function '%s' is not defined", name);
}

/* A definition in the program goes before the function of that name that the system provides, but not the device
 * runtime's own: it works on a card's queues. */
static void direct_call(decoder *d, const call_parts *p, code_call *call)
{
    const ptx_function *declared = p->target->function;
    const ptx_function *f = declared;
    const image_function *r = code_resolve_function(d->image, declared);
    code_builtin builtin = code_builtin_of(declared->name);
    bool runtime = builtin && !strncmp(declared->name, "__cudaCDP2", 10);
    if (r && !r->function->is_declaration && !runtime) {
        f = r->function;
        call->callee = d->builder->functions.items[code_queue_function(d->builder, r)];
    } else {
        call->builtin = builtin;
        if (!call->builtin) {
            refuse_undefined(d, declared->name);
            return;
        }
    }
    if (code_builtins[call->builtin].device_call) d->builder->uses_runtime = true;
    signature s = signature_of(f);
    s.declared_returns = declared->return_count;
    emit_call(d, call->builtin ? OP_builtin : OP_call, &s, p->results, p->arguments, call, CODE_NO_REF);
}

/* Of a list of targets the first has the signature of all. */
static bool indirect_signature(const ptx_operand *last, signature *out)
{
    if (last && last->kind == PTX_OP_PROTOTYPE) {
        const ptx_prototype *t = last->prototype;
        *out = (signature){.flat_params = t->params,
                           .flat_returns = t->returns,
                           .param_count = t->param_count,
                           .return_count = t->return_count};
        return true;
    }
    if (!last || last->kind != PTX_OP_TARGETS || !last->targets->functions || !last->targets->count) return false;
    *out = signature_of(last->targets->functions[0]);
    return true;
}

void decode_call(decoder *d)
{
    call_parts p = parts_of_call(d);
    code_call *call = LW_NEW(d->arena, code_call);
    signature s;
    if (!p.target) {
        decode_problem(d, "call without a target");
    } else if (p.target->kind == PTX_OP_FUNCTION) {
        direct_call(d, &p, call);
    } else if (p.target->kind == PTX_OP_REG && indirect_signature(p.last, &s)) {
        code_ref target = decode_source(d, p.target, LANE_u64);
        emit_call(d, OP_call, &s, p.results, p.arguments, call, target);
    } else {
        decode_problem(d, "an indirect call needs a prototype or a list of targets");
    }
}

/* ---------------------------------------------------------------- barriers */
/* The kernel uses the barrier of this number (NULL: 0); all if it is not known before it runs. */
static void note_barrier(decoder *d, const ptx_operand *number)
{
    enum { BARRIERS = 16 };
    int64_t value = 0;
    uint32_t used = BARRIERS;
    if (!number || decode_is_int(number, &value)) used = (uint32_t)(value & (BARRIERS - 1)) + 1;
    if (value < 0 || value >= BARRIERS)
        decode_problem(d, "barrier %lld does not exist (barriers are 0 to 15)", (long long)value);
    d->kernel->barrier_count = LW_MAX(d->kernel->barrier_count, used);
}

/* bar{.cta}.sync|arrive|red and barrier{.cta}: [result,] number [, threads] [, predicate]. Without a number: barrier
 * 0. */
static void decode_block_barrier(decoder *d, const decode_parts *p)
{
    static const char *const names[] = {"sync", "arrive", "popc", "and", "or"}; /* in the order of enum code_barrier */
    /* the fewest operands, by the same; the most: 4 of a reduction, else 2 */
    static const uint8_t fewest[] = {0, 2, 3, 3, 3};
    uint8_t sub = mode_of(d, p, names, 5, "cta red aligned u32 pred");
    if (sub == 5) return;
    bool reduces = sub >= BAR_RED_POPC;
    uint32_t at = reduces ? 1 : 0; /* behind the result: the barrier's number */
    uint32_t n = d->in->operand_count;
    if (!decode_operands_between(d, fewest[sub], reduces ? 4 : 2)) return;
    code_ref id = n > at ? decode_source(d, &d->ops[at], LANE_u32) : decode_constant(d, 0, 4);
    bool counted = reduces ? n > at + 2 : n > at + 1;
    code_ref count = counted ? decode_source(d, &d->ops[at + 1], LANE_u32) : CODE_NO_REF;
    code_ref predicate = reduces ? decode_source_pred(d, &d->ops[n - 1]) : CODE_NO_REF;
    lane_type result = sub == BAR_RED_POPC ? LANE_u32 : LANE_pred;
    code_ref r = reduces ? decode_result(d, &d->ops[0], result) : CODE_NO_REF;
    code_insn *i = decode_emit(d, OP_bar);
    i->d = r;
    i->a = id;
    i->b = count;
    i->c = predicate;
    i->barrier.operation = sub;
    i->barrier.aligned = decode_part_is(p, 0, "bar") || decode_parts_have(p, "aligned");
    note_barrier(d, n > at ? &d->ops[at] : NULL);
    decode_flush(d);
}

static void decode_warp_sync(decoder *d)
{
    code_ref m = decode_source(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_warpsync);
    i->a = m;
}

void decode_bar(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    if (decode_part_is(&p, 1, "warp")) decode_warp_sync(d);
    else decode_block_barrier(d, &p);
}

void decode_barrier(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    decode_block_barrier(d, &p);
}

static void decode_cluster_barrier(decoder *d, bool waits)
{
    code_insn *i = decode_emit(d, OP_cluster_bar);
    i->cluster.waits = waits;
    d->kernel->uses_cluster = true;
}
void decode_barrier_cluster_arrive(decoder *d) { decode_cluster_barrier(d, false); }
void decode_barrier_cluster_wait(decoder *d) { decode_cluster_barrier(d, true); }

static void decode_order(decoder *d) { decode_emit(d, OP_fence); }
void decode_membar(decoder *d) { decode_order(d); }
void decode_fence(decoder *d) { decode_order(d); }

/* ---------------------------------------------------------------- warp collectives */
static code_ref member_mask(decoder *d, uint32_t at)
{
    return at < d->in->operand_count ? decode_source(d, &d->ops[at], LANE_u32)
                                     : CODE_NO_REF; /* before Volta: the active lanes */
}

/* vote{.sync}.mode d, [!]p [, members] */
void decode_vote(decoder *d)
{
    static const char *const names[] = {"all", "any", "uni", "ballot"};
    decode_parts p = decode_split(d->in->mnemonic);
    uint8_t sub = mode_of(d, &p, names, 4, decode_parts_have(&p, "ballot") ? "sync b32" : "sync pred");
    if (sub == 4) return;
    bool sync = decode_parts_have(&p, "sync");
    if (!decode_operands_are(d, sync ? 3 : 2)) return;
    code_ref c = decode_source_pred(d, &d->ops[1]);
    code_ref m = sync ? member_mask(d, 2) : CODE_NO_REF;
    code_ref r = decode_result(d, &d->ops[0], sub == VOTE_BALLOT ? LANE_u32 : LANE_pred);
    code_insn *i = decode_emit(d, OP_vote);
    i->d = r;
    i->a = m;
    i->c = c;
    i->warp.operation = sub;
    decode_flush(d);
}

/* match.any|all.sync.type d[|p], a, members */
void decode_match(decoder *d)
{
    static const char *const names[] = {"any", "all"}; /* in the order of enum code_match */
    decode_parts p = decode_split(d->in->mnemonic);
    uint8_t operation = mode_of(d, &p, names, 2, "sync b32 b64");
    if (operation == 2) return;
    uint32_t bytes = ptx_type_bytes(decode_last_type(&p));
    const ptx_operand *to = &d->ops[0];
    if (!decode_operands_are(d, 3)) return;
    code_ref b = decode_source(d, &d->ops[1], bytes == 8 ? LANE_u64 : LANE_u32);
    code_ref m = member_mask(d, 2);
    bool pair = to->kind == PTX_OP_PAIR;
    code_ref q = pair ? decode_result(d, &to->items[1], LANE_pred) : CODE_NO_REF;
    code_ref r = decode_result(d, pair ? &to->items[0] : to, LANE_u32);
    code_insn *i = decode_emit(d, OP_match);
    i->d = r;
    i->e = q;
    i->a = m;
    i->b = b;
    i->warp.operation = operation;
    i->warp.bytes = (uint8_t)bytes;
    decode_flush(d);
}

void decode_activemask(decoder *d)
{
    code_ref r = decode_result(d, &d->ops[0], LANE_u32);
    decode_emit(d, OP_activemask)->d = r;
    decode_flush(d);
}

/* shfl{.sync}.mode.b32 d[|p], a, b, c [, members] */
void decode_shfl(decoder *d)
{
    static const char *const names[] = {"up", "down", "bfly", "idx"};
    decode_parts p = decode_split(d->in->mnemonic);
    uint8_t sub = mode_of(d, &p, names, 4, "sync b32");
    if (sub == 4) return;
    const ptx_operand *to = &d->ops[0];
    bool pair = to->kind == PTX_OP_PAIR;
    bool sync = decode_parts_have(&p, "sync");
    if (!decode_operands_are(d, sync ? 5 : 4)) return;
    code_ref a = decode_source(d, &d->ops[1], LANE_u32);
    code_ref b = decode_source(d, &d->ops[2], LANE_u32);
    code_ref c = decode_source(d, &d->ops[3], LANE_u32);
    code_list *l = decode_new_list(d, 1);
    l->ref[0] = sync ? member_mask(d, 4) : CODE_NO_REF;
    code_ref q = pair ? decode_result(d, &to->items[1], LANE_pred) : CODE_NO_REF;
    code_ref r = decode_result(d, pair ? &to->items[0] : to, LANE_u32);
    code_insn *i = decode_emit(d, OP_shfl);
    i->d = r;
    i->e = q;
    i->a = a;
    i->b = b;
    i->c = c;
    i->warp.operation = sub;
    i->warp.members = l;
    decode_last_info(d)->list = l;
    decode_flush(d);
}

/* redux.sync.op.type d, a, members */
void decode_redux(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    bool is_signed = ptx_type_class(decode_last_type(&p)) == 'S';
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
    static const uint8_t operations[][2] = {{REDUX_ADD_U, REDUX_ADD_S}, {REDUX_MIN_U, REDUX_MIN_S},
                                            {REDUX_MAX_U, REDUX_MAX_S}, {REDUX_AND, REDUX_AND},
                                            {REDUX_OR, REDUX_OR},       {REDUX_XOR, REDUX_XOR}};
    uint8_t sub = mode_of(d, &p, names, 6, "sync s32 u32 b32");
    if (sub == 6) return;
    if (!decode_operands_are(d, 3)) return;
    code_ref a = decode_source(d, &d->ops[1], LANE_u32);
    code_ref m = member_mask(d, 2);
    code_ref r = decode_result(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_redux);
    i->d = r;
    i->a = m;
    i->b = a;
    i->warp.operation = operations[sub][is_signed];
    decode_flush(d);
}

/* elect.sync d|p, members */
void decode_elect(decoder *d)
{
    const ptx_operand *to = &d->ops[0];
    bool pair = to->kind == PTX_OP_PAIR;
    code_ref m = decode_source(d, &d->ops[1], LANE_u32);
    code_ref q = pair ? decode_result(d, &to->items[1], LANE_pred) : CODE_NO_REF;
    code_ref r = decode_result(d, pair ? &to->items[0] : to, LANE_u32);
    code_insn *i = decode_emit(d, OP_elect);
    i->d = r;
    i->e = q;
    i->a = m;
    decode_flush(d);
}

/* ---------------------------------------------------------------- no effect here */
static void decode_nothing(decoder *d) { decode_emit(d, OP_nop); }
void decode_griddepcontrol(decoder *d) { decode_nothing(d); } /* launches run in order: dependencies are complete */
void decode_setmaxnreg(decoder *d) { decode_nothing(d); }
void decode_pmevent(decoder *d) { decode_nothing(d); }

void decode_nanosleep(decoder *d)
{
    code_ref t = decode_source(d, &d->ops[0], LANE_u32);
    code_insn *i = decode_emit(d, OP_nanosleep);
    i->a = t;
}
