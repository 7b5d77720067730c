/* plan.c: applies the count plan (plan.def) to a decoded function before registers are assigned: atomics, local arrays,
 * spin loops. The plan changes only what events say (event_op, event_flags, the class of an atomic, and of loads and
 * stores joined_words and joined_at), not what is executed; plan_sink.c, which goes before, changes where. */
#include "code/plan.h"

#include <stdlib.h>
#include <string.h>

static void count_read(void *reads, code_ref r, code_operand what)
{
    (void)what;
    ((uint32_t *)reads)[code_vreg_of(r)]++;
}

static void uncount_read(void *reads, code_ref r, code_operand what)
{
    (void)what;
    ((uint32_t *)reads)[code_vreg_of(r)]--;
}

typedef struct write_use {
    const uint32_t *reads;
    bool written, used;
} write_use;

static void see_write(void *user, code_ref r, code_operand what)
{
    (void)what;
    write_use *w = user;
    w->written = true;
    w->used |= w->reads[code_vreg_of(r)] != 0;
}

/* Arithmetic or a shuffle whose results nobody reads: the assembler leaves it out. Compilers leave in no dead
 * arithmetic, but shuffles and what they read. */
static bool is_dead(const decoder *d, size_t u, const uint32_t *reads)
{
    const code_insn *i = &d->insns.items[u];
    if (i->op >= OP_block && i->op != OP_shfl) return false;
    write_use use = {.reads = reads};
    code_each_written(i, &d->infos.items[u], see_write, &use);
    return use.written && !use.used;
}

/* How often each virtual register is read, by what the assembler does not leave out. */
static uint32_t *count_reads(const decoder *d)
{
    uint32_t *reads = lw_alloc(d->vregs.count * sizeof *reads);
    bool *gone = lw_alloc(d->insns.count + 1), more = true;
    for (size_t u = 0; u < d->insns.count; u++)
        code_each_read(&d->insns.items[u], &d->infos.items[u], count_read, reads);
    while (more) {
        more = false;
        for (size_t u = d->insns.count; u-- > 0;) {
            if (gone[u] || !is_dead(d, u, reads)) continue;
            gone[u] = more = true;
            code_each_read(&d->insns.items[u], &d->infos.items[u], uncount_read, reads);
        }
    }
    free(gone);
    return reads;
}

/* Is the value that the atomic adds this constant? */
static bool adds(const decoder *d, const code_insn *i, const uop_info *n, uint64_t constant)
{
    uint64_t value;
    return i->mem.atomic.event_class == EVENT_ATOMIC_ADD && plan_constant(d, n->list->ref[i->mem.vector], &value) &&
           value == constant;
}

/* Would the assembler reduce over the lanes first if the address were one for the warp? Recorded: 32-bit adds always,
 * other 32-bit operations with a dead result; of 64-bit ones the add of 1, whose sum is a count of lanes. */
static bool reduces_lanes(const decoder *d, const code_insn *i, const uop_info *n, bool dead)
{
    if (i->mem.vector != 1) return false;
    if (i->mem.bytes == 8) return adds(d, i, n, 1);
    if (i->mem.bytes != 4 || i->mem.atomic.event_class == EVENT_ATOMIC_FADD) return false;
    if (i->mem.atomic.operation == ATOM_ADD) return true;
    return dead && i->mem.atomic.operation != ATOM_INC && i->mem.atomic.operation != ATOM_DEC &&
           i->mem.atomic.operation != ATOM_EXCH && i->mem.atomic.operation != ATOM_CAS;
}

/* Of shared memory: the machine has no such atomic. */
static bool is_swap_loop(const code_insn *i)
{
    event_atomic class = (event_atomic)i->mem.atomic.event_class;
    if (class == EVENT_ATOMIC_CAS || class == EVENT_ATOMIC_EXCH) return false;
    return class == EVENT_ATOMIC_FADD || i->mem.bytes == 8 || i->mem.bytes == 2;
}

/* Such a loop, and not one of the plain adds whose rounds are known (model/spin.c). */
static bool is_unknown_loop(const code_insn *i)
{
    ptx_type type = (ptx_type)i->mem.atomic.type;
    switch ((event_atomic)i->mem.atomic.event_class) {
    case EVENT_ATOMIC_FADD: return i->mem.bytes != 2 && type != PTX_F32 && type != PTX_F64;
    case EVENT_ATOMIC_OTHER: return i->mem.bytes == 8;
    default: return false;
    }
}

/* What becomes of an atomic whose result nobody reads, or whose address is one for the warp. */
static void plan_atomic(decoder *d, code_insn *i, const uop_info *n, const uint32_t *reads, const plan_value *values)
{
    bool dead = true, shared = i->mem.space == PTX_SHARED;
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        code_ref r = n->list->ref[k];
        if (r != CODE_NO_REF && (r & VIRTUAL) && reads[(r & ~VIRTUAL) >> 2]) dead = false;
    }
    d->builder->sites.items[i->site].unread = dead;
    bool swaps = i->mem.atomic.operation == ATOM_CAS || i->mem.atomic.operation == ATOM_EXCH;
    /* Whether or not the result is read: at generic addresses there is no RED.E, and a kernel with a fence has ATOMG, as has
     * one that is to be linked, with what might have a fence. */
    bool stays = i->mem.space == PTX_GENERIC || d->builder->has_fence || d->builder->options.relocatable;
    if (i->event_op == EVENT_ATOMIC && dead && !stays && !swaps) i->event_op = EVENT_REDUCTION;
    if (i->event_op == EVENT_REDUCTION && i->mem.space == PTX_GENERIC) i->event_op = EVENT_ATOMIC;
    if (i->mem.bytes == 2 && !swaps) plan_mark(d, i->site, PLAN_HALF_CAS_LOOP);
    if (shared && is_unknown_loop(i)) plan_mark(d, i->site, PLAN_SHARED_CAS_LOOP);
    bool reduces = reduces_lanes(d, i, n, dead);
    bool known = shared || i->mem.space == PTX_GLOBAL;
    if (shared && dead && i->mem.bytes == 4 && adds(d, i, n, 1)) i->mem.atomic.event_class = EVENT_ATOMIC_ADD_1;
    uint8_t uniform = plan_value_of(d, values, i->a).uniform;
    if (uniform == PLAN_VARIES || !reduces) return;
    if (uniform == PLAN_UNIFORM && known) i->event_flags |= EVENT_ONE_LANE;
    else plan_mark(d, i->site, PLAN_UNIFORM_PERHAPS);
}

/* What later launches may have to know of the access: code_site.array to stored_from. */
static void note_arrays(decoder *d, const plan_value *values, const code_insn *i)
{
    code_site *site = &d->builder->sites.items[i->site];
    plan_value address = plan_value_of(d, values, i->a);
    plan_value stored = i->op == OP_st ? plan_stored(d, values, i) : (plan_value){0};
    site->address_from |= address.behind;
    site->stored_from |= stored.behind;
    site->array = address.base == PLAN_SEVERAL ? 0 : address.base;
    site->writes = i->op != OP_ld;
    site->atomic = i->op == OP_atom ? i->mem.atomic.event_class : EVENT_ATOMIC_NONE;
    site->swaps = i->op == OP_atom && i->mem.space == PTX_SHARED && is_swap_loop(i);
    site->ordered = (address.order | stored.order) & PLAN_ORDER_BLOCKS;
}

/* Addresses that follow from what an atomic returned. This is no matter of the assembler, but of the schedule. */
static void mark_order(decoder *d, const plan_value *values)
{
    for (size_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_ld && i->op != OP_st && i->op != OP_atom) continue;
        uint8_t order = plan_value_of(d, values, i->a).order;
        if (order && !d->kernel->no_count_plan) plan_mark(d, i->site, PLAN_ORDER);
        if (order & PLAN_ORDER_BLOCKS) d->builder->sites.items[i->site].follows_atomic = true;
        note_arrays(d, values, i);
    }
}

/* Is the kernel's one local array what the compiler itself makes: the product with 2/pi by which sinf, cosf and tanf reduce
 * large arguments? Its loads stay as they are. Known by its size, and by the digits of 2/pi in the module. */
static bool is_reduction_array(const decoder *d)
{
    if (d->local_arrays != 28) return false;
    for (size_t k = 0; k < d->module->variable_count; k++)
        if (!strcmp(d->module->variables[k]->name, "__cudart_i2opi_f")) return true;
    return false;
}

static bool has_arrays(const ptx_function *f)
{
    for (size_t k = 0; k < f->local_count; k++) /* parameters of calls are among them */
        if (f->locals[k]->space == PTX_LOCAL) return true;
    return false;
}

/* Are the local arrays of this function all that there are? Of what it calls the machine code then needs no memory either,
 * if it needs as much as the arrays: its stack is that of the deepest call. */
static bool has_all_arrays(const decoder *d)
{
    const kernel_builder *b = d->builder;
    for (size_t k = 0; k < b->queue.count; k++)
        if (b->queue.items[k]->function != d->f && has_arrays(b->queue.items[k]->function)) return false;
    return !b->uses_indirect;
}

/* Does the machine code have the local arrays as PTX declares them, and nothing beside? */
static bool keeps_arrays(const decoder *d)
{
    const code_options *o = &d->builder->options;
    if (d->builder->frames) return plan_frame_keeps_arrays(d);
    return o->stack_known && o->stack_bytes == lw_round_up(d->local_arrays, 8) && has_all_arrays(d);
}

/* Local arrays that the machine code has not at all, where there is some, or in another way. */
static void plan_local(decoder *d, code_insn *i)
{
    const code_options *o = &d->builder->options;
    if (d->builder->frames ? plan_frame_has_none(d) : o->stack_known && !o->stack_bytes) {
        i->event_op = CODE_NO_EVENT;
        d->builder->sites.items[i->site].is_memory = false;
        return;
    }
    if (!keeps_arrays(d)) plan_mark(d, i->site, PLAN_LOCAL_PROMOTED);
}

static bool loads_local(const code_insn *i)
{
    return i->op == OP_ld && i->mem.space == PTX_LOCAL && i->event_op != CODE_NO_EVENT;
}

/* Instructions of the machine code of this function, or of a kernel that calls nothing, that load from local memory. */
static uint32_t machine_loads(const decoder *d)
{
    const code_frame *frames = d->builder->frames;
    const code_accesses *accesses = d->builder->options.accesses;
    uint32_t loads = 0;
    if (frames) return frames[d->out->index].loads;
    for (uint32_t w = 0; accesses && w < CODE_ACCESS_WIDTHS; w++) loads += (*accesses)[CODE_OF_LOCAL][CODE_LOADS][w];
    return loads;
}

/* Loads from local arrays that the machine code keeps: it has as many as the plan, or those of a loop that it unrolls in
 * pieces (machine code of ptxas 13.0: lei_md5 md5_cuda_calculate of the ninth draw), or it holds some values in registers, or
 * has other copies of loops. */
static void plan_local_loads(decoder *d, const plan_value *values)
{
    uint32_t loads = 0;
    if (!d->local_arrays || !keeps_arrays(d) || is_reduction_array(d)) return;
    for (size_t u = 0; u < d->insns.count; u++) loads += loads_local(&d->insns.items[u]);
    uint32_t machine = machine_loads(d);
    if (machine == loads || (machine > loads && plan_loads_in_pieces(d, values, loads_local, machine - loads))) return;
    for (size_t u = 0; u < d->insns.count; u++)
        if (loads_local(&d->insns.items[u])) plan_mark(d, d->insns.items[u].site, PLAN_LOCAL_LOADED);
}

void plan_apply(decoder *d)
{
    plan_value *values = plan_values(d);
    mark_order(d, values);
    if (d->kernel->no_count_plan) {
        free(values);
        return;
    }
    uint32_t *reads = count_reads(d);
    for (size_t u = 0; u < d->insns.count; u++) {
        code_insn *i = &d->insns.items[u];
        if (i->op == OP_atom) plan_atomic(d, i, &d->infos.items[u], reads, values);
        if ((i->op == OP_ld || i->op == OP_st) && i->mem.space == PTX_LOCAL) plan_local(d, i);
    }
    plan_chase(d, values);
    plan_alignment *alignment = plan_alignment_new(d, values);
    plan_loops(d, values, alignment);
    plan_once(d, reads, alignment);
    plan_overwritten(d);
    plan_meet(d, alignment);
    plan_merge(d, values, reads, alignment);
    plan_again(d, alignment);
    plan_alignment_free(alignment);
    plan_select(d, reads);
    plan_local_loads(d, values);
    plan_machine machine = plan_compare(d);
    plan_rounds(d, values, &machine);
    plan_counted_loops(d, values, &machine, plan_pieces(d, values, &machine));
    plan_settle(d, &machine);
    free(reads);
    free(values);
}
